// Shows describing tools by name.
import { expect, test } from "vitest";
import { createCatalog } from "../../stubs/catalog.ts";
import { catalogOf, named, tool } from "../fixtures/catalog/named.ts";
import { relevance } from "../fixtures/catalog/relevance.ts";
import { verifies } from "../requirements.ts";

const catalog = createCatalog(named(relevance.tools));

test(verifies("catalog:describe", "several tools come back at once, in the order asked"), () => {
  const { tools, unknown, text } = catalog.describe(["store.place_order", "geo.planRoute"]);
  expect(tools.map((each) => each.call)).toEqual(["store.place_order", "geo.planRoute"]);
  expect(unknown).toEqual([]);
  for (const each of tools) expect(text).toContain(each.signature);
});

test.each([
  "send-message",
  "send_message",
  "sendMessage",
  "mailbox.send-message",
  "mailbox.send_message",
  "mcp__mailbox__send-message",
  "mcp__mailbox__send_message",
  "mailbox/send-message",
])(verifies("catalog:describe", "%s is mailbox.send_message"), (name) => {
  const { tools } = catalog.describe([name]);
  expect(tools).toMatchObject([
    { asked: name, server: "mailbox", tool: "send-message", call: "mailbox.send_message" },
  ]);
});

test(verifies("catalog:describe", "a name asked for twice, in two spellings, is shown once"), () => {
  const { tools, text } = catalog.describe(["planRoute", "geo.planRoute", "plan_route"]);
  expect(tools).toHaveLength(1);
  expect(text.split(tools[0]!.signature)).toHaveLength(2);
});

test(verifies("catalog:describe", "the default detail is full"), () => {
  const full = catalog.describe(["read_file"], { detail: "full" });
  expect(catalog.describe(["read_file"])).toEqual(full);
  expect(catalog.describe(["read_file"], { detail: "name" }).text.length).toBeLessThan(full.text.length);
});

test(verifies("catalog:describe", "one name on several servers gives each of them"), () => {
  const two = catalogOf([tool("a", "search"), tool("b", "search"), tool("c", "find")]);
  expect(two.describe(["search"]).tools.map((each) => each.call)).toEqual(["a.search", "b.search"]);
  expect(two.describe(["b.search"]).tools.map((each) => each.call)).toEqual(["b.search"]);
});

test(
  verifies("catalog:describe", "one name on very many servers gives five and says how many there are"),
  () => {
    const many = catalogOf(Array.from({ length: 30 }, (_, at) => tool(`s${at}`, "search")));
    const { tools, text } = many.describe(["search"]);
    expect(tools).toHaveLength(5);
    expect(text).toContain("is on 30 servers");
  },
);

test(
  verifies(
    ["catalog:describe", "catalog:near"],
    "an unknown name brings calls with a like name, also of other servers",
  ),
  () => {
    const { tools, unknown, text } = catalog.describe(["tracker.reed_file", "read_file"]);
    expect(tools.map((each) => each.call)).toEqual(["files.read_file"]);
    expect(unknown[0]?.near).toContain("files.read_file");
    expect(text).toContain('Unknown tool "tracker.reed_file"');
  },
);

test(verifies("catalog:describe", "the name of a server is answered with its tools"), () => {
  const { tools, unknown, text } = catalog.describe(["weather"]);
  expect(tools).toEqual([]);
  expect(unknown).toHaveLength(1);
  expect(text).toContain("get_air_quality, get_alerts, get_forecast");
});

test(verifies("catalog:describe", "names that differ only in marks are told apart by their spelling"), () => {
  const clash = catalogOf([
    tool("a", "get-user", "One."),
    tool("a", "get.user", "Two."),
    tool("a", "get_user", "Three."),
  ]);
  for (const name of ["get-user", "get.user", "get_user", "a.get-user", "mcp__a__get.user"]) {
    const { tools } = clash.describe([name]);
    expect(tools.map((each) => each.tool)).toEqual([name.replace(/^(a\.|mcp__a__)/, "")]);
  }
  expect(clash.describe(["getUser"]).tools).toHaveLength(3);
});

test(verifies("catalog:bounded", "too many names and too long stubs are cut with a remark"), () => {
  const long = Array.from({ length: 60 }, (_, at) => tool("a", `tool_${at}`, "Long. ".repeat(700)));
  const { tools, text } = catalogOf(long).describe(long.map((each) => each.name));
  expect(tools).toHaveLength(50);
  expect(text.length).toBeLessThan(70_000);
  expect(text).toContain("Only the first 50 names");
  expect(text).toContain("Too long to show here");
});

test(verifies("catalog:bounded", "values of other types are answered as no names"), () => {
  const ask = catalog.describe as (names: unknown, options?: unknown) => ReturnType<typeof catalog.describe>;
  for (const names of [undefined, null, 7, {}, [null, 3], []]) {
    expect(ask(names)).toMatchObject({ tools: [], unknown: [], text: "No names were given." });
  }
  expect(ask("geo.planRoute", null).tools).toHaveLength(1);
});

test(verifies("catalog:hostile-text", "an unknown name is shown without controls and bounded"), () => {
  const { text } = catalog.describe([`evil\n# files\u202e${"x".repeat(9_000)}`]);
  expect(text.split("\n").some((line) => line.startsWith("# files"))).toBe(false);
  expect(text.length).toBeLessThan(1_000);
});
