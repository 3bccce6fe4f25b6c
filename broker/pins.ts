// Owns the pinning of tool definitions: what was accepted once is what may be called.
import { createHash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../contract/json.ts";
import { mcpMethod } from "../contract/methods.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { changedParts, diffDefinitions, PINNED_PARTS, type DiffLine } from "./pins-diff.ts";
import type { Pin, PinStore, PinTable } from "./pins-file.ts";
import { plain } from "./plain-text.ts";

/** A tool that is held back because its definition is not the accepted one. */
export interface PinChange {
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
  /** In a few words. */
  readonly reason: string;
  /** Of the definition that would be accepted. */
  readonly sha256: string;
  readonly diff: readonly DiffLine[];
}

export interface Pins {
  /**
   * Holds a server's tools against their pins and pins new ones. A changed tool comes back as it was accepted: what
   * the server says of it now reaches nobody but who reviews it.
   */
  admit(server: string, tools: readonly ToolDefinition[]): readonly ToolDefinition[];
  /** Why a tool may not be called, and what to do; undefined when it may. */
  quarantine(server: string, tool: string): string | undefined;
  changes(): readonly PinChange[];
  /** Accepts changes as they were shown; one that has changed again since stays quarantined. Resolves to their number. */
  accept(changes: readonly Pick<PinChange, "server" | "tool" | "sha256">[]): Promise<number>;
  /** Keeps what `admit` pinned. Never rejects: pins that cannot be kept hold for this process, with a note. */
  save(): Promise<void>;
  notes(): readonly string[];
}

interface Unsaved {
  readonly pin: Pin;
  /** A person decided it, so it replaces what is kept. */
  readonly decided: boolean;
}

interface Held {
  readonly reason: string;
  readonly before: ToolDefinition | undefined;
  readonly after: ToolDefinition;
}

const MAX_NAMES = 8;

/** SHA-256 over the canonical JSON of name, title, description, schemas and annotations. */
export function pinHash(tool: ToolDefinition): string {
  const parts: Record<string, unknown> = { name: tool.name };
  for (const part of PINNED_PARTS) if (tool[part] !== undefined) parts[part] = tool[part];
  return createHash("sha256")
    .update(canonicalJson(parts as JsonObject))
    .digest("hex");
}

/** `exempt`: servers that are not pinned, being functions of the host itself. Throws what the store's `load` throws. */
export async function createPins(options: {
  readonly store: PinStore;
  readonly exempt: ReadonlySet<string>;
}): Promise<Pins> {
  const { store, exempt } = options;
  const table = copy(await store.load());
  const known = new Set(table.keys());
  const held = new Map<string, Map<string, Held>>();
  const unsaved = new Map<string, Map<string, Unsaved>>();
  let keeping: Promise<void> = Promise.resolve();
  const added = new Map<string, string[]>();
  let unkept: string | undefined;

  function pin(server: string, tool: ToolDefinition, decided: boolean): void {
    const fresh = { sha256: pinHash(tool), definition: tool };
    inner(table, server).set(tool.name, fresh);
    inner(unsaved, server).set(tool.name, { pin: fresh, decided });
  }

  function admitOne(server: string, tool: ToolDefinition): ToolDefinition {
    const before = table.get(server)?.get(tool.name);
    if (before === undefined) {
      pin(server, tool, false);
      if (known.has(server)) inner(added, server, () => []).push(tool.name);
      return tool;
    }
    // Security: a pin whose own parts disagree was edited by hand, and vouches for nothing.
    const sound = pinHash(before.definition) === before.sha256;
    if (sound && before.sha256 === pinHash(tool)) return tool;
    const reason = sound
      ? `its ${changedParts(before.definition, tool)} changed since it was accepted`
      : "its entry in the lock file contradicts itself";
    inner(held, server).set(tool.name, {
      reason,
      before: sound ? before.definition : undefined,
      after: tool,
    });
    return sound ? before.definition : { server, name: tool.name, inputSchema: { type: "object" } };
  }

  return {
    admit(server, tools) {
      if (exempt.has(server)) return tools;
      held.delete(server);
      const admitted = tools.map((tool) =>
        // What stands for resources and prompts is no definition of the server's.
        mcpMethod(tool.name) === undefined ? admitOne(server, tool) : tool,
      );
      known.add(server);
      return admitted;
    },
    quarantine(server, tool) {
      const found = held.get(server)?.get(tool);
      return found && `${found.reason}; callgate trust ${shellWord(server)} shows how, and accepts it`;
    },
    changes: () =>
      [...held].flatMap(([server, tools]) =>
        [...tools].map(([tool, { reason, before, after }]) => ({
          server,
          tool,
          reason,
          sha256: pinHash(after),
          diff: diffDefinitions(before, after),
        })),
      ),
    async accept(changes) {
      let count = 0;
      for (const { server, tool, sha256 } of changes) {
        const found = held.get(server)?.get(tool);
        if (found === undefined || pinHash(found.after) !== sha256) continue;
        pin(server, found.after, true);
        held.get(server)?.delete(tool);
        count += 1;
      }
      await keep();
      return count;
    },
    async save() {
      try {
        await keep();
        unkept = undefined;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        unkept = plain(code ?? message, 200);
      }
    },
    notes() {
      return [
        ...[...held].flatMap(([server, tools]) =>
          [...tools].map(
            ([tool, { reason }]) =>
              `${plain(`${server}.${tool}`)} is quarantined: ${reason}; see callgate trust ${shellWord(server)}`,
          ),
        ),
        ...[...added].map(([server, names]) => `new tools of ${plain(server)} were pinned: ${listed(names)}`),
        ...(unkept === undefined ? [] : [`pins cannot be kept, they hold for this process only: ${unkept}`]),
      ];
    },
  };

  function keep(): Promise<void> {
    const kept = keeping.then(keepNow);
    keeping = kept.catch(() => {});
    return kept;
  }

  /** Adds to what is kept now: another process may have pinned meanwhile, and what it pinned stays. */
  async function keepNow(): Promise<void> {
    const mine = [...unsaved].flatMap(([server, pins]) =>
      [...pins].map(([tool, one]) => ({ server, tool, ...one })),
    );
    if (mine.length === 0) return;
    const kept = copy(await store.load());
    for (const { server, tool, pin: one, decided } of mine)
      if (decided || !(kept.get(server)?.has(tool) ?? false)) inner(kept, server).set(tool, one);
    await store.save(kept);
    for (const { server, tool, pin: one } of mine)
      if (unsaved.get(server)?.get(tool)?.pin === one) unsaved.get(server)?.delete(tool);
  }
}

function inner<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V>;
function inner<V>(map: Map<string, V>, key: string, make: () => V): V;
function inner(map: Map<string, unknown>, key: string, make: () => unknown = () => new Map()): unknown {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

function copy(table: PinTable | undefined): Map<string, Map<string, Pin>> {
  return new Map([...(table ?? [])].map(([server, pins]) => [server, new Map(pins)]));
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => plain(name));
  return names.length > MAX_NAMES
    ? `${shown.join(", ")} and ${names.length - MAX_NAMES} more`
    : shown.join(", ");
}

function shellWord(name: string): string {
  const shown = plain(name);
  return /^[\w.@/-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
