// Owns the error of a command that was asked wrongly: exit code 2, nothing ran.
import type { ErrorCode } from "../index.ts";
import type { Text } from "./text/styled.ts";

export class UsageError extends Error {
  override readonly name: string = "UsageError";
  /** Shown below the message, such as the line of a file. */
  readonly detail: Text;
  /** Of docs/errors.md; undefined when the command line itself is wrong. */
  readonly code: ErrorCode | undefined;

  constructor(message: string, detail: Text = "", code?: ErrorCode) {
    super(message);
    this.detail = detail;
    this.code = code;
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "no permission"],
  ["EISDIR", "it is a folder, not a file"],
  ["ENOTDIR", "a part of the path is not a folder"],
  ["ENOSPC", "no space is left"],
  ["EDQUOT", "no space is left"],
  ["EROFS", "it is on a file system that is read-only"],
  ["EIO", "the device reports an error"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ELOOP", "too many symbolic links"],
]);

/** Why a file could not be read or written, in words. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS.get(code ?? "") ?? message;
}

/** The error, with a code unless it has one or is none of ours. */
export function withCode(error: unknown, code: ErrorCode): unknown {
  return error instanceof UsageError && error.code === undefined
    ? new UsageError(error.message, error.detail, code)
    : error;
}
