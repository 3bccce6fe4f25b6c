// Owns the measuring of openings: lists kept once, then a process for each opening.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createCallgate } from "../../index.ts";

const serverFile: string = fileURLToPath(new URL("server.mjs", import.meta.url));
const openingFile: string = fileURLToPath(new URL("opening.ts", import.meta.url));
const SERVERS = 50;
const TOOLS = 30;
/** Servers started at a time to keep their lists, so that none is too slow for the opening that lists it. */
const AT_A_TIME = 10;

export interface Opening {
  readonly importMs: number;
  readonly readyMs: number;
  readonly searchMs: number;
  readonly tools: number;
  /** Processes of the gate itself: its worker. */
  readonly children: number;
}

/** `started`: processes of servers that all openings together started. */
export async function measureOpenings(
  rounds: number,
): Promise<{ readonly openings: readonly Opening[]; readonly started: number }> {
  const folder = mkdtempSync(join(tmpdir(), "callgate-bench-"));
  try {
    const log = join(folder, "log");
    const names = Array.from({ length: SERVERS }, (_, at) => `server${at}`);
    const servers = Object.fromEntries(
      names.map((name) => [
        name,
        { command: process.execPath, args: [serverFile, "stdio", String(TOOLS), log, name] },
      ]),
    );
    const lists = join(folder, "lists");
    for (let at = 0; at < SERVERS; at += AT_A_TIME) {
      const some = names.slice(at, at + AT_A_TIME).map((name) => [name, servers[name]] as const);
      const gate = await createCallgate({
        servers: Object.fromEntries(some),
        catalogCache: { folder: lists },
      });
      await gate[Symbol.asyncDispose]();
    }
    const before = starts(log);
    const openings: Opening[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        openingFile,
        lists,
        JSON.stringify(servers),
      ]);
      openings.push(JSON.parse(stdout) as Opening);
    }
    const wrong = openings.find(({ tools }) => tools !== SERVERS * TOOLS);
    if (wrong !== undefined) throw new Error(`an opening knew ${wrong.tools} tools`);
    return { openings, started: starts(log) - before };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function starts(log: string): number {
  return readFileSync(log, "utf8").split("\n").length - 1;
}
