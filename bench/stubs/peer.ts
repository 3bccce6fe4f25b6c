// Owns the text of json-schema-to-typescript for one tool, its hands tied: no files, no addresses, no code of servers.
import { compile, type JSONSchema } from "json-schema-to-typescript";
import type { JsonObject, JsonValue } from "../../contract/json.ts";
import { isJsonObject } from "../../contract/json.ts";
import type { NamedTool } from "../../contract/tool.ts";

/** Types of input and output, and a function that uses them; `undefined` where the generator throws. */
export async function peerText({ tool, identifier }: NamedTool): Promise<string | undefined> {
  try {
    const input = await typeText(tool.inputSchema, "Input");
    const output = tool.outputSchema === undefined ? "" : await typeText(tool.outputSchema, "Output");
    const result = output === "" ? "any" : "Output";
    const words = (tool.description ?? "").replaceAll("*/", "*\\/");
    return `${input}${output}/** ${words} */\nfunction ${identifier}(input: Input): Promise<${result}>;\n`;
  } catch {
    return undefined;
  }
}

function typeText(schema: JsonObject, name: string): Promise<string> {
  return compile(tamed(schema) as JSONSchema, name, {
    bannerComment: "",
    format: false,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    cwd: "/nonexistent",
    $refOptions: { resolve: { external: false } },
  });
}

function tamed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member) => tamed(member as JsonValue));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, member]) =>
      !["tsType", "tsEnumNames", "$id"].includes(key) && !(key === "title" && typeof member === "string"),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, tamed(member)]));
}
