import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { validateArguments, validateResult } from "../../broker/validate.ts";
import type { JsonObject, JsonValue } from "../../contract/json.ts";
import { degradeSchema } from "../../contract/schema/degrade.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { verifies } from "../requirements.ts";
import { allCases, corpus } from "../stubs/emit-data.ts";
import { literalsOf } from "../stubs/emit-literals.ts";
import { propertyRuns, propertyTimeout } from "./policy/support.ts";

const maxBytes = 1 << 20;

function tool(inputSchema: JsonObject, outputSchema?: JsonObject): ToolDefinition {
  return { server: "s", name: "t", inputSchema, ...(outputSchema && { outputSchema }) };
}

function compiled(oracle: Ajv | Ajv2020, schema: JsonObject): ((value: unknown) => boolean) | undefined {
  try {
    return oracle.compile(schema) as (value: unknown) => boolean;
  } catch {
    return undefined;
  }
}

function messageOf(schema: JsonObject, value: unknown): string {
  const result = validateArguments(tool(schema), JSON.stringify(value), { maxBytes });
  return result.ok ? "ok" : result.message;
}

const issues: JsonObject = {
  type: "object",
  properties: {
    owner: { type: "string", minLength: 1, maxLength: 5 },
    state: { type: "string", enum: ["open", "closed"] },
    page: { type: "integer", minimum: 1, maximum: 9 },
    since: { anyOf: [{ type: "string" }, { type: "null" }] },
    labels: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 2 },
    mode: { const: "fast" },
    "odd name": {
      type: "object",
      properties: { x: { type: ["number", "boolean"] } },
      additionalProperties: false,
    },
    target: {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "user" }, login: { type: "string" } },
          required: ["kind", "login"],
        },
        {
          type: "object",
          properties: { kind: { const: "team" }, id: { type: "integer" } },
          required: ["kind", "id"],
        },
      ],
    },
    pick: { anyOf: [{ enum: ["a", "b"] }, { const: 3 }] },
  },
  required: ["owner"],
  additionalProperties: false,
};

test.each<[unknown, string]>([
  [{ owner: "me", state: "opn" }, 'input.state: must be one of "open", "closed"'],
  [{}, 'input: property "owner" is missing'],
  [{ owner: "me", stat: "open" }, 'input: unknown property "stat", did you mean "state"?'],
  [{ owner: "me", zzzzzz: 1 }, 'input: unknown property "zzzzzz"'],
  [{ owner: 5 }, "input.owner: must be a string, is 5"],
  [{ owner: null }, "input.owner: must be a string, is null"],
  [{ owner: "" }, "input.owner: must not be empty"],
  [{ owner: "abcdef" }, "input.owner: must have at most 5 characters"],
  [{ owner: "me", page: 0 }, "input.page: must be at least 1"],
  [{ owner: "me", page: 10 }, "input.page: must be at most 9"],
  [{ owner: "me", page: "3" }, "input.page: must be an integer, is a string"],
  [{ owner: "me", since: 3 }, "input.since: must be a string or null, is 3"],
  [{ owner: "me", labels: ["a", "B"] }, "input.labels[1]: must match the pattern ^[a-z]+$"],
  [{ owner: "me", labels: ["a", "b", "c"] }, "input.labels: must have at most 2 items"],
  [{ owner: "me", mode: "slow" }, 'input.mode: must be "fast"'],
  [
    { owner: "me", "odd name": { x: "1" } },
    'input["odd name"].x: must be a number or a boolean, is a string',
  ],
  [{ owner: "me", "odd name": { y: 1 } }, 'input["odd name"]: unknown property "y"'],
  [{ owner: "me", target: { kind: "user", login: 1 } }, "input.target.login: must be a string, is 1"],
  [{ owner: "me", pick: "c" }, 'input.pick: must be one of "a", "b", 3'],
])(verifies("validate:arguments", "%j gives the message a model can act on"), (value, message) => {
  expect(messageOf(issues, value)).toBe(message);
});

test(verifies("validate:arguments", "several faults are listed together, at most five"), () => {
  expect(messageOf(issues, { onwer: "x", state: 1, page: 0 })).toBe(
    [
      'input: property "owner" is missing',
      'input.state: must be one of "open", "closed"',
      "input.page: must be at least 1",
      'input: unknown property "onwer", did you mean "owner"?',
    ]
      .join("\n")
      .replace(
        'input.state: must be one of "open", "closed"',
        'input.state: must be a string, is 1\ninput.state: must be one of "open", "closed"',
      ),
  );
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, 1]));
  const lines = messageOf(issues, { owner: "me", ...many }).split("\n");
  expect(lines).toHaveLength(6);
  expect(lines[5]).toBe("and 45 more");
});

test(
  verifies("validate:arguments", "messages never show outside text unbounded or with control characters"),
  () => {
    const message = messageOf(issues, { owner: "me", [`a\n\u202e${"b".repeat(10_000)}`]: 1 });
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/[\u202e]|b\n/);
  },
);

test.each([
  ["[]", "input: must be an object, is an array"],
  ["null", "input: must be an object, is null"],
  ['"x"', "input: must be an object, is a string"],
  ["{", "input: not JSON"],
  ['{"owner":"a","owner":"b"}', 'input: has the property "owner" twice'],
])(verifies("validate:json", "%s is not an argument object"), (text, message) => {
  expect(validateArguments(tool(issues), text, { maxBytes })).toEqual({ ok: false, message });
});

test(verifies("validate:bounded", "arguments over the limit are refused before they are read"), () => {
  const text = JSON.stringify({ owner: "漢漢" });
  expect(validateArguments(tool(issues), text, { maxBytes: text.length + 3 })).toMatchObject({
    ok: false,
    message: `input: is larger than ${text.length + 3} bytes`,
  });
  expect(validateArguments(tool(issues), text, { maxBytes: text.length + 4 }).ok).toBe(true);
});

test(verifies("validate:arguments", "an inherited name is neither present nor known"), () => {
  const schema: JsonObject = {
    type: "object",
    properties: {},
    required: ["constructor"],
    additionalProperties: false,
  };
  expect(messageOf(schema, {})).toBe('input: property "constructor" is missing');
  const proto = validateArguments(tool({ ...schema, required: [] }), '{"__proto__":1}', { maxBytes });
  expect(proto).toEqual({ ok: false, message: 'input: unknown property "__proto__"' });
});

test(verifies("validate:arguments", "formats are annotations"), () => {
  const schema: JsonObject = { type: "object", properties: { at: { type: "string", format: "date-time" } } };
  expect(messageOf(schema, { at: "yesterday" })).toBe("ok");
});

test(
  verifies("validate:arguments", "a result is held against the output schema, and passes without one"),
  () => {
    const output: JsonObject = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    expect(validateResult(tool({}, output), { n: 1 })).toEqual({ ok: true, value: { n: 1 } });
    expect(validateResult(tool({}, output), { n: "1" })).toEqual({
      ok: false,
      message: "result.n: must be a number, is a string",
    });
    expect(validateResult(tool({}), [1, "x"]).ok).toBe(true);
  },
);

test(
  verifies(
    "validate:arguments",
    "every hand-made case accepts its valid values and refuses its invalid ones",
  ),
  () => {
    const wrong: string[] = [];
    for (const { id, inputSchema, outputSchema, valid, openValid = [], invalid, ...more } of allCases) {
      // A pattern that may not run here is left out, so what only it refuses passes.
      if ("hazard" in more) continue;
      const checked = tool({ type: "object" }, inputSchema ?? outputSchema ?? {});
      for (const value of [...valid, ...openValid]) {
        const result = validateResult(checked, value);
        if (!result.ok) wrong.push(`${id} refuses ${JSON.stringify(value)}: ${result.message}`);
      }
      for (const { value } of invalid) {
        if (validateResult(checked, value).ok) wrong.push(`${id} accepts ${JSON.stringify(value)}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

test(verifies("validate:arguments", "on real tools the verdict is that of an independent validator"), () => {
  const wrong: string[] = [];
  let compared = 0;
  const options = {
    strict: false,
    validateFormats: false,
    logger: false,
    ownProperties: true,
    validateSchema: false,
  } as const;
  const oracles = { "2020-12": new Ajv2020(options), "draft-07": new Ajv(options) };
  // Evenly spread: the oracle takes its time.
  const every = Math.ceil(corpus.length / 300);
  for (const { server, name, inputSchema } of corpus.filter((_each, index) => index % every === 0)) {
    const { dialect, notes } = degradeSchema(inputSchema);
    const oracle = dialect === "2020-12" || dialect === "draft-07" ? oracles[dialect] : undefined;
    if (oracle === undefined || notes.length > 0) continue;
    const { $id: _, $schema: __, ...plain } = inputSchema;
    const accepts = compiled(oracle, plain);
    if (accepts === undefined) continue;
    const checked = tool({ type: "object" }, inputSchema);
    const { valid, invalid } = literalsOf(inputSchema);
    for (const value of [...valid, ...invalid.map((each) => each.value)].slice(0, 12)) {
      compared++;
      if (validateResult(checked, value).ok !== accepts(value))
        wrong.push(`${server}.${name}: ${JSON.stringify(value)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(compared).toBeGreaterThan(10);
});

test.each<[string, JsonObject, JsonValue]>([
  [
    "alternatives that multiply with depth",
    {
      $ref: "#/$defs/n",
      $defs: {
        n: {
          anyOf: [
            { type: "object", properties: { a: { $ref: "#/$defs/n" } }, required: ["z"] },
            { type: "object", properties: { a: { $ref: "#/$defs/n" } }, required: ["y"] },
            { type: "number" },
          ],
        },
      },
    },
    Array.from({ length: 60 }).reduce<JsonValue>((inner) => ({ a: inner }), "x"),
  ],
  [
    "alternatives that multiply and all fit",
    {
      $ref: "#/$defs/n",
      $defs: {
        n: {
          anyOf: [
            { properties: { a: { $ref: "#/$defs/n" } } },
            { properties: { a: { $ref: "#/$defs/n" } }, maxProperties: 1 },
          ],
        },
      },
    },
    Array.from({ length: 60 }).reduce<JsonValue>((inner) => ({ a: inner }), "x"),
  ],
  [
    "a backtracking pattern",
    { type: "object", properties: { p: { type: "string", pattern: "^(a+)+$" } } },
    { p: `${"a".repeat(60)}!` },
  ],
  [
    "a polynomial pattern on a long text",
    { type: "object", properties: { p: { type: "string", pattern: ".*a.*b.*c.*d" } } },
    { p: "a".repeat(300_000) },
  ],
  [
    "unique items",
    { type: "object", properties: { p: { type: "array", uniqueItems: true } } },
    { p: Array.from({ length: 100_000 }, (_, index) => index) },
  ],
  [
    "very many unknown properties",
    { type: "object", properties: {}, additionalProperties: false },
    Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1])),
  ],
  [
    "very many wrong items",
    { type: "object", properties: { p: { type: "array", items: { type: "string" } } } },
    { p: Array.from({ length: 200_000 }, () => 1) },
  ],
  ["a name with half a surrogate pair", { type: "object", additionalProperties: false }, { "\ud800": 1 }],
  [
    "a reference to nowhere",
    { $ref: "#/nowhere", additionalProperties: { $ref: "https://evil.invalid/x" } },
    { a: 1 },
  ],
  ["an identifier that is no address", { $id: "http://[", type: "object" }, {}],
  [
    "keywords of the wrong type",
    { type: 5, properties: [], required: "x", enum: {}, anyOf: 3 } as unknown as JsonObject,
    { a: 1 },
  ],
])(verifies("validate:bounded", "%s: answered, not thrown"), (_name, schema, value) => {
  const answer = validateResult(tool({}, schema), value);
  expect(typeof answer.ok).toBe("boolean");
  if (!answer.ok) expect(answer.message.length).toBeLessThan(2_000);
});

test(verifies("validate:bounded", "a text too long for patterns is not refused because of one"), () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      p: { type: "string", pattern: "^b" },
      q: { not: { pattern: "^a" } },
      pattern: { type: "string" },
    },
    patternProperties: { "^x": { type: "number" } },
    additionalProperties: false,
  };
  const long = "a".repeat(2_000);
  expect(messageOf(schema, { p: long, q: long, x1: 1, pattern: "b" })).toBe("ok");
  expect(messageOf(schema, { p: "a" })).toContain("must match the pattern");
});

test(
  verifies("validate:bounded", "no schema makes validation throw"),
  () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "anyOf",
      "$ref",
      "enum",
      "const",
      "not",
      "if",
      "pattern",
      "required",
      "additionalProperties",
      "$id",
      "$defs",
      "minimum",
      "dependencies",
      "format",
      "uniqueItems",
      "propertyNames",
      "prefixItems",
      "$anchor",
    );
    const anything = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("object", "string", "#", "#/properties/a", "(", 1, -1, null, true, false, "a"),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("any"), { maxKeys: 4 }),
        fc.dictionary(fc.constantFrom("a", "__proto__", "constructor"), tie("any"), { maxKeys: 2 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(keyword, anything), fc.jsonValue(), (schema, value) => {
        const checked = tool(schema as JsonObject, schema as JsonObject);
        validateResult(checked, value as JsonValue);
        validateArguments(checked, JSON.stringify(value), { maxBytes });
      }),
      { numRuns: Math.min(propertyRuns, 20_000) },
    );
  },
  propertyTimeout,
);
