// call_tool: whatever the arguments hold, one call is made with them and nothing else happens.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callScript, callTool } from "../../call-tool.ts";
import { parseCall } from "../../server/call-tool.ts";
import { verifies } from "../requirements.ts";
import { openWorld, type World } from "./support.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld({ asks: false });
});
afterAll(() => world[Symbol.asyncDispose]());

const nasty = fc.constantFrom(
  '"',
  "'",
  "`",
  "\\",
  "\\\\",
  '\\"',
  "${1}",
  "*/",
  "//",
  "\n",
  "\r",
  "\u2028",
  "\u2029",
  "\0",
  "\ud800",
  "</script>",
  '"); await notes.burn({}); ("',
  "__proto__",
  "constructor",
  "`${await notes.burn({})}`",
  "\\u0022",
);
const text = fc.oneof(
  fc.string(),
  fc.array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 5 }))).map((parts) => parts.join("")),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.map((key) => key.toWellFormed()),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;

/** What the script, read by a JavaScript engine, would call. */
function read(script: string): unknown {
  const literal = /^const \[namespace, identifier, input\] = JSON\.parse\((".*")\);$/.exec(
    script.split("\n")[0] ?? "",
  )?.[1];
  return JSON.parse(JSON.parse(literal ?? "null") as string);
}

test(verifies("server:call-tool", "names and arguments stay one string literal on one line"), () => {
  fc.assert(
    fc.property(text, text, json, (namespace, identifier, value) => {
      const script = callScript({ namespace, identifier, arguments: value as never });
      expect(script.split(/\r\n|\n|\r|\u2028|\u2029/)).toHaveLength(6);
      expect(read(script)).toEqual(JSON.parse(JSON.stringify([namespace, identifier, value])));
    }),
  );
});

test(
  verifies("server:call-tool", "the tool gets the arguments as they were given, and no other call is made"),
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          text.map((key) => key.toWellFormed()),
          json as fc.Arbitrary<never>,
          { maxKeys: 3 },
        ),
        async (args) => {
          const result = await callTool(world.gate, { server: "notes", tool: "echo", arguments: args }, {});
          expect(result).toMatchObject({
            isError: false,
            structuredContent: { status: "completed", calls: [{ tool: "echo" }] },
          });
          expect(JSON.parse(result.text)).toEqual(JSON.parse(JSON.stringify(args)));
        },
      ),
      { numRuns: 30 },
    );
  },
);

test(
  verifies("server:call-tool", "arguments longer than a script may be are no script that is too long"),
  async () => {
    const args = { text: "x".repeat(400_000) };
    const result = await callTool(world.gate, { server: "notes", tool: "echo", arguments: args }, {});
    expect(result.structuredContent).toMatchObject({
      status: "completed",
      calls: [{ argumentBytes: 400_011 }],
    });
  },
);

test(verifies("server:call-tool", "input that is none is told what is expected"), () => {
  expect(parseCall({ server: "a", tool: "b" })).toEqual({ server: "a", tool: "b", arguments: {} });
  for (const input of [
    null,
    [],
    "x",
    {},
    { server: "a" },
    { server: "a", tool: 1 },
    { server: "a", tool: "b", arguments: [] },
    { server: "a", tool: "b", extra: 1 },
  ])
    expect(parseCall(input)).toBeTypeOf("string");
  expect(parseCall(Object.create({ server: "a", tool: "b" }))).toBeTypeOf("string");
});
