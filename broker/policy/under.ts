// Owns the matcher `under`: is the text of a path below a root, however it is written?
import { fold } from "./fold.ts";
import type { Truth } from "./truth.ts";

const MAX_PATH = 32_768;
const MAX_DECODINGS = 4;
/** Windows drops dots and spaces at the end of a name, so that `.. ` is `..` there. */
const NEARLY_UP = /(?:^|[\\/])\.\.[. ]+(?:[\\/]|$)/;

export interface Root {
  readonly path: string;
  readonly loosePath: string;
  readonly drive: boolean;
}

/** A root must be absolute (`/srv/app`, `C:\app`) and hold no `..`; undefined otherwise. */
export function parseRoot(source: string): Root | undefined {
  const drive = /^[A-Za-z]:[\\/]/.test(source);
  if (!drive && !/^\/(?!\/)/.test(source)) return undefined;
  if (source.length > MAX_PATH || source.includes("\0") || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(source))
    return undefined;
  const path = normalise(drive ? source.replaceAll("\\", "/").toLowerCase() : source);
  return { path, loosePath: normalise(fold(path)), drive };
}

/** A normalised absolute path. */
interface Spot {
  readonly path: string;
  readonly drive: boolean;
}

/** Every way to read a text as a path: as written, percent-decoded, backslash as separator, and loosely. */
export interface ReadPath {
  readonly exact: readonly Spot[];
  /** In the loose form: a file system may ignore case or compose characters. */
  readonly loose: readonly Spot[];
}

/** Reads a text as an absolute path; undefined when any reading of it is none. */
export function readPath(text: string): ReadPath | undefined {
  const readings = text.length > MAX_PATH ? undefined : readingsOf(text);
  const exact = readings?.map(spotOf) ?? [undefined];
  if (exact.includes(undefined)) return undefined;
  const loose = readings!.map((reading) => spotOf(fold(reading)));
  return loose.includes(undefined) ? undefined : ({ exact, loose } as ReadPath);
}

function spotOf(path: string): Spot | undefined {
  const drive = /^[A-Za-z]:\//.test(path);
  if (!drive && (!path.startsWith("/") || path.startsWith("//"))) return undefined;
  return { path: normalise(drive ? path.toLowerCase() : path), drive };
}

/**
 * `yes` only when the path is at or below the root in every reading, `no` only when it is so in none. Text only: links
 * in a file system are not followed.
 */
export function isUnder(root: Root, read: ReadPath | undefined): Truth {
  if (read === undefined) return "unsure";
  const exact = read.exact.filter((spot) => contains(root.path, root.drive, spot)).length;
  const loose = read.loose.filter((spot) => contains(root.loosePath, root.drive, spot)).length;
  if (exact === read.exact.length && loose === read.loose.length) return "yes";
  return exact === 0 && loose === 0 ? "no" : "unsure";
}

function contains(root: string, drive: boolean, spot: Spot): boolean {
  if (spot.drive !== drive) return false;
  return spot.path === root || spot.path.startsWith(root === "/" ? "/" : `${root}/`);
}

// Security: a server may decode "%2e%2e" or take "\" for "/"; a path is inside only when it is inside in every reading.
function readingsOf(value: string): readonly string[] | undefined {
  const readings = new Set<string>();
  let text = value;
  for (let i = 0; i <= MAX_DECODINGS; i++) {
    if (/[\u0000-\u001f\u007f]/.test(text) || NEARLY_UP.test(text)) return undefined;
    if (/^[A-Za-z]:\\/.test(text)) readings.add(text.replaceAll("\\", "/"));
    else {
      readings.add(text);
      if (text.includes("\\")) readings.add(text.replaceAll("\\", "/"));
    }
    const decoded = decode(text);
    if (decoded === text) return [...readings];
    text = decoded;
  }
  return undefined;
}

function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
    }
  });
}

function normalise(path: string): string {
  const [first, ...rest] = path.split("/");
  const kept: string[] = [];
  for (const part of rest) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return kept.length === 0 && first === "" ? "/" : [first, ...kept].join("/");
}
