// Owns the lock file: accepted tool definitions as a text that people review and commit.
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { ownWords } from "./own-words.ts";

import { CallgateError } from "../contract/error.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { sorted } from "./pins-diff.ts";
import { HIDDEN } from "./plain-text.ts";
import { plain, quoted } from "./plain-text.ts";

export interface Pin {
  /** SHA-256 over the canonical JSON of the definition's pinned parts. */
  readonly sha256: string;
  /** What was accepted, to show what a change is. */
  readonly definition: ToolDefinition;
}

/** Server → raw tool name → pin. */
export type PinTable = ReadonlyMap<string, ReadonlyMap<string, Pin>>;

/** Where pins are kept. */
export interface PinStore {
  /** Undefined when there are none yet. */
  load(): Promise<PinTable | undefined>;
  save(table: PinTable): Promise<void>;
}

// Security: not z.record, which leaves out a key named __proto__, and so would forget a pin.
const object = z.custom<JsonObject>(isJsonObject, "expected an object");
const entry = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits"),
  definition: z.object({
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: object,
    outputSchema: object.optional(),
    annotations: object.optional(),
  }),
});
const shape = z.strictObject({ lockVersion: z.literal(1), servers: object });

/** Pins in one JSON file: sorted, replaced as a whole. Throws CONFIG_INVALID when it is there and cannot be used. */
export function createPinFile(path: string): PinStore {
  const invalid = (why: string, cause?: unknown): CallgateError =>
    new CallgateError("CONFIG_INVALID", `pins.file: ${quoted(path, 200)} cannot be used: ${why}`, {
      data: { path: "pins.file" },
      cause,
    });
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(path, "utf8");
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === "ENOENT") return undefined;
        throw invalid(code ?? message, error);
      }
      try {
        return parseTable(JSON.parse(text));
      } catch (error) {
        // Security: a lock file that cannot be read is no first use.
        const why = error instanceof z.ZodError ? firstIssue(error) : "not valid JSON";
        throw invalid(`${why}; restore it, or remove it to accept every tool as it is now`, error);
      }
    },
    async save(table) {
      const fresh = `${path}.${randomUUID().slice(0, 8)}.tmp`;
      try {
        await writeFile(fresh, pinText(table), { flag: "wx" });
        await rename(fresh, path);
      } catch (error) {
        await rm(fresh, { force: true }).catch(() => {});
        throw error;
      }
    },
  };
}

/** The text of the lock file: equal tables have equal text, and nothing in it is invisible. */
export function pinText(table: PinTable): string {
  const servers = Object.fromEntries(
    byName(table).map(([server, tools]) => [
      server,
      Object.fromEntries(
        byName(tools).map(([tool, { sha256, definition }]) => {
          const { server: _server, name: _name, ...parts } = definition;
          return [tool, { sha256, definition: sorted(parts as unknown as JsonObject) }];
        }),
      ),
    ]),
  );
  const text = JSON.stringify({ lockVersion: 1, servers }, null, 2);
  // Security: a reviewer must see what a definition holds. Invisible characters stand inside strings only.
  return `${text.replace(HIDDEN, (found) => (found === "\n" ? found : jsonEscape(found)))}\n`;
}

function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function byName<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function parseTable(value: unknown): PinTable {
  const { servers } = shape.parse(value, { error: ownWords });
  const table = new Map<string, ReadonlyMap<string, Pin>>();
  for (const [server, tools] of Object.entries(servers)) {
    const pins = new Map<string, Pin>();
    for (const [name, given] of Object.entries(object.parse(tools, { error: ownWords }))) {
      const { sha256, definition } = entry.parse(given, { error: ownWords });
      pins.set(name, {
        sha256,
        definition: { ...(definition as Omit<ToolDefinition, "server" | "name">), server, name },
      });
    }
    table.set(server, pins);
  }
  return table;
}

function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues;
  // Security: the names in it are whatever the file says.
  const place = plain(first?.path.map(String).join(".") ?? "", 120);
  return `${place === "" ? "" : `${place}: `}${plain(first?.message ?? "", 200)}`;
}
