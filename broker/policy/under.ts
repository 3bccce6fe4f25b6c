// Owns the matcher `under`: is the text of a path below a root, however it is written?
import { fold } from "./fold.ts";
import type { Truth } from "./truth.ts";

const MAX_PATH = 32_768;
const MAX_DECODINGS = 4;

export interface Root {
  readonly path: string;
  readonly drive: boolean;
}

/** A root must be absolute (`/srv/app`, `C:\app`) and hold no `..`; undefined otherwise. */
export function parseRoot(source: string): Root | undefined {
  const drive = /^[A-Za-z]:[\\/]/.test(source);
  if (!drive && !/^\/(?!\/)/.test(source)) return undefined;
  if (source.length > MAX_PATH || source.includes("\0") || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(source))
    return undefined;
  return { path: normalise(drive ? source.replaceAll("\\", "/").toLowerCase() : source), drive };
}

/**
 * `yes` only when every way to read the path (percent-decoded once or more, backslash as separator) is absolute and
 * at or below the root. `no` only when none is. Text only: links in a file system are not followed.
 */
export function isUnder(root: Root, value: unknown): Truth {
  if (typeof value !== "string" || value.length > MAX_PATH) return "unsure";
  const readings = readingsOf(value);
  if (readings === undefined) return "unsure";
  let above = false;
  let below = false;
  for (const reading of readings) {
    const inside = contains(root, reading);
    if (inside === "unsure") return "unsure";
    if (inside === "yes") below = true;
    else above = true;
  }
  if (below) return above ? "unsure" : "yes";
  // A file system may ignore case or compose characters: only a loose look is sure that it is outside.
  const looseRoot = { path: normalise(fold(root.path)), drive: root.drive };
  return readings.some((reading) => contains(looseRoot, fold(reading)) !== "no") ? "unsure" : "no";
}

function contains(root: Root, path: string): Truth {
  const drive = /^[A-Za-z]:\//.test(path);
  if (!drive && !path.startsWith("/")) return "unsure";
  if (path.startsWith("//")) return "unsure";
  if (drive !== root.drive) return "no";
  const normal = normalise(drive ? path.toLowerCase() : path);
  return normal === root.path || normal.startsWith(root.path === "/" ? "/" : `${root.path}/`) ? "yes" : "no";
}

// Security: a server may decode "%2e%2e" or take "\" for "/"; a path is inside only when it is inside in every reading.
function readingsOf(value: string): readonly string[] | undefined {
  const readings = new Set<string>();
  let text = value;
  for (let i = 0; i <= MAX_DECODINGS; i++) {
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f]/.test(text)) return undefined;
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
