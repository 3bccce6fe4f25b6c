// Shows what a search answers, apart from how often it is right.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogOf, tool } from "../fixtures/catalog/named.ts";
import { relevance } from "../fixtures/catalog/relevance.ts";
import { verifies } from "../requirements.ts";

const catalog = catalogOf(relevance.tools);
const callsOf = async (query: string, options = {}): Promise<string[]> =>
  (await catalog.search(query, options)).hits.map((hit) => hit.call);

describe("names", () => {
  test.each([
    "addComment",
    "add comment",
    "add_comment",
    "tracker.addComment",
    "mcp__tracker__addComment",
    "ADD-COMMENT",
  ])(verifies("catalog:exact-name", "%s finds tracker.addComment first"), async (query) =>
    expect((await callsOf(query))[0]).toBe("tracker.addComment"),
  );

  test(verifies("catalog:exact-name", "acronyms are split wherever the writer splits them"), async () => {
    for (const query of ["getHTTPTile", "getHttpTile", "get_http_tile", "geo.get_httptile"]) {
      expect((await callsOf(query))[0]).toBe("geo.getHTTPTile");
    }
  });

  test(verifies("catalog:exact-name", "a name made of stop words only is found"), async () => {
    const words = catalogOf([
      tool("a", "get", "Fetch a page."),
      tool("a", "get_it", "Other."),
      tool("b", "x", "get get"),
    ]);
    expect((await words.search("get")).hits[0]?.call).toBe("a.get");
  });

  test(
    verifies("catalog:exact-name", "a tool named inside a sentence comes before tools like it"),
    async () => {
      expect((await callsOf("use list_folders to see which emails I have by subject"))[0]).toBe(
        "mailbox.list_folders",
      );
    },
  );

  test(verifies("catalog:exact-name", "small words between the words of a name do not hide it"), async () => {
    expect((await callsOf("request a review"))[0]).toBe("tracker.request_review");
    expect((await callsOf("please move this file for me"))[0]).toBe("files.move_file");
  });

  test(verifies("catalog:exact-name", "a name without letters is found as written"), async () => {
    const odd = catalogOf([tool("a", "🙂", "Smile."), tool("a", "other", "Smile.")]);
    expect((await odd.search("🙂")).hits.map((hit) => hit.tool)).toEqual(["🙂"]);
  });

  test(
    verifies("catalog:exact-name", "of one name on two servers, the spelling asked for comes first"),
    async () => {
      const two = catalogOf([tool("a", "get-user"), tool("b", "getUser")]);
      expect((await two.search("getUser")).hits.map((hit) => hit.server)).toEqual(["b", "a"]);
      expect((await two.search("get-user")).hits.map((hit) => hit.server)).toEqual(["a", "b"]);
    },
  );
});

describe("words", () => {
  test(verifies("catalog:recall", "word forms meet: plural, -ing and -ed"), async () => {
    expect(await callsOf("merging reviewed changes")).toContain("tracker.mergeChange");
  });

  test(verifies("catalog:recall", "names and descriptions of arguments are searched"), async () => {
    const args = catalogOf([tool("a", "x", "", ["iban"]), tool("a", "y", "", ["amount"])]);
    expect((await args.search("iban")).hits.map((hit) => hit.tool)).toEqual(["x"]);
  });

  test(verifies("catalog:recall", "text without spaces between words is found by part"), async () => {
    expect((await catalog.search("音楽を再生")).hits[0]?.tool).toBe("play_song");
  });

  test(
    verifies("catalog:recall", "arguments inside arguments are searched, through arrays and unions"),
    async () => {
      const inner = { type: "object", properties: { vatNumber: { type: "string" } } };
      const properties = { lines: { type: "array", items: { anyOf: [inner, { type: "null" }] } } };
      const deep = catalogOf([
        tool("a", "other"),
        { ...tool("a", "invoice"), inputSchema: { type: "object", properties } },
      ]);
      expect((await deep.search("vat number")).hits.map((hit) => hit.tool)).toEqual(["invoice"]);
    },
  );
});

describe("servers", () => {
  test(
    verifies("catalog:server-filter", "a filter by name or namespace keeps only that server"),
    async () => {
      for (const server of ["store", "STORE"]) {
        const { hits } = await catalog.search("list orders customers", { server });
        expect(hits.length).toBeGreaterThan(0);
        expect(new Set(hits.map((hit) => hit.server))).toEqual(new Set(["store"]));
      }
    },
  );

  test(verifies("catalog:server-filter", "a filter without a query lists the server's tools"), async () => {
    const { hits, total } = await catalog.search("", { server: "weather", limit: 2 });
    expect(hits.map((hit) => hit.tool)).toEqual(["get_air_quality", "get_alerts"]);
    expect(total).toBe(3);
  });

  test(
    verifies("catalog:server-filter", "a filter on a server that does not exist says what servers there are"),
    async () => {
      const { hits, text } = await catalog.search("orders", { server: "shop" });
      expect(hits).toEqual([]);
      expect(text).toContain('There is no server "shop"');
      expect(text).toContain("store (7 tools)");
    },
  );

  test(
    verifies(
      "catalog:server-filter",
      "a server's name does not lift its other tools above what was asked for",
    ),
    async () => {
      const many = Array.from({ length: 20 }, (_, at) => tool("srv", `thing_${at}`, `Does thing ${at}.`));
      const asked = catalogOf([
        ...many,
        tool("srv", "browser_navigate", "Go to an address."),
        tool("srv", "evaluate_script", "Run code in the page."),
        tool("other", "page_navigate", "Open an address."),
      ]);
      const { hits } = await asked.search("srv navigate evaluate", { limit: 3 });
      expect(new Set(hits.map((hit) => hit.tool))).toEqual(
        new Set(["browser_navigate", "evaluate_script", "page_navigate"]),
      );
    },
  );
});

describe("answers", () => {
  test(verifies("catalog:hit", "a hit has names, call, signature and first sentence"), async () => {
    const { hits, total } = await catalog.search("where is my parcel", { limit: 1 });
    expect(hits).toHaveLength(1);
    expect(total).toBeGreaterThanOrEqual(1);
    expect(hits[0]).toMatchObject({
      server: "store",
      tool: "track_shipment",
      namespace: "store",
      identifier: "track_shipment",
      call: "store.track_shipment",
      description: "Where a parcel is and when it arrives.",
    });
    expect(hits[0]?.signature).toContain("track_shipment");
    expect(hits[0]?.signature).toContain("order");
  });

  test(verifies("catalog:hit", "the signature follows the detail asked for"), async () => {
    const length = async (detail: "name" | "summary" | "full"): Promise<number> =>
      (await catalog.search("track_shipment", { limit: 1, detail })).hits[0]?.signature.length ?? 0;
    expect(await length("name")).toBeLessThan(await length("summary"));
    expect(await length("summary")).toBeLessThanOrEqual(await length("full"));
  });

  test(verifies("catalog:hit", "the text groups hits by server and shows each stub once"), async () => {
    const { text, hits } = await catalog.search("list files messages issues", { limit: 10 });
    for (const { namespace } of hits) expect(text.split(`# ${namespace}\n`)).toHaveLength(2);
    for (const { signature } of hits) expect(text.split(signature)).toHaveLength(2);
  });

  test(verifies("catalog:hit", "hits are ordered by score and never repeated"), async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...relevance.queries.map((query) => query.q)), async (query) => {
        const { hits } = await catalog.search(query, { limit: 100, detail: "name" });
        const scores = hits.map((hit) => hit.score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(new Set(hits.map((hit) => hit.call)).size).toBe(hits.length);
      }),
    );
  });

  test(verifies("catalog:hit", "a longer result starts with the shorter one"), async () => {
    for (const { q } of relevance.queries) {
      expect((await callsOf(q, { limit: 20 })).slice(0, 5)).toEqual(await callsOf(q, { limit: 5 }));
    }
  });

  test(
    verifies("catalog:nothing", "nothing found lists the servers with counts and the nearest names"),
    async () => {
      const { hits, total, text } = await catalog.search("trak_shipmnt");
      expect(hits).toEqual([]);
      expect(total).toBe(0);
      expect(text).toContain("weather (3 tools)");
      expect(text).toContain("store.track_shipment");
    },
  );

  test(verifies("catalog:nothing", "a catalog without tools says so"), async () => {
    expect((await catalogOf([]).search("anything")).text).toContain("No tools are connected");
  });
});

describe("bounds", () => {
  test(
    verifies("catalog:bounded", "no text makes a search, a description or a near match throw"),
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (text) => {
          expect((await catalog.search(text)).hits.length).toBeLessThanOrEqual(10);
          catalog.describe([text, `a.${text}`]);
          expect(catalog.near(text).length).toBeLessThanOrEqual(5);
        }),
      );
    },
  );

  test.each([
    "(a+)+$",
    "[",
    "",
    "*",
    "\\",
    "__proto__",
    "constructor",
    "a".repeat(100_000),
    "e\u0301 ".repeat(50_000),
  ])(verifies("catalog:bounded", "hostile query %# is answered with bounded text"), async (query) => {
    const { text } = await catalog.search(query);
    expect(text.length).toBeLessThan(20_000);
    expect(catalog.describe([query]).text.length).toBeLessThan(5_000);
  });

  test(verifies("catalog:bounded", "values of other types count as absent"), async () => {
    const search = catalog.search as (query: unknown, options?: unknown) => ReturnType<typeof catalog.search>;
    for (const query of [null, undefined, 7, {}, ["x"]]) expect((await search(query)).hits).toEqual([]);
    const { hits } = await search("file", { limit: Number.NaN, detail: "everything", server: 3 });
    expect(hits.length).toBeGreaterThan(5);
    expect((await search("file", null)).hits.length).toBeGreaterThan(5);
    expect((await search("file", { limit: -3 })).hits).toHaveLength(1);
    expect((await search("file", { limit: 1e9 })).hits.length).toBeLessThanOrEqual(100);
  });

  test(verifies("catalog:bounded", "a schema nested ten thousand deep is indexed and hashed"), async () => {
    const text = '{"properties":{"a":'.repeat(10_000) + "{}" + "}}".repeat(10_000);
    const deep = catalogOf([{ ...tool("a", "deep", "Bottomless."), inputSchema: JSON.parse(text) }]);
    expect((await deep.search("bottomless", { detail: "name" })).hits[0]?.tool).toBe("deep");
    expect(deep.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test(verifies("catalog:hostile-text", "a query is shown without controls and bounded"), async () => {
    const { text } = await catalog.search(`zzqq\n\u202e\u0007${"q".repeat(5_000)}`);
    expect(text.split("\n")[0]?.length).toBeLessThan(200);
    expect(text).not.toMatch(/[\u202e\u0007]/);
  });
});
