// A dry run: reads happen, everything else is planned and answered with a placeholder.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import fc from "fast-check";
import { placeholderFor } from "../../broker/placeholder.ts";
import { validateResult } from "../../broker/validate.ts";
import type { JsonObject } from "../../contract/json.ts";
import { createCallgate, defineTool, type AuditEntry, type Gate, type RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";

const SECRET = "canary-51c0ffee-token";
const anything = { type: "object" } as const;
const fixture = new URL("../fixtures/servers/raw.mjs", import.meta.url).pathname;
const claims = {
  name: "claims",
  description: "Says that it only reads.",
  inputSchema: anything,
  annotations: { readOnlyHint: true },
};
const made: string[] = [];
const entries: AuditEntry[] = [];
let questions = 0;
const named = (name: string, extra: object = {}): ReturnType<typeof defineTool> =>
  defineTool({
    description: name,
    input: anything,
    ...extra,
    run: (input: unknown) => {
      made.push(name);
      return input;
    },
  });

const gate: Gate = await createCallgate({
  tools: {
    own: {
      read: named("read"),
      write: named("write"),
      asked: named("asked"),
      never: named("never"),
      askedRead: named("askedRead"),
    },
  },
  servers: {
    far: {
      command: process.execPath,
      args: [fixture, JSON.stringify({ tools: [claims] })],
      env: { API_TOKEN: SECRET },
    },
  },
  policy: {
    default: "allow",
    tools: { "own.read": { effect: "read" }, "own.askedRead": { effect: "read" } },
    servers: { own: { results: ["private", "untrusted"] } },
    rules: [
      { tools: ["own.asked", "own.askedRead"], effect: "ask" },
      { tools: "own.never", effect: "deny" },
    ],
    budgets: { "own.write": { calls: 1 } },
  },
  approve: () => {
    questions += 1;
    return Promise.resolve({ decision: "allow" });
  },
  audit: { append: (entry) => void entries.push(entry) },
});
afterAll(() => gate[Symbol.asyncDispose]());
beforeEach(() => {
  made.length = 0;
  entries.length = 0;
  questions = 0;
});
const rehearse = (script: string): Promise<RunResult> => gate.run(script, { check: "off", dryRun: true });

test(verifies("dry-run:reads", "a read that is allowed is made, and its result is real"), async () => {
  const result = await rehearse("return await own.read({ a: 1 })");
  expect(made).toEqual(["read"]);
  expect(result.output).toContain("1");
  expect(result.calls).toMatchObject([{ status: "ok" }]);
});

test.each([
  ["own.write", "allow"],
  ["own.asked", "ask"],
  ["own.askedRead", "ask"],
  ["far.claims", "allow"],
])(
  verifies(["dry-run:reads", "dry-run:plan"], "%s is planned (%s), and nobody is asked"),
  async (name, effect) => {
    const result = await rehearse(`return await ${name}({ a: 1 })`);
    expect(result.status).toBe("completed");
    expect(made).toEqual([]);
    expect(questions).toBe(0);
    expect(result.calls).toMatchObject([
      { status: "planned", safeToRepeat: true, durationMs: 0, planned: { effect, arguments: { a: 1 } } },
    ]);
    expect(entries.map(({ type }) => type)).not.toContain("call.sent");
    expect(entries.find(({ type }) => type === "call.ended")).toMatchObject({ status: "planned" });
  },
);

test(verifies("dry-run:reads", "what is denied or invalid is refused as ever"), async () => {
  expect((await rehearse("await own.never({})")).error?.code).toBe("CALL_DENIED");
  expect((await rehearse("await own.write(7)")).error?.code).toBe("CALL_INVALID_ARGUMENTS");
});

test(verifies("dry-run:reads", "a planned call brings the labels its result would have had"), async () => {
  const { calls } = await rehearse("await far.claims({}); await own.write({}); await far.claims({})");
  expect(calls.map(({ planned }) => planned?.effect)).toEqual(["allow", "allow", "ask"]);
  expect(calls[2]?.planned?.reason).toContain("trifecta");
});

test(verifies("dry-run:plan", "planned calls spend nothing of a budget"), async () => {
  await rehearse("await own.write({ n: 1 }); await own.write({ n: 2 })");
  const result = await gate.run("await own.write({ n: 3 })", { check: "off" });
  expect(result.status).toBe("completed");
});

test(
  verifies("dry-run:plan", "arguments are redacted, cut when long, and left out when the plan is long"),
  async () => {
    const script = `await own.write({ token: "${SECRET}" }); await own.write({ long: "x".repeat(50000) });
    for (let i = 0; i < 200; i++) await own.write({ i, long: "x".repeat(7900) })`;
    const { calls } = await rehearse(script);
    const text = JSON.stringify(calls);
    expect(text).not.toContain(SECRET);
    expect(text).toContain("more characters");
    expect(calls.at(-1)?.planned?.arguments).toMatch(/not kept/);
    expect(text.length).toBeLessThan(2_000_000);
  },
);

test(verifies("dry-run:value", "a tool without an outputSchema resolves to null"), async () => {
  expect((await rehearse("return (await own.write({})) === null")).output).toContain("true");
});

const thing = {
  type: "object",
  properties: {
    id: { type: "string" },
    kind: { enum: ["issue", "pull"] },
    count: { type: "integer", minimum: 1 },
    open: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    owner: { $ref: "#/$defs/person" },
    parent: { anyOf: [{ type: "null" }, { $ref: "#" }] },
    at: { type: "string", format: "date-time" },
  },
  required: ["id", "kind", "count"],
  $defs: { person: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
} as const;

describe("a placeholder", () => {
  const of = (schema: JsonObject): unknown => placeholderFor(schema, "<planned>");

  test(
    verifies("dry-run:value", "it has the shape of the schema, and says in texts that it is planned"),
    () => {
      expect(of(thing)).toMatchObject({
        id: "<planned>",
        kind: "issue",
        count: 1,
        open: false,
        tags: [],
        owner: { name: "<planned>" },
        at: "1970-01-01T00:00:00Z",
      });
      const tool = { server: "s", name: "t", inputSchema: anything, outputSchema: thing };
      expect(validateResult(tool, placeholderFor(thing, "<planned>"))).toMatchObject({ ok: true });
    },
  );

  test.each<[string, JsonObject, unknown]>([
    ["a reference to nowhere", { $ref: "#/$defs/none" }, null],
    ["a reference to a file", { $ref: "file:///etc/passwd" }, null],
    ["a type of itself", { $ref: "#" }, null],
    ["a list of types", { type: ["null", "string"] }, "<planned>"],
    [
      "parts",
      { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    ["a text that must be short", { type: "string", maxLength: 3 }, "<pl"],
    ["a number above another", { type: "number", exclusiveMinimum: 4 }, 5],
    ["nothing", {}, null],
    ["a default too long to give", { type: "boolean", default: "x".repeat(9_000) }, false],
  ])(verifies("dry-run:value", "%s has one too"), (_, schema, expected) => {
    expect(of(schema)).toEqual(expected);
  });

  test(
    verifies("dry-run:value", "it is small whatever the schema, and a name such as __proto__ stays a name"),
    () => {
      fc.assert(
        fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue(), (inner, other) => {
          const schema = {
            type: "object",
            properties: { __proto: inner, b: other, c: { $ref: "#" } },
          } as JsonObject;
          expect(JSON.stringify(of(schema)).length).toBeLessThan(200_000);
        }),
        { numRuns: 300 },
      );
      const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}}}') as JsonObject;
      expect(JSON.stringify(of(schema))).toBe('{"__proto__":1}');
      const properties = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, { $ref: "#" }]));
      expect(JSON.stringify(of({ type: "object", properties })).length).toBeLessThan(50_000);
    },
  );
});
