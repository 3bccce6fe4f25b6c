import fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolDefinition } from "../../contract/tool.ts";
import { emitDeclarations } from "../../stubs/emit.ts";
import { assignNames, toolKey, type NameAssignment } from "../../stubs/names.ts";
import { RESERVED_GLOBALS, RESERVED_MEMBERS } from "../../stubs/reserved.ts";
import { verifies } from "../requirements.ts";
import { errorsByLine } from "./emit-program.ts";

const tool = (server: string, name: string): ToolDefinition => ({
  server,
  name,
  inputSchema: { type: "object" },
});
const identifiersOf = (names: readonly string[], server = "s"): readonly string[] =>
  assignNames(names.map((name) => tool(server, name))).named.map(({ identifier }) => identifier);

const pieces = fc.constantFrom(
  "get",
  "user",
  "-",
  "_",
  ".",
  "/",
  " ",
  "1",
  "é",
  "delete",
  "then",
  "__proto__",
  "Get",
);
const rawName = fc.oneof(
  fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join("")),
  fc.string({ maxLength: 6 }),
);
const tools = fc.array(
  fc
    .tuple(fc.constantFrom("a", "a-b", "a.b", "a_b", "JSON", "console"), rawName)
    .map(([server, name]) => tool(server, name)),
  { maxLength: 20 },
);

function mapping({ named }: NameAssignment): ReadonlyMap<string, string> {
  return new Map(
    named.map((one) => [toolKey(one.tool.server, one.tool.name), `${one.namespace}.${one.identifier}`]),
  );
}

test(verifies("names:injective", "different tools have different names, all of them identifiers"), () => {
  fc.assert(
    fc.property(tools, (set) => {
      const given = mapping(assignNames(set));
      expect(new Set(given.values()).size).toBe(given.size);
      expect(given.size).toBe(new Set(set.map(({ server, name }) => toolKey(server, name))).size);
      for (const name of given.values()) expect(name).toMatch(/^[A-Za-z_]\w*\.[A-Za-z_]\w*$/);
    }),
    { numRuns: 1_000 },
  );
});

test(verifies("names:order", "the order of arrival does not matter"), () => {
  fc.assert(
    fc.property(
      tools.chain((set) => fc.tuple(fc.constant(set), fc.shuffledSubarray(set, { minLength: set.length }))),
      ([set, shuffled]) => {
        expect(mapping(assignNames(shuffled))).toEqual(mapping(assignNames(set)));
      },
    ),
    { numRuns: 1_000 },
  );
});

test(
  verifies("names:stable", "a later tool never renames an earlier one, and no name is given twice over time"),
  () => {
    fc.assert(
      fc.property(tools, tools, tools, (first, second, third) => {
        const owners = new Map<string, string>();
        let pinned: NameAssignment["pins"] | undefined;
        for (const set of [first, second, [...first, ...second, ...third]]) {
          const assignment = assignNames(set, pinned === undefined ? {} : { pinned });
          pinned = assignment.pins;
          for (const [key, name] of mapping(assignment)) {
            expect(owners.get(name) ?? key).toBe(key);
            owners.set(name, key);
          }
        }
        expect(new Set(owners.values()).size).toBe(owners.size);
      }),
      { numRuns: 1_000 },
    );
  },
);

test(verifies("names:stable", "get_user of get-user stays when get_user arrives"), () => {
  const before = assignNames([tool("s", "get-user")]);
  const after = assignNames([tool("s", "get_user"), tool("s", "get-user")], { pinned: before.pins });
  expect(after.named.map(({ identifier }) => identifier)).toEqual([
    expect.stringMatching(/^get_user_[0-9a-f]{6}$/),
    "get_user",
  ]);
});

test(verifies("names:stable", "pins given are not changed"), () => {
  const { pins } = assignNames([tool("s", "a")]);
  assignNames([tool("s", "b")], { pinned: pins });
  expect([...pins.identifiers.keys()]).toEqual([toolKey("s", "a")]);
});

test(verifies("names:unchanged", "valid names stay, others have their odd characters replaced"), () => {
  expect(identifiersOf(["getUser", "list_issues", "_x", "A1"])).toEqual([
    "getUser",
    "list_issues",
    "_x",
    "A1",
  ]);
  expect(identifiersOf(["get-open-issues", "a.b/c", "1st", "日本"])).toEqual([
    "get_open_issues",
    "a_b_c",
    "_1st",
    "_",
  ]);
  expect(identifiersOf([""])).toEqual(["_"]);
});

test(verifies("names:unchanged", "of several raw names with one form, the one that has it keeps it"), () => {
  const names = identifiersOf(["get-user", "get.user", "get_user"]);
  expect(names[2]).toBe("get_user");
  expect(names.slice(0, 2)).toEqual([
    expect.stringMatching(/^get_user_[0-9a-f]{6}$/),
    expect.stringMatching(/^get_user_[0-9a-f]{6}$/),
  ]);
});

test(
  verifies(
    "names:injective",
    "long names that differ at their end keep it, and names of any length are bounded",
  ),
  () => {
    const long = "t".repeat(59);
    expect(identifiersOf([`${long}a`, `${long}b`], "s".repeat(40))).toEqual([`${long}a`, `${long}b`]);
    const huge = identifiersOf([`${"x".repeat(100_000)}a`, `${"x".repeat(100_000)}b`]);
    expect(new Set(huge).size).toBe(2);
    for (const name of huge) expect(name.length).toBeLessThan(120);
  },
);

test(verifies("names:injective", "two servers may have a tool of the same name"), () => {
  const { named } = assignNames([tool("a", "send_email"), tool("b", "send_email")]);
  expect(named.map(({ namespace, identifier }) => `${namespace}.${identifier}`)).toEqual([
    "a.send_email",
    "b.send_email",
  ]);
});

test(verifies("names:reserved", "no namespace hides a global"), () => {
  const servers = [
    "console",
    "Object",
    "globalThis",
    "__proto__",
    "search_tools",
    "ToolError",
    "catalog",
    "sleep",
    "URL",
    "JSON",
  ];
  const { named, notes } = assignNames(servers.map((server) => tool(server, "x")));
  for (const { namespace } of named) expect(RESERVED_GLOBALS.has(namespace)).toBe(false);
  expect(named.map(({ namespace }) => namespace)).toEqual(servers.map((server) => `${server}_`));
  expect(notes.length).toBe(servers.length);
});

test(
  verifies("names:reserved", "every global of this engine is reserved, but for those a script does not have"),
  () => {
    const outside =
      /^(fetch|navigator|WebSocket|CloseEvent|Storage|localStorage|sessionStorage|process|EventSource|Performance.*|.*Stream.*|ByteLengthQueuingStrategy|CountQueuingStrategy|ErrorEvent|StorageEvent|Navigator)$/;
    const known = Object.getOwnPropertyNames(globalThis).filter(
      (name) => /^\w+$/.test(name) && !outside.test(name),
    );
    expect(known.filter((name) => !RESERVED_GLOBALS.has(name) && !/^(__|vitest)/.test(name))).toEqual([]);
  },
);

test(verifies("names:reserved", "no tool has a reserved name, and stubs with such names compile"), () => {
  const names = [
    ...RESERVED_MEMBERS,
    ...RESERVED_GLOBALS,
    "async",
    "of",
    "get",
    "Input",
    "toString",
    "call",
    "name",
  ];
  const members = assignNames(names.map((name) => tool("s", name)));
  for (const { identifier } of members.named) expect(RESERVED_MEMBERS.has(identifier)).toBe(false);
  const spaces = assignNames(names.map((server) => tool(server, "x")));
  const { text } = emitDeclarations([...members.named, ...spaces.named], { docs: "none" });
  expect([...errorsByLine(text)]).toEqual([]);
});

test(verifies("names:reported", "every change and every repeated tool is reported with its raw name"), () => {
  const { named, notes } = assignNames([
    tool("my-server", "x"),
    tool("my-server", "x"),
    tool("my-server", "y-z\u202e"),
  ]);
  expect(named.length).toBe(2);
  expect(notes).toEqual([
    '"my-server" lists "x" more than once: only the first is kept.',
    'The server "my-server" is called my_server in scripts.',
    '"my-server" "y-z" is called my_server.y_z_ in scripts.',
  ]);
});

test(verifies("names:order", "tools come back in the order in which they were given"), () => {
  const set = [tool("b", "2"), tool("a", "1"), tool("b", "1")];
  expect(assignNames(set).named.map((one) => one.tool)).toEqual(set);
});
