// Owns what the tools of all upstreams are: who is asked when, what is admitted, and what a call finds.
import type { CallError, CallRequest } from "../contract/call.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import type { FoundTool } from "./call-context.ts";
import type { Pins } from "./pins.ts";
import { callError, callName } from "./refusal.ts";
import { tracked, type Tracked } from "./tracked.ts";
import { raced, settledWithin, systemClock } from "./upstream/clock.ts";
import { createDeadline } from "./upstream/deadline.ts";
import type { Accept, Upstream } from "./upstream/upstream.ts";

const LIST_WAIT_MS = 10_000;

/** A server whose tools are not there, with the reason in one line. */
export interface MissingServer {
  readonly server: string;
  readonly reason: string;
  /** It was there, and is not any more. */
  readonly removed?: boolean;
}

export interface ToolLists extends AsyncDisposable {
  /**
   * Lists the tools of every upstream, all at once; one that fails or takes too long contributes none and says so in
   * its status. The list of a server that is `needed` is of now; of the others a remembered one will do.
   */
  load(options: { readonly needed?: (server: string) => boolean }): Promise<void>;
  upstreams(): readonly Upstream[];
  /** As last listed, in the order of the upstreams. */
  tools(): readonly ToolDefinition[];
  /** Servers whose list is missing, or older than its server says that it holds. */
  outdated(): readonly string[];
  missing(): readonly MissingServer[];
  /** True when a server that asked for a sign-in may have got it: tools should be listed again. */
  revived(): Promise<boolean>;
  onChanged(listener: () => void): void;
  /** The tool as it was last listed. */
  known(server: string, tool: string): ToolDefinition | undefined;
  /** The tool as its server defines it now, as far as that must be known for a call. Never rejects. */
  find(request: CallRequest, signal: AbortSignal, timeoutMs: number): Promise<FoundTool>;
  /** One more upstream; its tools are listed with the next `load`. */
  add(upstream: Upstream): void;
  /** Takes an upstream out. Resolves when it is closed; undefined when there is none. */
  remove(server: string, inFlight: "finish" | "cancel"): Promise<void> | undefined;
}

interface Entry {
  readonly upstream: Tracked;
  /** By raw name; undefined before the first list. */
  definitions?: ReadonlyMap<string, ToolDefinition>;
  /** What `definitions` was made of. */
  listed?: readonly ToolDefinition[];
  listing?: { readonly done: Promise<void>; readonly since: number; readonly accept: Accept };
  confirming?: Promise<void>;
}

export function createToolLists(
  given: readonly Upstream[],
  options: {
    readonly pins: Pins | undefined;
    /** How long opening a gate, or the next run after a change, waits for one server's list, ms. @defaultValue 10 000 */
    readonly waitMs?: number | undefined;
  },
): ToolLists {
  const { pins, waitMs = LIST_WAIT_MS } = options;
  const entries = new Map<string, Entry>();
  const removed = new Set<string>();
  const listeners = new Set<() => void>();
  const life = new AbortController();
  const tell = (): void => listeners.forEach((listener) => listener());

  async function list(entry: Entry, accept: Accept): Promise<void> {
    const { upstream } = entry;
    try {
      const listed = await upstream.tools({ signal: life.signal, accept });
      // Taken out meanwhile, and perhaps another one has its name.
      if (entries.get(upstream.server) !== entry) return;
      entry.listed = listed;
      const tools = pins?.admit(upstream.server, listed) ?? listed;
      entry.definitions = new Map(tools.map((tool) => [tool.name, tool]));
      await pins?.save();
    } catch {
      // The upstream's status says why; its last known tools, if any, stay callable.
    }
  }

  /** A slow server is waited for once, and not for long; its tools appear when it has told them. */
  async function loadOne(entry: Entry, accept: Accept): Promise<void> {
    // What is content with an old list is quick, and not what this caller needs.
    if (accept === "current" && entry.listing?.accept === "known") await waitFor(entry.listing);
    if (entry.listing === undefined) {
      const listing = { done: list(entry, accept), since: systemClock.now(), accept };
      entry.listing = listing;
      void listing.done.finally(() => {
        delete entry.listing;
        if (systemClock.now() - listing.since >= waitMs) tell();
      });
    }
    await waitFor(entry.listing);
  }

  async function waitFor({ done, since }: NonNullable<Entry["listing"]>): Promise<void> {
    await settledWithin(systemClock, done, waitMs - (systemClock.now() - since));
  }

  /**
   * Has a server say what its tools are before the first call that goes by a remembered list. Undefined when the call
   * need not wait for it. Security: it must when tools are pinned, or a changed tool could be called through its old
   * definition.
   */
  function confirming(entry: Entry): Promise<void> | undefined {
    const { known, outdated, confirmed, stated } = entry.upstream.age();
    if (confirmed || !known) return undefined;
    const mustWait = pins !== undefined || outdated;
    if (!mustWait && stated) return undefined;
    const before = entry.listed;
    entry.confirming ??= list(entry, "confirmed").finally(() => {
      delete entry.confirming;
      if (entry.listed !== before) tell();
    });
    return mustWait ? entry.confirming : undefined;
  }

  async function confirmed(
    entry: Entry,
    request: CallRequest,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<CallError | undefined> {
    const waiting = confirming(entry);
    if (waiting !== undefined) {
      using deadline = createDeadline({ signals: [signal], timeoutMs, clock: systemClock });
      try {
        await raced(waiting, deadline.signal);
      } catch {
        if (deadline.ended() === "cancelled") return callError("CALL_CANCELLED", request, "The run ended.");
        const text = `${callName(request)} was not called: its server did not list its tools within ${timeoutMs} ms.`;
        return callError("CALL_TIMEOUT", request, text);
      }
    }
    const { upstream } = entry;
    if (pins === undefined || upstream.age().confirmed) return undefined;
    const why = upstream.status().error ?? "its tools could not be listed";
    const text = `${callName(request)} was not called: its definition could not be held against its pin, since ${upstream.server} is not available: ${why}`;
    return callError("CALL_UPSTREAM_UNAVAILABLE", request, text);
  }

  function add(upstream: Upstream): void {
    const entry = { upstream: tracked(upstream) };
    entries.set(upstream.server, entry);
    removed.delete(upstream.server);
    upstream.onToolsChanged(tell);
  }
  for (const upstream of given) add(upstream);

  return {
    async load({ needed = () => false }) {
      const all = [...entries].map(([server, entry]) => loadOne(entry, needed(server) ? "current" : "known"));
      await Promise.all(all);
    },
    upstreams: () => [...entries.values()].map(({ upstream }) => upstream),
    tools: () => [...entries.values()].flatMap(({ definitions }) => [...(definitions?.values() ?? [])]),
    outdated: () =>
      [...entries].filter(([, { upstream }]) => upstream.age().outdated).map(([server]) => server),
    missing: () => [
      ...[...removed].map((server) => ({ server, reason: "was removed from the gate", removed: true })),
      ...[...entries]
        .filter(([, { definitions }]) => definitions === undefined)
        .map(([server, { upstream, listing }]) => ({
          server,
          reason:
            listing !== undefined
              ? "its tools have not been listed yet; try again in a moment"
              : (upstream.status().error ?? "its tools could not be listed"),
        })),
    ],
    async revived() {
      const answers = await Promise.all(
        [...entries.values()].map(async ({ upstream }) => upstream.revived?.()),
      );
      return answers.includes(true);
    },
    onChanged: (listener) => void listeners.add(listener),
    known: (server, tool) => entries.get(server)?.definitions?.get(tool),
    async find(request, signal, timeoutMs) {
      const { server, tool } = request;
      if (removed.has(server)) {
        const text = `${callName(request)} is gone: its server was removed from the gate.`;
        return { error: callError("CALL_UNKNOWN_TOOL", request, text) };
      }
      const entry = entries.get(server);
      if (entry?.definitions?.has(tool) !== true) return undefined;
      const error = await confirmed(entry, request, signal, timeoutMs);
      if (error !== undefined) return { error };
      const definition = entry.definitions.get(tool);
      if (definition !== undefined) return { definition, upstream: entry.upstream };
      const text = `${callName(request)} is gone: its server has changed its list since it was last read. Use catalog.search(query) in the next run.`;
      return { error: callError("CALL_UNKNOWN_TOOL", request, text) };
    },
    add,
    remove(server, inFlight) {
      const entry = entries.get(server);
      if (entry === undefined) return undefined;
      entries.delete(server);
      removed.add(server);
      pins?.admit(server, []);
      return entry.upstream.retire(inFlight);
    },
    async [Symbol.asyncDispose]() {
      life.abort();
      await Promise.allSettled([...entries.values()].map(({ upstream }) => upstream[Symbol.asyncDispose]()));
    },
  };
}
