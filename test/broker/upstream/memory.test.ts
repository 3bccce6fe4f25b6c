// How long a kept list holds, at one upstream with a clock that stands still.
import { expect, test } from "vitest";
import type { CatalogEntry, CatalogStore } from "../../../broker/upstream/catalog-store.ts";
import { catalogKey } from "../../../broker/upstream/catalog-store.ts";
import type { McpServerConfig } from "../../../broker/upstream/config.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { createMcpUpstream } from "../../../broker/upstream/mcp.ts";
import { verifies } from "../../requirements.ts";
import { stated, tool } from "../../gate/catalog-support.ts";
import { ask, countingSpawn, never, open, rawServer } from "./support.ts";

const DAY = 86_400_000;

function memoryOf(): { readonly store: CatalogStore; readonly kept: Map<string, CatalogEntry> } {
  const kept = new Map<string, CatalogEntry>();
  const store: CatalogStore = {
    load: (key) => Promise.resolve(kept.get(key)),
    save: (key, entry) => Promise.resolve(void kept.set(key, entry)),
    notes: () => [],
  };
  return { store, kept };
}

/** The age of a list that was read at time 0, at another time and in another process. */
async function ageAt(config: McpServerConfig, at: number): Promise<ReturnType<Upstream["age"]>> {
  const { store } = memoryOf();
  const at0 = 1_000_000;
  {
    await using keeping = createMcpUpstream("srv", config, { memory: { store, now: () => at0 } });
    await keeping.tools({ signal: never });
  }
  await using later = createMcpUpstream("srv", config, { memory: { store, now: () => at0 + at } });
  await later.tools({ signal: never, accept: "known" });
  return later.age();
}

test.each([
  ["modern", 5_000, 4_999, false],
  ["modern", 5_000, 5_000, true],
  ["modern", 0, 0, true],
  ["modern", -5, 0, true],
  ["modern", 10 * DAY, DAY - 1, false],
  ["modern", 10 * DAY, DAY, true],
  ["modern", 5_000, -1, true],
  ["legacy", 5_000, DAY - 1, false],
  ["legacy", 5_000, DAY, true],
] as const)(
  verifies("lazy:ttl", "a list of a %s server that says %i ms is %i ms later out of date: %s"),
  async (era, ttlMs, at, outdated) => {
    const { config } = stated({ era, ttlMs });
    expect(await ageAt(config, at)).toMatchObject({
      known: true,
      outdated,
      confirmed: false,
      stated: era === "modern",
    });
  },
);

test(
  verifies("lazy:ttl", "a connected server that promises to tell of changes is believed past its time"),
  async () => {
    let now = 0;
    const { store } = memoryOf();
    const upstream = open(rawServer(), { memory: { store, now: () => now } });
    await upstream.tools({ signal: never });
    now = 10 * DAY;
    expect(upstream.age()).toMatchObject({ outdated: false, confirmed: true });
    await ask(upstream, "change", { tools: [tool("one")] as never });
    expect(upstream.age().outdated).toBe(true);
  },
);

test(
  verifies("lazy:list-changed", "what list_changed says is kept at once, before the list is read again"),
  async () => {
    const { store, kept } = memoryOf();
    const upstream = open(rawServer(), { memory: { store } });
    await upstream.tools({ signal: never });
    await ask(upstream, "change", { tools: [tool("one")] as never });
    await expect.poll(() => [...kept.values()].map(({ changed }) => changed)).toEqual([true]);
    await upstream.tools({ signal: never });
    await expect.poll(() => [...kept.values()].map(({ changed }) => changed)).toEqual([false]);
  },
);

test(
  verifies("lazy:no-start", "a kept list is read once, however many ask, and starts nothing"),
  async () => {
    const { store, kept } = memoryOf();
    const { spawn, pids } = countingSpawn();
    const config = { ...rawServer(), env: { A: "1" } };
    const upstream = open(config, {
      spawn,
      memory: { store: { ...store, load: () => Promise.resolve(entry) } },
    });
    const lists = await Promise.all(
      Array.from({ length: 20 }, () => upstream.tools({ signal: never, accept: "known" })),
    );
    expect(new Set(lists).size).toBe(1);
    expect(lists[0]?.map(({ name }) => name)).toEqual(["kept"]);
    expect([pids.length, kept.size]).toEqual([0, 0]);
  },
);

const entry: CatalogEntry = {
  tools: [{ name: "kept", inputSchema: { type: "object" } }],
  notes: [],
  era: "legacy",
  listedAt: Date.now(),
  ttlMs: null,
  changed: false,
};

test(
  verifies(
    "lazy:contexts",
    "whoever a list was read for is part of its key, and so is every word of the entry",
  ),
  () => {
    const base: McpServerConfig = {
      type: "http",
      url: "https://example.com/mcp",
      headers: { A: "1", B: "2" },
    };
    const others: readonly (readonly [McpServerConfig, string])[] = [
      [base, "somebody"],
      [{ ...base, headers: { A: "2", B: "2" } }, ""],
      [{ ...base, headers: { A: "1" } }, ""],
      [{ ...base, url: "https://example.com/other" }, ""],
      [{ ...base, protocolEra: "legacy" }, ""],
      [{ ...base, type: "sse" }, ""],
      [{ ...base, oauth: { clientId: "x" } } as McpServerConfig, ""],
      [{ command: "x" }, ""],
      [{ command: "x", args: ["y"] }, ""],
      [{ command: "x", args: ["y"], cwd: "/z" }, ""],
      [{ command: "x", env: { A: "1" } }, ""],
    ];
    const keys = [catalogKey(base, ""), ...others.map(([config, context]) => catalogKey(config, context))];
    expect(new Set(keys).size).toBe(keys.length);
    const same = { headers: { B: "2", A: "1" }, url: "https://example.com/mcp", type: "http" } as const;
    expect(catalogKey({ ...same, timeout: 5, concurrency: 2 }, "")).toBe(keys[0]);
  },
);
