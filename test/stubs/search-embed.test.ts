// Shows search with a caller's embedding function, and what is left when that function fails.
import { expect, test } from "vitest";
import type { Embed } from "../../stubs/catalog.ts";
import { catalogOf, named, tool } from "../fixtures/catalog/named.ts";
import { createCatalog } from "../../stubs/catalog.ts";
import { relevance } from "../fixtures/catalog/relevance.ts";
import { verifies } from "../requirements.ts";

// A toy model of meaning: one dimension per topic, lit by any word of the topic.
const TOPICS = [
  /parcel|shipment|package|deliver/i,
  /rain|umbrella|forecast/i,
  /colleague|person|assign/i,
  /file/i,
];

function toyEmbed(): { readonly embed: Embed; readonly texts: string[] } {
  const texts: string[] = [];
  const embed: Embed = (batch) => {
    texts.push(...batch);
    return Promise.resolve(batch.map((text) => [0.01, ...TOPICS.map((topic) => (topic.test(text) ? 1 : 0))]));
  };
  return { embed, texts };
}

const plain = createCatalog(named(relevance.tools));

test(
  verifies("catalog:embed", "a need that shares no word with the description is found by meaning"),
  async () => {
    expect((await plain.search("umbrella")).hits).toEqual([]);
    const { hits, notes } = await createCatalog(named(relevance.tools), { embed: toyEmbed().embed }).search(
      "umbrella",
    );
    expect(hits[0]?.call).toBe("weather.get_forecast");
    expect(notes).toEqual([]);
  },
);

test(verifies("catalog:embed", "an exact name stays first whatever the vectors say"), async () => {
  const catalog = createCatalog(named(relevance.tools), { embed: toyEmbed().embed });
  for (const name of ["addComment", "mcp__files__read_file", "list_folders"]) {
    const [first] = (await plain.search(name)).hits;
    expect((await catalog.search(name)).hits[0]?.call).toBe(first?.call);
  }
});

test(
  verifies("catalog:embed", "a tool that both rankings hold comes before one that only one holds"),
  async () => {
    const embed: Embed = (texts) =>
      Promise.resolve(texts.map((text) => [1, /alpha|beta/.test(text) ? 1 : 0]));
    const catalog = catalogOf(
      [tool("s", "alpha", "red"), tool("s", "beta", "blue"), tool("s", "gamma", "red red")],
      {
        embed,
      },
    );
    expect((await catalog.search("alpha red things")).hits[0]?.tool).toBe("alpha");
  },
);

test(
  verifies("catalog:embed", "a definition is embedded once, also across catalogs of the same function"),
  async () => {
    const { embed, texts } = toyEmbed();
    const first = catalogOf([tool("s", "a", "File."), tool("s", "b", "Rain.")], { embed });
    await Promise.all([first.search("file"), first.search("rain")]);
    expect(texts.toSorted()).toHaveLength(4);
    const second = catalogOf([tool("s", "a", "File."), tool("s", "b", "Rain, often."), tool("s", "c", "")], {
      embed,
    });
    await second.search("file");
    expect(texts.slice(4).filter((text) => text.startsWith("s "))).toHaveLength(2);
  },
);

test(verifies("catalog:embed", "the server filter holds for ranks by meaning too"), async () => {
  const catalog = createCatalog(named(relevance.tools), { embed: toyEmbed().embed });
  const { hits } = await catalog.search("umbrella", { server: "store", limit: 50 });
  expect(new Set(hits.map((hit) => hit.server))).toEqual(new Set(["store"]));
});

const FAULTS: readonly (readonly [string, Embed])[] = [
  ["rejects", () => Promise.reject(new Error("no key"))],
  [
    "throws",
    () => {
      throw new Error("no key");
    },
  ],
  [
    "throws a value that is no error",
    () => {
      throw null;
    },
  ],
  ["hangs", () => new Promise<never>(() => undefined)],
  ["returns too few", () => Promise.resolve([[1]])],
  ["returns nothing", () => Promise.resolve(undefined as never)],
  ["returns texts", (texts) => Promise.resolve(texts as never)],
  ["returns empty vectors", (texts) => Promise.resolve(texts.map(() => []))],
  ["returns no numbers", (texts) => Promise.resolve(texts.map(() => [Number.NaN, 1]))],
  [
    "returns vectors of several lengths",
    (texts) => Promise.resolve(texts.map((_, at) => [1, ...texts.slice(0, at).map(() => 1)])),
  ],
];

test.each(FAULTS)(
  verifies("catalog:embed-degrades", "an embedding function that %s leaves the keyword result and a note"),
  async (_, embed) => {
    const catalog = createCatalog(named(relevance.tools), { embed, embedTimeoutMs: 20 });
    const { hits, notes, text } = await catalog.search("where is my parcel");
    expect(hits).toEqual((await plain.search("where is my parcel")).hits);
    expect(notes).toEqual([expect.stringContaining("keywords only")]);
    expect(text).toContain("keywords only");
  },
);

test(verifies("catalog:embed-degrades", "an aborted search answers by keywords"), async () => {
  const catalog = createCatalog(named(relevance.tools), { embed: () => new Promise<never>(() => undefined) });
  const { hits } = await catalog.search("where is my parcel", { signal: AbortSignal.abort() });
  expect(hits[0]?.call).toBe("store.track_shipment");
});

test(verifies("catalog:embed-degrades", "after a failure the next search tries again"), async () => {
  const { embed } = toyEmbed();
  let failures = 2;
  const flaky: Embed = (texts) => (failures-- > 0 ? Promise.reject(new Error("later")) : embed(texts));
  const catalog = createCatalog(named(relevance.tools), { embed: flaky });
  expect((await catalog.search("umbrella")).notes).toHaveLength(1);
  expect((await catalog.search("umbrella")).hits[0]?.call).toBe("weather.get_forecast");
});
