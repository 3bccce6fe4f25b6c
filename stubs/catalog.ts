// Owns the catalog: an immutable, searchable snapshot of a set of tools.
import { CallgateError } from "../contract/error.ts";
import type { Detail, NamedTool } from "../contract/tool.ts";
import { catalogHash } from "./catalog-hash.ts";
import { callOf } from "./catalog-line.ts";
import { groupByServer, type ServerGroup } from "./catalog-order.ts";
import { stubOf } from "./catalog-stub.ts";
import { emitCatalogText } from "./catalog-text.ts";
import type {
  Catalog,
  CatalogOptions,
  CatalogText,
  ListedTool,
  SearchHit,
  SearchOptions,
  SearchResult,
} from "./catalog-types.ts";
import { describeTools } from "./describe.ts";
import { firstSentence } from "./emit-text.ts";
import { foundText, nothingText } from "./search/answer.ts";
import { isMeant, isMethod } from "./methods.ts";
import { createNameIndex, spelledOnly } from "./search/names.ts";
import { createNearIndex } from "./search/near.ts";
import { createSearchIndex, MAX_QUERY } from "./search/rank.ts";
import { createVectorIndex } from "./search/vectors.ts";
import { compactForm } from "./search/words.ts";

export type {
  Catalog,
  CatalogOptions,
  CatalogText,
  SearchHit,
  SearchOptions,
  SearchResult,
} from "./catalog-types.ts";
export type { DescribedTool, DescribeOptions, DescribeResult, UnknownName } from "./describe.ts";
export type { Embed } from "./search/vectors.ts";

const DEFAULT_WINDOW = 200_000;
const DEFAULT_THRESHOLD = 0.02;
const DEFAULT_EMBED_MS = 5_000;
const DEFAULT_LIMIT = 10;
const MAX_DESCRIPTION = 160;
const MAX_LIMIT = 100;
const DEFAULT_NEAR = 5;
const MAX_CACHED_TEXTS = 16;

/**
 * Makes a catalog of tools with names. Nothing is indexed before the first search.
 * Throws `CONFIG_INVALID` when `contextWindow` is not a number above 0 or `threshold` not above 0 and at most 1.
 */
export function createCatalog(tools: readonly NamedTool[], options: CatalogOptions = {}): Catalog {
  const budget = budgetOf(options);
  const { embed, embedTimeoutMs = DEFAULT_EMBED_MS } = options;
  const groups = groupByServer(tools, options.pinnedOrder);
  const ordered = Object.freeze(groups.flatMap((group) => group.tools));
  const byPath = new Map(ordered.map((named) => [callOf(named), named]));
  const hash = lazy(() => catalogHash(ordered));
  const names = lazy(() => createNameIndex(ordered));
  const index = lazy(() => createSearchIndex(ordered, names()));
  const nearIndex = lazy(() => createNearIndex(ordered));
  const vectors = lazy(() =>
    embed === undefined ? undefined : createVectorIndex(ordered, embed, embedTimeoutMs),
  );
  const texts = new Map<number, CatalogText>();
  const toolsAt = (positions: readonly number[]): NamedTool[] =>
    positions.map((position) => ordered[position] as NamedTool);
  const near = (name: string, limit: number): NamedTool[] => toolsAt(nearIndex().near(textOf(name), limit));

  const search = async (query: string, given?: SearchOptions | null): Promise<SearchResult> => {
    const options = given ?? {};
    const text = textOf(query).slice(0, MAX_QUERY);
    const detail = detailOf(options.detail, "summary");
    const limit = limitOf(options.limit, DEFAULT_LIMIT);
    const server = typeof options.server === "string" && options.server !== "" ? options.server : undefined;
    const servers = server === undefined ? undefined : serversOf(groups, server);
    const browsing = text.trim() === "" && server !== undefined;
    const accepts = (position: number): boolean => {
      const named = ordered[position] as NamedTool;
      return (servers === undefined || servers.has(named.tool.server)) && (browsing || isMeant(named, text));
    };
    const notes: string[] = [];
    let byMeaning: readonly number[] | undefined;
    if (text.trim() !== "") {
      const ranking = await vectors()?.rank(text, accepts, options.signal);
      if (ranking?.note !== undefined) notes.push(ranking.note);
      else byMeaning = ranking?.positions;
    }
    // No query, but a server: its tools in order, for browsing.
    const { ranked, total } = browsing
      ? browse(ordered, accepts, limit)
      : index().rank(text, { limit, accepts, ...(byMeaning === undefined ? {} : { byMeaning }) });
    if (ranked.length === 0) {
      const like = near(text.trim(), DEFAULT_NEAR);
      return {
        hits: [],
        total: 0,
        text: nothingText({
          query: text,
          server,
          serverExists: servers?.size !== 0,
          groups,
          near: like,
          notes,
        }),
        notes,
      };
    }
    const hits = ranked.map(({ position, score }) => hitOf(ordered[position] as NamedTool, score, detail));
    const found = toolsAt(ranked.map((entry) => entry.position));
    return { hits, total, text: foundText({ query: text, server, found, total, detail, notes }), notes };
  };

  return {
    tools: ordered,
    get hash() {
      return hash();
    },
    search,
    list: (given) => {
      const detail = detailOf(given?.detail, "summary");
      const servers = given?.server === undefined ? undefined : serversOf(groups, given.server);
      const listed = ordered.filter((named) =>
        servers === undefined ? !isMethod(named) : servers.has(named.tool.server),
      );
      return listed.map((named) => listedOf(named, detail));
    },
    describe(asked: unknown, options) {
      const list: readonly unknown[] = Array.isArray(asked) ? asked : [asked];
      const exact = (name: string): readonly NamedTool[] => {
        const called = byPath.get(name);
        return called === undefined
          ? spelledOnly(toolsAt(names().exact(name.slice(0, MAX_QUERY))), name)
          : [called];
      };
      const known = list.filter((name): name is string => typeof name === "string" && name !== "");
      return describeTools({ groups, exact, near }, known, detailOf(options?.detail, "full"));
    },
    text({ budgetTokens = budget } = {}) {
      if (!(typeof budgetTokens === "number" && budgetTokens >= 0)) {
        throw invalid("budgetTokens", budgetTokens, "a number of tokens, 0 or more");
      }
      let made = texts.get(budgetTokens);
      if (made === undefined) {
        made = emitCatalogText(groups, budgetTokens);
        if (texts.size >= MAX_CACHED_TEXTS) texts.clear();
        texts.set(budgetTokens, made);
      }
      return made;
    },
    near: (name, limit) => near(name, limitOf(limit, DEFAULT_NEAR)),
    get: (namespace, identifier) => byPath.get(`${namespace}.${identifier}`),
  };
}

function hitOf(named: NamedTool, score: number, detail: Detail): SearchHit {
  return { ...listedOf(named, detail), score };
}

function listedOf(named: NamedTool, detail: Detail): ListedTool {
  const { tool, namespace, identifier } = named;
  return {
    server: tool.server,
    tool: tool.name,
    namespace,
    identifier,
    call: callOf(named),
    signature: stubOf(named, detail).text,
    description: firstSentence(tool.description ?? tool.title ?? "", MAX_DESCRIPTION),
  };
}

function browse(
  tools: readonly NamedTool[],
  accepts: (position: number) => boolean,
  limit: number,
): { ranked: readonly { position: number; score: number }[]; total: number } {
  const all = [...tools.keys()].filter(accepts);
  return { ranked: all.slice(0, limit).map((position) => ({ position, score: 0 })), total: all.length };
}

/** Configured names of the servers a filter means: by name or namespace, else by any spelling; usually one or none. */
function serversOf(groups: readonly ServerGroup[], filter: string): ReadonlySet<string> {
  const exact = groups.filter((group) => group.server === filter || group.namespace === filter);
  const form = compactForm(filter);
  const like = groups.filter((group) => form !== "" && compactForm(group.server) === form);
  return new Set((exact.length > 0 ? exact : like).map((group) => group.server));
}

function budgetOf({ contextWindow = DEFAULT_WINDOW, threshold = DEFAULT_THRESHOLD }: CatalogOptions): number {
  if (!(Number.isFinite(contextWindow) && contextWindow > 0)) {
    throw invalid("contextWindow", contextWindow, "a number of tokens above 0");
  }
  if (!(Number.isFinite(threshold) && threshold > 0 && threshold <= 1)) {
    throw invalid(
      "threshold",
      threshold,
      "a share above 0 and at most 1, such as 0.02 (0.01 to 0.05 recommended)",
    );
  }
  return Math.floor(contextWindow * threshold);
}

function invalid(name: string, value: unknown, wanted: string): CallgateError {
  const shown = String(value).slice(0, 40);
  return new CallgateError("CONFIG_INVALID", `catalog.${name} is ${shown}; it must be ${wanted}.`, {
    data: { name },
  });
}

// Security: a script or a model may send any value where a type says otherwise.
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function limitOf(value: unknown, otherwise: number): number {
  if (typeof value !== "number" || Number.isNaN(value)) return otherwise;
  return Math.trunc(Math.min(MAX_LIMIT, Math.max(1, value)));
}

function detailOf(value: unknown, otherwise: Detail): Detail {
  return value === "name" || value === "summary" || value === "full" ? value : otherwise;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
