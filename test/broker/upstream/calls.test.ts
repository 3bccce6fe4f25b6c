// How calls end: limits, cancellation, what a server answers, and what a script gets of it.
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../contract/json.ts";
import { toCallValue } from "../../../broker/upstream/value.ts";
import { verifies } from "../../requirements.ts";
import { ask, names, never, open, rawServer, said, thrown, toolOf } from "./support.ts";

const schema = { type: "object" };
const many = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, inputSchema: schema }));

const received = async (upstream: ReturnType<typeof open>): Promise<string[]> =>
  (JSON.parse(await said(ask(upstream, "received"))) as { method: string }[]).map(({ method }) => method);

test(
  verifies("upstream:timeout", "a silent call ends at its limit, the server is told and goes on"),
  async () => {
    const upstream = open(rawServer());
    await names(upstream);
    expect(await thrown(ask(upstream, "hang", {}, { timeoutMs: 150 }))).toMatchObject({
      code: "CALL_TIMEOUT",
      retryable: true,
      message: "srv.hang gave no answer within 150 ms",
      data: { server: "srv", tool: "hang", sent: true },
    });
    expect(await received(upstream)).toContain("notifications/cancelled");
  },
);

test(verifies("upstream:timeout", "an answer that comes too late disturbs nothing"), async () => {
  const upstream = open(rawServer());
  await names(upstream);
  const calls = Array.from({ length: 5 }, () =>
    thrown(ask(upstream, "slow", { ms: 250 }, { timeoutMs: 100 })),
  );
  for (const failure of await Promise.all(calls)) expect(failure.code).toBe("CALL_TIMEOUT");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
});

test(verifies("upstream:timeout", "the configured limit of a server bounds its calls"), async () => {
  const upstream = open({ ...rawServer(), timeout: 2_000 });
  await names(upstream);
  const failure = await thrown(ask(upstream, "hang", {}, { timeoutMs: 600_000 }));
  expect(failure.message).toBe("srv.hang gave no answer within 2000 ms");
});

test(verifies("upstream:cancel", "a cancelled call ends at once, the server is told and kept"), async () => {
  const upstream = open(rawServer());
  const pid = await said(ask(upstream, "pid"));
  const abort = new AbortController();
  const call = thrown(ask(upstream, "slow", { ms: 60_000 }, { signal: abort.signal }));
  setTimeout(() => abort.abort(new Error("the run ended")), 50);
  expect(await call).toMatchObject({ code: "CALL_CANCELLED", retryable: false, data: { sent: true } });
  expect(await received(upstream)).toContain("notifications/cancelled");
  expect(await said(ask(upstream, "pid"))).toBe(pid);
});

test(
  verifies(["upstream:cancel", "upstream:sent"], "a call cancelled before it left was not sent"),
  async () => {
    const upstream = open(rawServer());
    const failure = await thrown(ask(upstream, "echo", {}, { signal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ code: "CALL_CANCELLED", data: { sent: false } });
    const starting = new AbortController();
    const early = thrown(ask(upstream, "echo", {}, { signal: starting.signal }));
    starting.abort();
    expect((await early).data["sent"]).toBe(false);
    expect(await said(ask(upstream, "echo"))).toBe("{}");
  },
);

test(
  verifies("upstream:progress", "progress keeps a call alive beyond its limit, each step is passed on"),
  async () => {
    const upstream = open(rawServer());
    await names(upstream);
    const steps: unknown[] = [];
    const call = upstream.call(
      toolOf("progress"),
      { steps: 6, everyMs: 150 },
      { signal: never, timeoutMs: 500, onProgress: (progress) => steps.push(progress) },
    );
    expect(await said(call)).toBe("progressed");
    expect(steps).toEqual(
      [1, 2, 3, 4, 5, 6].map((step) => ({ progress: step, total: 6, message: `step ${step}` })),
    );
  },
);

test(verifies("upstream:progress", "progress that comes with the answer is not lost"), async () => {
  const upstream = open(rawServer());
  await names(upstream);
  const steps: number[] = [];
  await upstream.call(
    toolOf("progress"),
    { steps: 3, everyMs: 0 },
    { signal: never, timeoutMs: 5_000, onProgress: ({ progress }) => steps.push(progress) },
  );
  expect(steps).toEqual([1, 2, 3]);
});

test(verifies("upstream:progress", "progress does not keep a call alive for ever"), async () => {
  const upstream = open(rawServer());
  await names(upstream);
  const call = ask(upstream, "progress", { steps: 1_000, everyMs: 20 }, { timeoutMs: 60 });
  expect((await thrown(call)).code).toBe("CALL_TIMEOUT");
});

test(verifies("upstream:meta", "nothing of the arguments reaches the metadata of a request"), async () => {
  const upstream = open(rawServer());
  const args = JSON.parse(
    '{"_meta":{"io.modelcontextprotocol/clientInfo":"evil"},"__proto__":{"a":1},"name":"other"}',
  ) as JsonObject;
  const params = JSON.parse(await said(ask(upstream, "meta", args))) as JsonObject;
  expect(Object.keys(params).toSorted()).toEqual(["_meta", "arguments", "name"]);
  expect(Object.keys(params["_meta"] as object)).toEqual(["progressToken"]);
  expect(params["name"]).toBe("meta");
  expect(JSON.stringify(params["arguments"])).toBe(JSON.stringify(args));
});

test.each<[string, JsonValue, JsonValue]>([
  ["an unknown kind of content", { content: [{ type: "hologram", x: 1 }] }, [{ type: "hologram", x: 1 }]],
  ["a block of the wrong kind", { content: [{ type: "text", text: 7 }] }, { type: "text", text: 7 }],
  ["no content", {}, []],
  ["null for structure", { content: [{ type: "text", text: "a" }], structuredContent: null }, "a"],
  ["a list as structure", { content: [], structuredContent: [1, 2] }, [1, 2]],
  [
    "own __proto__",
    { content: [], structuredContent: JSON.parse('{"__proto__":{"a":1}}') as JsonValue },
    JSON.parse('{"__proto__":{"a":1}}') as JsonValue,
  ],
  ["metadata", { content: [{ type: "text", text: "a" }], _meta: { x: 1 } }, "a"],
  ["text for a result", "plain", "plain"],
  ["a list for a result", [1, "x"], [1, "x"]],
  ["a number for a result", 0, 0],
  ["the oldest form", { toolResult: "old" }, "old"],
])(
  verifies("upstream:result-kept", "a result reaches the caller whatever its shape: %s"),
  async (_n, result, value) => {
    const upstream = open(rawServer());
    expect(JSON.stringify(toCallValue(await ask(upstream, "raw", { result })))).toBe(JSON.stringify(value));
  },
);

test.each<[string, JsonObject, string, number]>([
  ["as the specification has it", { error: { code: -32_603, message: "boom" } }, "boom", -32_603],
  ["text", { error: "boom" }, "boom", -32_603],
  ["without message", { error: { code: 5 } }, "the server reported an error without a message", 5],
  ["with a code that is no number", { error: { code: "E", message: "boom" } }, "boom", -32_603],
  ["beside a null result", { result: null, error: { code: 1, message: "boom" } }, "boom", 1],
])(
  verifies("upstream:result-kept", "an error is a tool error whatever its shape: %s"),
  async (_n, message, text, code) => {
    const upstream = open(rawServer());
    expect(await thrown(ask(upstream, "answer", { message }))).toMatchObject({
      code: "CALL_TOOL_ERROR",
      message: text,
      data: { server: "srv", tool: "answer", sent: true, rpcCode: code },
    });
  },
);

test(verifies("upstream:result-kept", "a result beside a null error is a result"), async () => {
  const upstream = open(rawServer());
  const message = { error: null, result: { content: [{ type: "text", text: "fine" }] }, extra: 1 };
  expect(await said(ask(upstream, "answer", { message }))).toBe("fine");
});

test(verifies("upstream:is-error", "isError is returned with everything in it, never thrown"), async () => {
  const upstream = open(rawServer());
  const result = { isError: true, content: [{ type: "text", text: "nope" }], structuredContent: { code: 7 } };
  expect(await ask(upstream, "raw", { result })).toEqual({ ...result, notes: [] });
});

test(
  verifies("upstream:unknown-tool", "both ways to say that a tool is gone make the list be read again"),
  async () => {
    const upstream = open(rawServer());
    let told = 0;
    upstream.onToolsChanged(() => (told += 1));
    await names(upstream);
    expect(await thrown(ask(upstream, "gone"))).toMatchObject({
      code: "CALL_TOOL_ERROR",
      data: { unknownTool: true, rpcCode: -32_602 },
    });
    await names(upstream);
    const text = "MCP error -32602: Tool raw not found";
    const result = await ask(upstream, "raw", {
      result: { isError: true, content: [{ type: "text", text }] },
    });
    expect(result.isError).toBe(true);
    expect(told).toBe(2);
  },
);

test(
  verifies("upstream:unknown-tool", "a failure that merely mentions something not found is no such sign"),
  async () => {
    const upstream = open(rawServer());
    let told = 0;
    upstream.onToolsChanged(() => (told += 1));
    await names(upstream);
    const text = `The raw file was not found. ${"It may have been moved. ".repeat(10)}`;
    await ask(upstream, "raw", { result: { isError: true, content: [{ type: "text", text }] } });
    expect(told).toBe(0);
  },
);

test(
  verifies("upstream:concurrency", "calls beyond the limit wait, those beyond the queue fail at once"),
  async () => {
    const upstream = open(rawServer(), { concurrency: 2, queue: 2 });
    await names(upstream);
    const order: number[] = [];
    const calls = [0, 1, 2, 3].map((n) => said(ask(upstream, "slow", { ms: 50 })).then(() => order.push(n)));
    const refused = await thrown(ask(upstream, "slow", { ms: 50 }));
    expect(refused).toMatchObject({
      code: "CALL_UPSTREAM_UNAVAILABLE",
      data: { sent: false },
      retryable: true,
    });
    await Promise.all(calls);
    expect(order).toEqual([0, 1, 2, 3]);
  },
);

test(verifies("upstream:concurrency", "a thousand calls at once all get their own answer"), async () => {
  const upstream = open(rawServer());
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => said(ask(upstream, "echo", { n }))),
  );
  expect(answers).toEqual(answers.map((_, n) => `{"n":${n}}`));
});

test(
  verifies("upstream:messages", "an error of the server is one bounded line without control characters"),
  async () => {
    const upstream = open({ ...rawServer(), env: { KEY: "s3cret-value" } });
    const text = `\u001b[2J bad\nkey s3cret-value ${"x".repeat(10_000)}`;
    const failure = await thrown(ask(upstream, "answer", { message: { error: { code: 1, message: text } } }));
    expect(failure.message).toMatch(/^\[2J bad key «redacted» x/);
    expect(failure.message.length).toBeLessThanOrEqual(2_000);
    expect(failure.message).not.toMatch(/[\u0000-\u001f]/);
  },
);

test(
  verifies(
    "upstream:list-cached",
    "a call refused for outdated headers is sent once more with the fresh definition",
  ),
  async () => {
    const upstream = open(rawServer({ failLists: 2 }));
    await names(upstream);
    expect(await said(ask(upstream, "mismatch"))).toBe("matched");
    // That a second list failed shows that it was asked for.
    expect(upstream.status().notes[0]).toContain("may be out of date");
  },
);

test(
  verifies("upstream:result-kept", "a result that nests without end is a failure, and harms nothing else"),
  async () => {
    const upstream = open(rawServer());
    let deep: JsonValue = 1;
    for (let at = 0; at < 3_000; at += 1) deep = [deep];
    const result = await ask(upstream, "raw", { result: { structuredContent: deep } });
    expect(result.isError).toBe(true);
    expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
  },
);

test(verifies("upstream:list-faulty", "a tool that nests without end costs itself only"), async () => {
  const upstream = open(rawServer());
  await names(upstream);
  let deep: JsonObject = schema;
  for (let at = 0; at < 1_000; at += 1) deep = { type: "object", properties: { a: deep } };
  const tools = [
    { name: "deep", inputSchema: deep },
    { name: "good", inputSchema: schema },
  ];
  await ask(upstream, "change", { tools });
  expect(await names(upstream)).toEqual(["good"]);
  expect(upstream.status().notes[0]).toMatch(/"deep" was dropped/);
});

test(verifies("upstream:list-faulty", "ten thousand tools on one page are read"), async () => {
  const upstream = open(rawServer());
  await names(upstream);
  await ask(upstream, "change", { tools: many(10_000) });
  expect(await names(upstream)).toHaveLength(10_000);
});
