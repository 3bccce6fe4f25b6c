// Owns the port to whatever provides tools: an MCP server or a set of local functions.
import type { ValuePath } from "../../contract/content.ts";
import type { JsonObject, JsonValue } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import type { Asker } from "./asker.ts";
import type { AuthStatus } from "./auth/session.ts";

/** What a tool answered, after repairs. Untrusted; plain JSON of its own, shared with nobody. */
export interface UpstreamResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonValue;
  /** Where in `structuredContent` each block of `content` belongs; there is null until then. */
  readonly places?: readonly ValuePath[];
  /** True when the tool itself reports failure; never thrown by `call`. */
  readonly isError: boolean;
  /** Repairs made to the answer, one sentence each. */
  readonly notes: readonly string[];
}

/** How one upstream is doing. All texts are bounded and printable. */
export interface UpstreamStatus {
  readonly server: string;
  readonly state: "idle" | "connecting" | "ready" | "failed" | "closed";
  /** One line; for a stdio server it ends with the last lines of its stderr. */
  readonly error?: string;
  /** Negotiated MCP revision; absent before the first connection and for local functions. */
  readonly protocolVersion?: string;
  /** How the sign-in to an HTTP server stands; absent where none is known to be needed. */
  readonly auth?: AuthStatus;
  /** Dropped or repaired tools, a stale list, lines on stdout that are no messages. */
  readonly notes: readonly string[];
}

/** How far a list of tools must be relied on. */
export type Accept = "known" | "current" | "confirmed";

/** How far a list of tools can be relied on. */
export interface ListAge {
  /** There is one. */
  readonly known: boolean;
  /** Its time is over, or the server says that it changed. */
  readonly outdated: boolean;
  /** The server itself sent it, to this process, and was not away since. */
  readonly confirmed: boolean;
  /** The server says how long it holds. */
  readonly stated: boolean;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface UpstreamCallOptions {
  readonly signal: AbortSignal;
  /** Time without progress, ms. Progress extends it, up to ten times this in total. */
  readonly timeoutMs: number;
  /** Whose run calls; told to local functions, never sent to a server. @defaultValue "default" */
  readonly principal?: string;
  readonly onProgress?: (progress: Progress) => void;
  /** For the request's `_meta`. Security: made by Callgate, never of what a script wrote. Of no effect on local functions. */
  readonly meta?: Readonly<Record<string, string>>;
  /** Told of each request as it goes out; a call that is tried again has several. */
  readonly onRequest?: (request: { readonly id: string; readonly sessionId: string | undefined }) => void;
  /** Answers what the server asks meanwhile; the time limit stands still then. Without it everything is declined. */
  readonly asker?: Asker;
}

export interface Upstream extends AsyncDisposable {
  /** The configured name. */
  readonly server: string;
  /**
   * Every tool, all pages; connects on first need, cached until the server says the list changed.
   * When a refresh fails the last known list is served, with a note in `status()`. `accept: "known"` is content with a
   * list whose time is over, from memory too, unless the server said that it changed; `"confirmed"` wants what the server itself says in this
   * process. @defaultValue "current"
   * Throws `CALL_UPSTREAM_UNAVAILABLE` naming the server and its last stderr lines, `CALL_CANCELLED`, `DISPOSED`.
   */
  tools(options: {
    readonly signal: AbortSignal;
    readonly accept?: Accept;
  }): Promise<readonly ToolDefinition[]>;
  age(): ListAge;
  /**
   * Calls one tool; an `isError` result is returned. Throws `CALL_TIMEOUT`, `CALL_CANCELLED` (own signal),
   * `CALL_UPSTREAM_UNAVAILABLE` (dead server), `CALL_TOOL_ERROR` (JSON-RPC error), `DISPOSED`.
   * `data.sent` is true when the request may have reached the tool.
   */
  call(tool: ToolDefinition, args: JsonObject, options: UpstreamCallOptions): Promise<UpstreamResult>;
  status(): UpstreamStatus;
  /** True when a person has signed in since that was asked for: `tools()` may work now. */
  revived?(): Promise<boolean>;
  /** The next `tools()` may differ. Listeners live as long as the upstream. */
  onToolsChanged(listener: () => void): void;
}
