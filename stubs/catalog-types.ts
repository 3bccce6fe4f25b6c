// Owns the shapes of a catalog: what can be asked of it and what it answers.
import type { Detail, NamedTool } from "../contract/tool.ts";
import type { DescribeOptions, DescribeResult } from "./describe.ts";
import type { Embed } from "./search/vectors.ts";

/** One tool of a listing. */
export interface ListedTool {
  readonly server: string;
  /** Raw name. */
  readonly tool: string;
  readonly namespace: string;
  readonly identifier: string;
  /** `namespace.identifier`, what a script writes. */
  readonly call: string;
  /** The stub at the detail asked for. */
  readonly signature: string;
  /** First sentence, at most 160 UTF-16 units. */
  readonly description: string;
}

/** One tool a search found. */
export interface SearchHit extends ListedTool {
  /** Higher is better; comparable within one result only. */
  readonly score: number;
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Tools that match at all. */
  readonly total: number;
  /** The same for a model, grouped by server; when nothing matches, what there is. */
  readonly text: string;
  /** What did not go as asked, such as an embedding function that failed. */
  readonly notes: readonly string[];
}

export interface SearchOptions {
  /** Hits at most, 1 to 100. @defaultValue 10 */
  readonly limit?: number;
  /** Only tools of this server: configured name or namespace. */
  readonly server?: string;
  /** Detail of `signature`. @defaultValue "summary" */
  readonly detail?: Detail;
  /** Ends the wait for an embedding function; the answer is then by keywords. */
  readonly signal?: AbortSignal;
}

export interface CatalogOptions {
  /** Context window of the model, tokens. @defaultValue 200 000 */
  readonly contextWindow?: number;
  /** Share of the window the listing may take, above 0 and at most 1; 0.01 to 0.05 recommended. @defaultValue 0.02 */
  readonly threshold?: number;
  /** Servers whose lines come first, in this order: those a conversation has already been told of. */
  readonly pinnedOrder?: readonly string[];
  /** Turns texts into vectors; ranks by meaning are then fused with ranks by keyword. */
  readonly embed?: Embed;
  /** Longest wait of one search for `embed`, ms. @defaultValue 5 000 */
  readonly embedTimeoutMs?: number;
}

/** What a model is told of the tools before it asks. */
export interface CatalogText {
  readonly text: string;
  /** `inline`: every stub; `names`: every name; `servers`: server names with counts. */
  readonly form: "inline" | "names" | "servers";
  /** True when every tool is in the text. */
  readonly complete: boolean;
  /** Estimated by classes of characters (`estimateTokens`), mostly a little high. */
  readonly tokens: number;
}

/** An immutable snapshot of a set of tools. Makes no calls and keeps no state but caches. */
export interface Catalog {
  /** In catalog order: `pinnedOrder`, then by server and raw name. */
  readonly tools: readonly NamedTool[];
  /** SHA-256 over definitions and identifiers; independent of order. */
  readonly hash: string;
  /** Exact names first, then keywords. Never throws on any query. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** All tools; or those of one server (configured name or namespace), its resources and prompts too. @defaultValue detail "summary" */
  list(options?: { readonly server?: string; readonly detail?: Detail }): readonly ListedTool[];
  /** Stubs of several tools, asked for by any spelling of their names. Never throws on any name. */
  describe(names: readonly string[], options?: DescribeOptions): DescribeResult;
  /** The same bytes for the same tools. Throws `CONFIG_INVALID` on a budget that is not a number ≥ 0. */
  text(options?: { readonly budgetTokens?: number }): CatalogText;
  /** Tools whose names look like this one, on any server, best first. @defaultValue 5 */
  near(name: string, limit?: number): readonly NamedTool[];
  get(namespace: string, identifier: string): NamedTool | undefined;
}
