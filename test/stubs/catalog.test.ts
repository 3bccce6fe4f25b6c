// Shows the snapshot itself: its order, hash, look-up and near names.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CallgateError } from "../../contract/error.ts";
import { createCatalog } from "../../stubs/catalog.ts";
import { catalogOf, named, tool } from "../fixtures/catalog/named.ts";
import { relevance } from "../fixtures/catalog/relevance.ts";
import { verifies } from "../requirements.ts";

const all = named(relevance.tools);
const catalog = createCatalog(all);

test(verifies("catalog:hash", "the hash is the same for any order of tools and of keys"), () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...all], { minLength: all.length }), (order) => {
      expect(createCatalog(order).hash).toBe(catalog.hash);
    }),
    { numRuns: 20 },
  );
  const inputSchema = { properties: { b: {}, a: {} }, type: "object" };
  const other = { type: "object", properties: { a: {}, b: {} } };
  const hashOf = (schema: typeof inputSchema): string =>
    catalogOf([{ ...tool("s", "t"), inputSchema: schema }]).hash;
  expect(hashOf(inputSchema)).toBe(hashOf(other));
});

test(
  verifies("catalog:hash", "any change of a definition, and a tool more or less, changes the hash"),
  () => {
    const one = tool("s", "t", "Does.", ["a"]);
    const hashes = [
      [one],
      [],
      [one, tool("s", "u")],
      [{ ...one, description: "Does not." }],
      [{ ...one, title: "T" }],
      [{ ...one, server: "s2" }],
      [{ ...one, annotations: { readOnlyHint: true } }],
      [{ ...one, outputSchema: { type: "object" } }],
      [tool("s", "t", "Does.", ["b"])],
    ].map((tools) => catalogOf(tools).hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  },
);

test(verifies("catalog:hash", "the hash covers the names scripts use"), () => {
  const [first] = named([tool("s", "t")]);
  const renamed = createCatalog([{ tool: first!.tool, namespace: "s", identifier: "t2" }]);
  expect(renamed.hash).not.toBe(createCatalog([first!]).hash);
});

test(verifies("catalog:describe", "a tool is got by namespace and identifier, and by nothing else"), () => {
  expect(catalog.get("tracker", "addComment")?.tool.name).toBe("addComment");
  expect(catalog.get("mailbox", "send_message")?.tool.name).toBe("send-message");
  expect(catalog.get("mailbox", "send-message")).toBeUndefined();
  expect(catalog.get("__proto__", "constructor")).toBeUndefined();
});

test.each([
  ["store.trak_shipment", "store.track_shipment"],
  ["shop.track_shipment", "store.track_shipment"],
  ["tracker.issues_list", "tracker.list_issues"],
  ["listissue", "tracker.list_issues"],
  ["mcp__files__raed_file", "files.read_file"],
  ["mailbox.message_send", "mailbox.send_message"],
])(verifies("catalog:near", "%s is near %s"), (asked, wanted) => {
  expect(catalog.near(asked, 3).map(({ namespace, identifier }) => `${namespace}.${identifier}`)).toContain(
    wanted,
  );
});

test(verifies("catalog:near", "a name on the server asked for comes before the same name elsewhere"), () => {
  const two = catalogOf([tool("alpha", "get_user"), tool("beta", "get_user")]);
  expect(two.near("beta.get_usr")[0]?.namespace).toBe("beta");
  expect(two.near("alpha.get_usr")[0]?.namespace).toBe("alpha");
});

test(verifies("catalog:near", "a name like no other has no near names"), () => {
  expect(catalog.near("zzzzzz")).toEqual([]);
  expect(catalog.near("")).toEqual([]);
});

test(
  verifies("catalog:near", "one wrong letter anywhere in a name of six letters or more is forgiven"),
  () => {
    const names = all.filter(({ identifier }) => identifier.length >= 6);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), ({ namespace, identifier }, at) => {
        const place = at % identifier.length;
        const wrong = `${identifier.slice(0, place)}q${identifier.slice(place + 1)}`;
        const near = catalog.near(`${namespace}.${wrong}`);
        expect(near.map((found) => found.identifier)).toContain(identifier);
      }),
    );
  },
);

test.each([
  [{ threshold: 0 }],
  [{ threshold: 2 }],
  [{ threshold: Number.NaN }],
  [{ contextWindow: -1 }],
  [{ contextWindow: Number.POSITIVE_INFINITY }],
])(verifies("catalog:threshold", "%j is refused with CONFIG_INVALID"), (options) => {
  expect(() => createCatalog([], options)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});

test(verifies("catalog:threshold", "a budget that is no number of tokens is refused"), () => {
  for (const budgetTokens of [-1, Number.NaN, "4000" as unknown as number]) {
    expect(() => catalog.text({ budgetTokens })).toThrow(CallgateError);
  }
});
