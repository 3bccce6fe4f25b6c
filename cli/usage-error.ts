// Owns the error of a command that was asked wrongly: exit code 2, nothing ran.
import type { Text } from "./text/styled.ts";

export class UsageError extends Error {
  override readonly name: string = "UsageError";
  /** Shown below the message, such as the line of a file. */
  readonly detail: Text;

  constructor(message: string, detail: Text = "") {
    super(message);
    this.detail = detail;
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "no permission to read it"],
  ["EISDIR", "it is a folder, not a file"],
  ["ENOTDIR", "a part of the path is not a folder"],
  ["ELOOP", "too many symbolic links"],
]);

/** Why a file could not be read or written, in words. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS.get(code ?? "") ?? message;
}
