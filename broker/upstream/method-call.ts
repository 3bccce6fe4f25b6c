// Owns the calls of resources and prompts: what is asked, and the reading of answers that may have any shape.
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { ValuePath } from "../../contract/content.ts";
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { isDeeperThan } from "./depth.ts";
import { printable } from "./printable.ts";
import type { UpstreamResult } from "./upstream.ts";

const MAX_DEPTH = 500;
/** Of one list call; the cursor of the next is in its answer then. */
const MAX_PAGES = 50;
const MAX_ITEMS = 5_000;
const MAX_UNITS = 16 << 20;
const MAX_NOTES = 20;

/** Takes every result as it is: what is wrong with it is read here, part by part. */
const ANYTHING = {
  "~standard": { version: 1 as const, vendor: "callgate", validate: (value: unknown) => ({ value }) },
};

type Ask = (params: JsonObject) => Promise<JsonValue>;

/** Answers a call of one of the methods. Rejects with the SDK's error. */
export async function callMethod(
  client: Client,
  method: string,
  args: JsonObject,
  options: RequestOptions,
  meta?: Readonly<Record<string, string>>,
): Promise<UpstreamResult> {
  // Security: every `params` below is made of chosen members, so that no `_meta` of a script is among them.
  const ask: Ask = async (params) => {
    const whole = meta === undefined ? params : { ...params, _meta: { ...meta } };
    return (await client.request({ method, params: whole }, ANYTHING, options)) as JsonValue;
  };
  switch (method) {
    case "resources/list":
      return list(ask, args, "resources", "uri");
    case "resources/templates/list":
      return list(ask, args, "resourceTemplates", "uriTemplate");
    case "prompts/list":
      return list(ask, args, "prompts", "name");
    case "resources/read":
      return readResource(await ask({ uri: args["uri"] ?? "" }));
    default: {
      const { name = "", arguments: given } = args;
      return readPrompt(await ask({ name, ...(given !== undefined && { arguments: given }) }));
    }
  }
}

/** All pages from the cursor on, as far as the bounds go. */
async function list(ask: Ask, args: JsonObject, key: string, id: string): Promise<UpstreamResult> {
  const items: JsonObject[] = [];
  const notes: string[] = [];
  const seen = new Set<string>();
  let cursor = textAt(args, "cursor");
  if (cursor !== undefined) seen.add(cursor);
  let units = 0;
  for (let pages = 0; pages < MAX_PAGES && items.length < MAX_ITEMS && units < MAX_UNITS; pages += 1) {
    const page = await ask(cursor === undefined ? {} : { cursor });
    units += JSON.stringify(page)?.length ?? 0;
    const listed = isJsonObject(page) ? own(page, key) : undefined;
    if (!Array.isArray(listed)) notes.push(`an answer has no list of ${key}`);
    else takeItems(listed as readonly JsonValue[], { key, id, items, notes });
    cursor = isJsonObject(page) ? textAt(page, "nextCursor") : undefined;
    if (cursor === undefined) break;
    if (seen.has(cursor)) {
      notes.push("the server gave a cursor for the second time; the list ends here");
      cursor = undefined;
      break;
    }
    seen.add(cursor);
  }
  return answer({ [key]: items, ...(cursor !== undefined && { nextCursor: cursor }) }, notes);
}

function takeItems(
  listed: readonly JsonValue[],
  into: { readonly key: string; readonly id: string; readonly items: JsonObject[]; readonly notes: string[] },
): void {
  const { key, id, items, notes } = into;
  for (const item of listed) {
    if (items.length >= MAX_ITEMS)
      return void notes.push(`more than ${MAX_ITEMS} ${key}; the rest was left out`);
    if (!isJsonObject(item) || typeof own(item, id) !== "string") {
      notes.push(`an item without ${id} was left out`);
    } else if (isDeeperThan(item, MAX_DEPTH)) {
      notes.push(`${JSON.stringify(printable(own(item, id) as string, 80))} nests too deep and was left out`);
    } else items.push(item);
  }
}

function readResource(result: JsonValue): UpstreamResult {
  const notes: string[] = [];
  const contents: JsonValue[] = [];
  const binary: JsonObject[] = [];
  const places: ValuePath[] = [];
  for (const item of listAt(result, "contents", notes)) {
    if (!isJsonObject(item) || isDeeperThan(item, MAX_DEPTH)) {
      notes.push("a content that is no object, or nests too deep, was left out");
    } else if (typeof own(item, "blob") === "string") {
      binary.push({ type: "resource", resource: item });
      places.push(["contents", contents.length]);
      contents.push(null);
    } else if (typeof own(item, "text") === "string") contents.push(item);
    else notes.push("a content without text and blob was left out");
  }
  return { ...answer({ contents }, notes), content: binary, places };
}

function readPrompt(result: JsonValue): UpstreamResult {
  const notes: string[] = [];
  const messages: JsonValue[] = [];
  const binary: JsonObject[] = [];
  const places: ValuePath[] = [];
  const description = isJsonObject(result) ? textAt(result, "description") : undefined;
  for (const item of listAt(result, "messages", notes)) {
    const content = isJsonObject(item) ? own(item, "content") : undefined;
    const role = isJsonObject(item) ? textAt(item, "role") : undefined;
    if (role === undefined || !isJsonObject(content) || isDeeperThan(content, MAX_DEPTH)) {
      notes.push("a message without role or content, or that nests too deep, was left out");
      continue;
    }
    places.push(["messages", messages.length, "content"]);
    binary.push(content);
    messages.push({ role, content: null });
  }
  const value = { ...(description !== undefined && { description }), messages };
  return { ...answer(value, notes), content: binary, places };
}

function listAt(result: JsonValue, key: string, notes: string[]): readonly JsonValue[] {
  const listed = isJsonObject(result) ? own(result, key) : undefined;
  if (Array.isArray(listed)) return listed as readonly JsonValue[];
  notes.push(`the answer has no list of ${key}`);
  return [];
}

function answer(value: JsonObject, notes: readonly string[]): UpstreamResult {
  const told = [...new Set(notes)].slice(0, MAX_NOTES);
  const structuredContent = told.length === 0 ? value : { ...value, notes: told };
  return { content: [], structuredContent, isError: false, notes: told };
}

function textAt(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === "string" ? value : undefined;
}
