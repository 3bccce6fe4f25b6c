// Owns what the command line takes from outside: arguments, environment, folder, streams.
import type { Readable, Writable } from "node:stream";

export interface Input extends Readable {
  readonly isTTY?: boolean | undefined;
  setRawMode?(on: boolean): unknown;
}

export interface Output extends Writable {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface World {
  /** Without the program's own name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Home folder of the person; empty when there is none. */
  readonly home: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly version: string;
  readonly nodeVersion: string;
}
