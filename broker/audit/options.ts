// Owns what may be given as `audit`, and the sink it makes.
import { CallgateError } from "../../contract/error.ts";
import type { AuditBodies, AuditSink } from "./entry.ts";
import { createAuditFile } from "./file.ts";

/** A log in a file. */
export interface AuditFileOptions {
  /** Path of a JSON Lines file. It is made (mode 0600), or gone on with. */
  readonly file: string;
  /**
   * Of scripts, arguments and results: their size only, also the SHA-256 (short values can be guessed from it), or also
   * the redacted value, the first 64,000 characters. @defaultValue "hash"
   */
  readonly bodies?: AuditBodies;
}

/** The sink in use; disposing closes a file, and leaves a sink of the caller alone. */
export interface OpenAudit extends AsyncDisposable {
  readonly sink: AuditSink | undefined;
  readonly bodies: AuditBodies;
}

const BODIES: readonly AuditBodies[] = ["none", "hash", "redacted"];

/** Throws CONFIG_INVALID. A sink of the caller gets bodies as "hash". */
export async function openAudit(given: AuditFileOptions | AuditSink | undefined): Promise<OpenAudit> {
  const nothing = (): Promise<void> => Promise.resolve();
  if (given === undefined) return { sink: undefined, bodies: "none", [Symbol.asyncDispose]: nothing };
  const value: unknown = given;
  if (typeof value !== "object" || value === null) throw invalid("audit", "an object with file, or a sink");
  if ("append" in given) {
    if (typeof given.append !== "function") throw invalid("audit.append", "a function");
    return { sink: given, bodies: "hash", [Symbol.asyncDispose]: nothing };
  }
  const { file, bodies = "hash", ...rest } = given;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw invalid(`audit.${unknown.slice(0, 80)}`, "nothing; there are file and bodies");
  if (typeof file !== "string" || file === "" || file.includes("\0")) throw invalid("audit.file", "a path");
  if (!BODIES.includes(bodies)) throw invalid("audit.bodies", '"none", "hash" or "redacted"');
  const sink = await createAuditFile(file);
  return { sink, bodies, [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose]() };
}

function invalid(path: string, expected: string): CallgateError {
  return new CallgateError("CONFIG_INVALID", `${path}: expected ${expected}`, { data: { path } });
}
