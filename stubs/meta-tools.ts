// Owns the three tools an agent gives its model. Their definitions change only when the set of tools does.
import { z } from "zod";
import type { EmittedContent } from "../contract/content.ts";
import type { JsonObject, JsonValue } from "../contract/json.ts";
import type { RunResult } from "../contract/result.ts";
import type { Catalog } from "./catalog-types.ts";
import { instructions } from "./instructions.ts";
import { resultText } from "./result-text.ts";

export interface MetaToolDefinition<Options> {
  readonly name: "search_tools" | "get_tool_details" | "run_script";
  readonly description: string;
  readonly inputSchema: JsonObject;
  execute(input: unknown, options?: Options): Promise<MetaToolAnswer>;
}

export interface MetaToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structuredContent: JsonValue;
  readonly content?: readonly EmittedContent[];
}

export interface MetaToolPowers<Options> {
  /** Of the tools as last listed. */
  readonly catalog: () => Catalog;
  /** After tools that changed have been listed again. */
  readonly fresh: () => Promise<Catalog>;
  readonly run: (script: string, options: Options | undefined) => Promise<RunResult>;
  /** What else a model must know of this gate. */
  readonly note?: string;
}

const detail = z.enum(["name", "summary", "full"]);
const searchInput = z.strictObject({
  query: z.string().describe("What the tool should do, in a few words, or a tool name."),
  limit: z.int().min(1).max(50).optional().describe("Hits, default 10."),
  server: z.string().optional().describe("Only this server."),
  detail: detail.optional().describe("How much of each tool, default summary."),
});
const describeInput = z.strictObject({
  names: z.array(z.string()).min(1).max(50).describe("Tool names, as server.tool."),
  detail: detail.optional().describe("Default full."),
});
const runInput = z.strictObject({ script: z.string().describe("The TypeScript script.") });

export function createMetaTools<Options>(
  powers: MetaToolPowers<Options>,
): readonly MetaToolDefinition<Options>[] {
  const { catalog, fresh, run, note } = powers;
  return [
    define(
      "search_tools",
      "Finds tools by need or name and shows how to call them.",
      searchInput,
      async (input) => {
        const { query, limit, server, detail: shown } = input;
        const found = await (
          await fresh()
        ).search(query, {
          ...(limit !== undefined && { limit }),
          ...(server !== undefined && { server }),
          ...(shown !== undefined && { detail: shown }),
        });
        return { isError: false, text: found.text, structuredContent: { hits: asJson(found.hits) } };
      },
    ),
    define(
      "get_tool_details",
      "Shows the complete signature and documentation of tools.",
      describeInput,
      async (input) => {
        const { names, detail: shown } = input;
        const { text, tools, unknown } = (await fresh()).describe(
          names,
          shown === undefined ? {} : { detail: shown },
        );
        const structuredContent = { tools: asJson(tools), unknown: asJson(unknown) };
        return { isError: tools.length === 0, text, structuredContent };
      },
    ),
    define(
      "run_script",
      instructions(catalog().text().text, note),
      runInput,
      async ({ script }, options: Options | undefined) => {
        const result = await run(script, options);
        const { status, error, calls, usage, content } = result;
        const structuredContent = asJson({ status, ...(error !== undefined && { error }), calls, usage });
        const emitted = content === undefined ? {} : { content };
        return { isError: status === "failed", text: resultText(result), structuredContent, ...emitted };
      },
    ),
  ];
}

function define<Input, Options>(
  name: MetaToolDefinition<Options>["name"],
  description: string,
  schema: z.ZodType<Input>,
  answer: (input: Input, options: Options | undefined) => MetaToolAnswer | Promise<MetaToolAnswer>,
): MetaToolDefinition<Options> {
  const inputSchema = asJson(z.toJSONSchema(schema)) as JsonObject;
  return {
    name,
    description,
    inputSchema,
    async execute(input, options) {
      const parsed = schema.safeParse(input);
      if (parsed.success) return answer(parsed.data, options);
      const text = `${name}: ${z.prettifyError(parsed.error).slice(0, 1_000)}`;
      return { isError: true, text, structuredContent: { error: text } };
    },
  };
}

function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
