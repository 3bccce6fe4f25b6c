// Owns the tools and cases the stub tests run on: the shared data when it is there, the fixtures always.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { NamedTool, ToolDefinition } from "../../contract/tool.ts";
import { assignNames } from "../../stubs/names.ts";
import { cases, type SchemaCase } from "../fixtures/stubs/cases.ts";
import { servers } from "../fixtures/stubs/servers.ts";
import { dataFolder, readData } from "../support/data.ts";

interface ServerFile {
  readonly server: string;
  readonly tools: readonly Omit<ToolDefinition, "server">[];
}

/** Hand-made cases: the project's own and the shared ones. */
export const allCases: readonly SchemaCase[] = [
  ...cases,
  ...((readData("corpus/schemas-handmade.json") as readonly SchemaCase[] | undefined) ?? []),
];

const shared: readonly ToolDefinition[] =
  dataFolder === undefined
    ? []
    : readdirSync(join(dataFolder, "corpus/schemas"))
        .filter((file) => file.endsWith(".json"))
        .toSorted()
        .flatMap((file) => {
          const { server, tools } = readData(`corpus/schemas/${file}`) as ServerFile;
          return tools.map((tool) => ({ ...tool, server }));
        });

/** Tools of real servers when the data is there, else those of the fixture. */
export const corpus: readonly ToolDefinition[] = shared.length > 0 ? shared : servers;

export const isSharedCorpus: boolean = shared.length > 0;

export function named(tools: readonly ToolDefinition[]): readonly NamedTool[] {
  return assignNames(tools).named;
}

/** A tool with one schema, named as a script would have it. */
export function toolOf(schemas: Partial<ToolDefinition>): NamedTool {
  return named([{ server: "s", name: "t", inputSchema: { type: "object" }, ...schemas }])[0] as NamedTool;
}

/** Each case as a tool of one server, its schema on the side where the case has it. */
export function caseTools(
  of: readonly SchemaCase[] = allCases,
): readonly (readonly [SchemaCase, NamedTool])[] {
  const tools = of.map(({ id, inputSchema, outputSchema }) => ({
    server: "cases",
    name: id,
    inputSchema: inputSchema ?? { type: "object" },
    ...(outputSchema === undefined ? {} : { outputSchema }),
  }));
  const all = named(tools.map((tool, index) => ({ ...tool, name: `${tool.name}-${index}` })));
  return of.map((one, index) => [one, all[index] as NamedTool]);
}
