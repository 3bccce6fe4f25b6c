// How tool lists are read: pages, changes, outages, limits.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../contract/json.ts";
import { verifies } from "../../requirements.ts";
import { ask, names, never, open, rawServer, thrown, toolOf } from "./support.ts";

const schema = { type: "object" };
const many = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, inputSchema: schema }));

test.each(["index", "empty", "loop", "null"])(
  verifies("upstream:list-pages", "all pages are read, with cursors of kind: %s"),
  async (cursors) => {
    const count = cursors === "empty" ? 10 : cursors === "null" ? 5 : 330;
    const upstream = open(rawServer({ tools: many(count), pageSize: 5, cursors }));
    expect(await names(upstream)).toEqual(many(count).map(({ name }) => name));
    expect(upstream.status().notes).toHaveLength(cursors === "loop" ? 1 : 0);
  },
);

test(verifies("upstream:list-pages", "empty pages with ever new cursors end after a thousand"), async () => {
  const upstream = open(rawServer({ tools: many(3), pageSize: 5, cursors: "endless" }));
  expect(await names(upstream)).toHaveLength(3);
  expect(upstream.status().notes).toEqual(["the tool list has more than 1000 pages; the rest was not read"]);
});

test(
  verifies("upstream:list-faulty", "one faulty tool among good ones costs itself and is named"),
  async () => {
    const tools = [
      { name: "a", inputSchema: schema },
      { name: "no_schema" },
      { name: "empty_schema", inputSchema: {} },
      { name: "null_text", inputSchema: schema, description: null },
      { name: "lying", inputSchema: schema, annotations: { readOnlyHint: "yes" } },
      { name: "array_output", inputSchema: schema, outputSchema: { type: "array", items: {} } },
      { name: "bad_regex", inputSchema: schema, outputSchema: { type: "object", pattern: "(" } },
      { name: "remote", inputSchema: schema, outputSchema: { $ref: "http://127.0.0.1:9/x.json" } },
      { inputSchema: schema },
      { name: "listed", inputSchema: { type: "array" } },
      { name: "a", inputSchema: schema, description: "again" },
      "text",
      { name: "z", inputSchema: schema },
    ];
    const upstream = open(rawServer({ tools }));
    expect(await names(upstream)).toEqual([
      "a",
      "no_schema",
      "empty_schema",
      "null_text",
      "lying",
      "array_output",
      "bad_regex",
      "remote",
      "z",
    ]);
    const notes = upstream.status().notes.join("\n");
    for (const part of ['"listed" was dropped', "number 9 was dropped", '"a" is listed twice', "number 12"]) {
      expect(notes).toContain(part);
    }
  },
);

test(
  verifies("upstream:result-kept", "a tool whose output schema is broken can still be called"),
  async () => {
    const outputSchema = { type: "object", properties: { a: { pattern: "(" } }, required: ["missing"] };
    const upstream = open(rawServer({ tools: [{ name: "raw", inputSchema: schema, outputSchema }] }));
    const [tool] = await upstream.tools({ signal: never });
    expect(tool?.outputSchema).toEqual(outputSchema);
    const result = await upstream.call(
      tool ?? toolOf("raw"),
      { result: { content: [], structuredContent: { other: 1 } } },
      { signal: never, timeoutMs: 5_000 },
    );
    expect(result.structuredContent).toEqual({ other: 1 });
  },
);

test(
  verifies("upstream:list-cached", "the list is read once, and again when the server says so"),
  async () => {
    const upstream = open(rawServer());
    let told = 0;
    upstream.onToolsChanged(() => (told += 1));
    const first = await upstream.tools({ signal: never });
    expect(await upstream.tools({ signal: never })).toBe(first);
    const tools = [...many(89), { name: "change", inputSchema: schema }];
    await ask(upstream, "change", { tools });
    await ask(upstream, "change", { tools });
    expect(told).toBe(1);
    expect(await names(upstream)).toHaveLength(90);
    await ask(upstream, "change", { tools: [] });
    expect(told).toBe(2);
    expect(await names(upstream)).toEqual([]);
  },
);

test(
  verifies("upstream:list-outage", "a list that cannot be read again is served as it was, marked as old"),
  async () => {
    const upstream = open(rawServer({ failLists: 2 }));
    const before = await names(upstream);
    await ask(upstream, "change", { tools: [] });
    expect(await names(upstream)).toEqual(before);
    expect(upstream.status().notes[0]).toMatch(/may be out of date:.*the database is away/);
  },
);

test(
  verifies("upstream:list-outage", "a dead server's list is served when it cannot be started again"),
  async () => {
    const config = rawServer();
    let broken = false;
    const { spawn } = await import("node:child_process");
    const upstream = open(config, {
      spawn: ((command: string, ...rest: []) =>
        spawn(broken ? "no-such-command-here" : command, ...rest)) as typeof spawn,
    });
    const before = await names(upstream);
    broken = true;
    await thrown(ask(upstream, "die"));
    expect(await names(upstream)).toEqual(before);
    expect(upstream.status().notes[0]).toMatch(/may be out of date/);
    expect((await thrown(ask(upstream, "echo"))).code).toBe("CALL_UPSTREAM_UNAVAILABLE");
  },
);

test(verifies("upstream:list-outage", "a first list that fails is an error that says so"), async () => {
  const failure = await thrown(names(open(rawServer({ failLists: 1 }))));
  expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE" });
  expect(failure.message).toMatch(/does not list its tools: the database is away/);
});

test(verifies("upstream:timeout", "a list that does not come ends at its limit"), async () => {
  const failure = await thrown(names(open(rawServer({ slowLists: 5_000 }), { listTimeoutMs: 200 })));
  expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE" });
  expect(failure.message).toMatch(/did not list its tools within 200 ms/);
});

test(
  verifies("upstream:cancel", "one who stops waiting for a list does not spoil it for others"),
  async () => {
    const upstream = open(rawServer({ slowLists: 300 }));
    const abort = new AbortController();
    const [gone, list] = [thrown(upstream.tools({ signal: abort.signal })), names(upstream)];
    abort.abort();
    expect((await gone).code).toBe("CALL_CANCELLED");
    expect(await list).toContain("echo");
  },
);
