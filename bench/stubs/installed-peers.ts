// Owns the stub generators of other projects: bench/package.json names them, and they are loaded only if installed.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isJsonObject } from "../../contract/json.ts";
import type { NamedTool } from "../../contract/tool.ts";

type Generate = (namespace: string, tools: readonly NamedTool[]) => string | Promise<string>;

interface Source {
  readonly name: string;
  /** The entry that works under Node; a type check without the package must not look for it. */
  readonly entry: string;
  readonly load: (module: unknown) => Promise<Generate> | Generate;
}

/** A generator that runs, or the reason why it does not: a word for the table and a sentence below it. */
export type Peer = { readonly title: string } & (
  { readonly generate: Generate } | { readonly absence: string; readonly sentence: string }
);

interface Descriptor {
  readonly description: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

interface CloudflareBrowser {
  createBrowserCodeTool(options: {
    readonly tools: Readonly<Record<string, Descriptor>>;
    readonly executor: object;
    readonly description: string;
  }): { readonly description: string };
}

interface TanStack {
  generateTypeStubs(bindings: Readonly<Record<string, Descriptor>>): string;
}

interface Utcp {
  readonly CodeModeUtcpClient: { create(folder: string): Promise<UtcpClient> };
}

interface UtcpClient {
  getTools: () => Promise<readonly object[]>;
  getAllToolsTypeScriptInterfaces(): Promise<string>;
}

const SOURCES: readonly Source[] = [
  {
    name: "@cloudflare/codemode",
    // The main entry needs Workers; the browser's prints the same text, as the description of its one tool.
    entry: "@cloudflare/codemode/browser",
    load: (module) => (_namespace, tools) =>
      (module as CloudflareBrowser).createBrowserCodeTool({
        tools: descriptors(tools, ""),
        executor: {},
        description: "{{types}}",
      }).description,
  },
  {
    name: "@tanstack/ai-code-mode",
    entry: "@tanstack/ai-code-mode",
    load: (module) => (_namespace, tools) =>
      (module as TanStack).generateTypeStubs(descriptors(tools, "external_")),
  },
  {
    name: "@utcp/code-mode",
    entry: "@utcp/code-mode",
    load: async (module) => {
      const client = await (module as Utcp).CodeModeUtcpClient.create(tmpdir());
      return (namespace, tools) => {
        client.getTools = () =>
          Promise.resolve(
            tools.map(({ tool }) => ({
              name: `${namespace}.${tool.name}`,
              description: tool.description ?? "",
              inputs: tool.inputSchema,
              outputs: tool.outputSchema,
              tags: [],
            })),
          );
        return client.getAllToolsTypeScriptInterfaces();
      };
    },
  },
];

function descriptors(tools: readonly NamedTool[], prefix: string): Readonly<Record<string, Descriptor>> {
  return Object.fromEntries(
    tools.map(({ tool: { name, description, inputSchema, outputSchema } }) => [
      `${prefix}${name}`,
      { description, inputSchema, outputSchema },
    ]),
  );
}

/** The peers in the order of their columns. */
export function loadPeers(): Promise<readonly Peer[]> {
  return Promise.all(SOURCES.map(loadPeer));
}

async function loadPeer({ name, entry, load }: Source): Promise<Peer> {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  if (!existsSync(manifest)) {
    const sentence = `${name} is not installed; run \`npm install --prefix bench\` to add its column.`;
    return { title: name, absence: "not installed", sentence };
  }
  const read: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  const version = isJsonObject(read) && typeof read["version"] === "string" ? read["version"] : "?";
  const title = `${name} ${version}`;
  try {
    return { title, generate: await load(await import(entry)) };
  } catch (error) {
    return { title, absence: "failed", sentence: `${title} does not load here: ${firstLine(error)}` };
  }
}

/** The text for one server, without the tools that make the generator throw, and the number of those. */
export async function generateTolerantly(
  generate: Generate,
  namespace: string,
  tools: readonly NamedTool[],
): Promise<{ readonly text: string; readonly refused: number }> {
  try {
    return { text: await generate(namespace, tools), refused: 0 };
  } catch {
    const accepted: NamedTool[] = [];
    for (const tool of tools) if (await accepts(generate, namespace, tool)) accepted.push(tool);
    const text = accepted.length === 0 ? "" : await generate(namespace, accepted);
    return { text, refused: tools.length - accepted.length };
  }
}

async function accepts(generate: Generate, namespace: string, tool: NamedTool): Promise<boolean> {
  try {
    await generate(namespace, [tool]);
    return true;
  } catch {
    return false;
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .split("\n", 1)
    .join("")
    .slice(0, 200);
}
