// Owns `catalog.search` and `catalog.describe` as calls of a script, so that one script can discover and act.
import type { CallOutcome, CallRequest } from "../contract/call.ts";
import { isJsonObject, own } from "../contract/json.ts";
import type { Detail } from "../contract/tool.ts";
import type { Catalog } from "./catalog-types.ts";

/** The server name of Callgate's own calls; no configured server may have it. */
export const BUILTIN_SERVER = "callgate";
export const CATALOG_NAMESPACE = "catalog";
export const CATALOG_METHODS: readonly string[] = ["search", "describe"];

const DETAILS: readonly string[] = ["name", "summary", "full"] satisfies Detail[];

/** Answers one of them: `search({query, limit?, server?, detail?})`, `describe({names, detail?})`. */
export async function callCatalog(catalog: Catalog, request: CallRequest): Promise<CallOutcome> {
  const args = parse(request.argumentsJson);
  const detail = args.get("detail");
  const shown = typeof detail === "string" && DETAILS.includes(detail) ? { detail: detail as Detail } : {};
  if (request.tool === "search") {
    const query = args.get("query");
    if (typeof query !== "string") return refuse(request, "query: expected a text");
    const limit = args.get("limit");
    const server = args.get("server");
    const { hits } = await catalog.search(query, {
      ...shown,
      ...(typeof limit === "number" && { limit }),
      ...(typeof server === "string" && { server }),
    });
    return { ok: true, valueJson: JSON.stringify(hits) };
  }
  const names = args.get("names");
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    return refuse(request, "names: expected an array of texts");
  }
  const { tools, unknown } = catalog.describe(names, shown);
  return { ok: true, valueJson: JSON.stringify([...tools, ...unknown]) };
}

function parse(json: string): ReadonlyMap<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.keys(value).map((key) => [key, own(value, key)]));
}

function refuse(request: CallRequest, message: string): CallOutcome {
  const { server, tool } = request;
  return {
    ok: false,
    error: {
      code: "CALL_INVALID_ARGUMENTS",
      server,
      tool,
      message: `catalog.${tool}: ${message}`,
      retryable: false,
    },
  };
}
