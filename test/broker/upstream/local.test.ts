// Local functions as an upstream like any other.
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createLocalUpstream, defineTool, type LocalTool } from "../../../broker/upstream/local.ts";
import type { Upstream, UpstreamResult } from "../../../broker/upstream/upstream.ts";
import { toCallValue } from "../../../broker/upstream/value.ts";
import type { JsonObject, JsonValue } from "../../../contract/json.ts";
import { verifies } from "../../requirements.ts";
import { ask, never, textOf } from "./support.ts";

const anything = { type: "object" } as const;
const local = (tools: Record<string, LocalTool>): Upstream => createLocalUpstream("local", tools);
const returning = (value: () => unknown): Upstream =>
  local({ t: { description: "", input: anything, run: value } });
const result = (value: () => unknown): Promise<UpstreamResult> => ask(returning(value), "t");

test(verifies("upstream:local", "zod schemas become the schemas of the tool"), async () => {
  const upstream = local({
    add: defineTool({
      description: "Adds",
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      output: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
      run: ({ a, b }) => ({ sum: a + b }),
    }),
  });
  const [tool] = await upstream.tools({ signal: never });
  expect(tool).toMatchObject({
    server: "local",
    name: "add",
    description: "Adds",
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    outputSchema: { type: "object", properties: { sum: { type: "number" } } },
  });
  expect(toCallValue(await ask(upstream, "add", { a: 2 }))).toEqual({ sum: 3 });
});

test(verifies("upstream:local", "the types of run follow from the zod schemas"), () => {
  defineTool({
    description: "",
    input: z.object({ name: z.string(), tags: z.array(z.string()).optional() }),
    output: z.object({ id: z.number() }),
    run(input, context) {
      expectTypeOf(input).toEqualTypeOf<{ name: string; tags?: string[] | undefined }>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      return { id: input.name.length };
    },
  });
  defineTool({ description: "", input: z.object({ a: z.number() }), run: async ({ a }) => a + 1 });
  defineTool({ description: "", input: { type: "object" }, run: (input: { free: string }) => input.free });
  defineTool({
    description: "",
    input: z.object({}),
    output: z.object({ id: z.number() }),
    // @ts-expect-error the output does not match its schema
    run: () => ({ id: "x" }),
  });
});

test(
  verifies("upstream:local", "a plain JSON Schema is taken as it is, completed with its type"),
  async () => {
    const upstream = local({
      a: { description: "", input: { properties: { q: { type: "string" } } }, run: (input) => input },
      b: { description: "", input: anything, output: { type: "array" }, run: () => [1] },
    });
    const [a, b] = await upstream.tools({ signal: never });
    expect(a?.inputSchema).toEqual({ type: "object", properties: { q: { type: "string" } } });
    expect(b?.outputSchema).toEqual({ type: "array" });
    expect(toCallValue(await ask(upstream, "a", { q: "x" }))).toEqual({ q: "x" });
  },
);

test.each<[string, Record<string, LocalTool>, RegExp]>([
  [
    "a name with a space",
    { "a b": { description: "", input: anything, run: () => 1 } },
    /tools\.local\.a b: /,
  ],
  [
    "a list as input",
    { a: { description: "", input: z.array(z.string()), run: () => 1 } },
    /a\.input: must be the schema of an object/,
  ],
  [
    "text as input",
    { a: { description: "", input: "x" as unknown as JsonObject, run: () => 1 } },
    /expected a zod 4 schema/,
  ],
  [
    "zod 3",
    { a: { description: "", input: { _def: {} } as unknown as JsonObject, run: () => 1 } },
    /zod 3 schema/,
  ],
])(
  verifies("upstream:local", "a tool that cannot be offered is refused by its path: %s"),
  (_name, tools, message) => {
    expect(() => local(tools)).toThrow(message);
    expect(() => local(tools)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  },
);

test(
  verifies("upstream:local", "arguments that only zod can judge are judged, and run is not called"),
  async () => {
    let calls = 0;
    const upstream = local({
      t: defineTool({
        description: "",
        input: z.object({ a: z.string().refine((text) => text.startsWith("x"), "must start with x") }),
        run: () => (calls += 1),
      }),
    });
    const answer = await ask(upstream, "t", { a: "y" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content[0]?.["text"]).toBe("invalid arguments: a: must start with x");
    expect(calls).toBe(0);
  },
);

test(verifies("upstream:local", "defaults and transforms of zod reach run and the result"), async () => {
  const upstream = local({
    t: defineTool({
      description: "",
      input: z.object({ when: z.string().transform((text) => text.length) }),
      output: z.object({ n: z.number(), unit: z.string().default("chars") }),
      run: ({ when }) => ({ n: when }),
    }),
  });
  expect(toCallValue(await ask(upstream, "t", { when: "abc" }))).toEqual({ n: 3, unit: "chars" });
});

test(
  verifies(
    "upstream:local",
    "a result that does not match its schema is passed on, since the effect is done",
  ),
  async () => {
    const upstream = local({
      t: {
        description: "",
        input: anything,
        output: z.object({ id: z.number() }),
        run: () => ({ id: "seven" }),
      },
    });
    expect(toCallValue(await ask(upstream, "t"))).toEqual({ id: "seven" });
  },
);

test.each<[string, unknown, JsonValue]>([
  ["text", "hello", "hello"],
  ["text that looks like JSON", "{}", "{}"],
  ["a number", 5, 5],
  ["null", null, null],
  ["false", false, false],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a map", new Map([[1, 2]]), {}],
  ["undefined members", { a: undefined, b: [undefined] }, { b: [null] }],
  ["not a number", Number.NaN, null],
  ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
])(
  verifies("upstream:local-copy", "what JSON can hold reaches the script: %s"),
  async (_name, value, expected) => {
    expect(toCallValue(await result(() => value))).toEqual(expected);
  },
);

test(verifies("upstream:local-copy", "nothing is null; a function and a symbol are failures"), async () => {
  expect(await result(() => undefined)).toMatchObject({ structuredContent: null, isError: false });
  for (const value of [() => 1, Symbol("x")]) {
    expect(await result(() => value)).toMatchObject({ isError: true });
  }
});

test.each([
  [{ description: 5 }, "description: expected a text"],
  [{ run: undefined }, "run: expected a function"],
  [{ extra: 1 }, "extra: no such key"],
  [{ input: z.object({ at: z.date() }) }, "input: cannot be written as JSON Schema"],
])(
  verifies("upstream:local", "a tool that could never be called is refused when it is declared: %j"),
  (part, why) => {
    const tool = { description: "d", input: z.object({}), run: () => 1, ...part };
    expect(() => createLocalUpstream("l", { tool: tool as never })).toThrow(why);
  },
);

test(verifies("upstream:local-copy", "the script shares no object with the function"), async () => {
  const kept = { list: [1] };
  const answer = await result(() => kept);
  kept.list.push(2);
  expect(answer.structuredContent).toEqual({ list: [1] });
});

test(
  verifies("upstream:local-copy", "own __proto__ keys survive as data, in arguments and results"),
  async () => {
    const upstream = local({ t: { description: "", input: anything, run: (input) => input } });
    const args = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}') as JsonObject;
    const { structuredContent } = await ask(upstream, "t", args);
    expect(JSON.stringify(structuredContent)).toBe(JSON.stringify(args));
    expect(Object.getPrototypeOf(structuredContent)).toBe(Object.prototype);
    expect(({} as JsonObject)["polluted"]).toBeUndefined();
  },
);

test.each<[string, () => unknown, RegExp]>([
  [
    "a circle",
    () => {
      const a: Record<string, unknown> = {};
      a["a"] = a;
      return a;
    },
    /JSON cannot hold/,
  ],
  ["a big integer", () => 10n, /JSON cannot hold/],
  [
    "a getter that throws",
    () => ({
      get a(): never {
        throw new Error("inner");
      },
    }),
    /JSON cannot hold: inner/,
  ],
])(
  verifies("upstream:local-error", "a value that JSON cannot hold is a failed result: %s"),
  async (_n, value, text) => {
    const answer = await result(value);
    expect(answer.isError).toBe(true);
    expect(answer.content[0]?.["text"]).toMatch(text);
  },
);

test(
  verifies("upstream:local-error", "an error's message reaches the script, and nothing else of it"),
  async () => {
    const error = Object.assign(new Error("quota of 5 reached", { cause: new Error("inner") }), {
      secret: "hunter2",
    });
    const answer = await result(() => {
      throw error;
    });
    expect(answer).toEqual({
      content: [{ type: "text", text: "quota of 5 reached" }],
      isError: true,
      notes: [],
    });
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|inner|at /);
  },
);

test.each<[string, () => unknown, string]>([
  ["a rejection", async () => Promise.reject(new TypeError("late")), "late"],
  [
    "text",
    () => {
      throw "plain text";
    },
    "plain text",
  ],
  [
    "undefined",
    () => {
      throw undefined;
    },
    "the tool failed without a message",
  ],
  [
    "null",
    () => {
      throw null;
    },
    "the tool failed without a message",
  ],
  [
    "an empty message",
    () => {
      throw new Error("");
    },
    "the tool failed without a message",
  ],
  [
    "a message that throws",
    () => {
      throw {
        get message(): never {
          throw new Error("x");
        },
      };
    },
    "the tool failed without a message",
  ],
  [
    "a promise-like that throws",
    () => ({
      then() {
        throw new Error("then");
      },
    }),
    "then",
  ],
])(
  verifies("upstream:local-error", "whatever is thrown, and whenever, is a failed result: %s"),
  async (_n, run, text) => {
    expect((await result(run)).content).toEqual([{ type: "text", text }]);
  },
);

test(verifies("upstream:local-error", "a message is bounded and well formed"), async () => {
  const answer = await result(() => {
    throw new Error(`${"x".repeat(4_095)}😀 and more`);
  });
  const text = textOf(answer);
  expect(text.length).toBe(4_096);
  expect(text.isWellFormed()).toBe(true);
});
