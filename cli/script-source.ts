// Owns where a script comes from: a file, standard input, or the command line itself.
import { createReadStream } from "node:fs";
import { basename, resolve } from "node:path";
import type { Readable } from "node:stream";
import { CallgateError } from "../index.ts";
import { fileProblem, UsageError } from "./usage-error.ts";
import { bytes } from "./text/amount.ts";
import { visibleLine } from "./text/visible.ts";
import type { World } from "./world.ts";

export interface Script {
  /** As written: byte order mark, line ends and fences are the gate's to judge. */
  readonly text: string;
  /** How messages name it. */
  readonly name: string;
  /** Absent for a script that is no file. */
  readonly path?: string;
}

/** More than any script limit is meant for; reading stops here. */
const MOST_BYTES = 32 << 20;

/**
 * Throws UsageError when there is no script, two of them, or one that cannot be read or is not UTF-8, and
 * SCRIPT_TOO_LARGE above 32 MiB.
 */
export async function readScript(
  world: Pick<World, "cwd" | "stdin">,
  source: { readonly file: string | undefined; readonly inline: string | undefined },
): Promise<Script> {
  const { file, inline } = source;
  if (inline !== undefined) {
    if (file !== undefined) throw new UsageError("give a file or -e, not both");
    return { text: inline, name: "-e" };
  }
  if (file === undefined)
    throw new UsageError("no script: give a file, - for standard input, or -e '<script>'");
  if (file === "-") return { text: await readText(world.stdin, "standard input"), name: "stdin" };
  const path = resolve(world.cwd, file);
  return { text: await readText(createReadStream(path), visibleLine(file, 200)), name: basename(file), path };
}

async function readText(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_BYTES) break;
    }
  } catch (error) {
    throw new UsageError(`cannot read ${name}: ${fileProblem(error)}`);
  }
  if (size > MOST_BYTES)
    throw new CallgateError(
      "SCRIPT_TOO_LARGE",
      `${name} is larger than ${bytes(MOST_BYTES)}; let a tool read the data instead of writing it into the script`,
    );
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError(`cannot read ${name}: it is not UTF-8 text`);
  }
}
