// The configurations of docs/serve.md, as a reader copies them.
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { createProgram, type Handlers } from "../../cli/program.ts";
import { verifies } from "../requirements.ts";

const text = readFileSync(new URL("../../docs/serve.md", import.meta.url), "utf8");
const blocks = (language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

/** What the command line makes of the arguments; rejects when they are wrong. */
async function parsed(args: readonly string[]): Promise<unknown> {
  let seen: unknown;
  const handlers = new Proxy({} as Handlers, {
    get: (_target, name) => (flags: unknown) => {
      seen = { command: name, flags };
      return Promise.resolve(0);
    },
  });
  const program = createProgram(handlers, { version: "0", done: () => {} }).exitOverride();
  for (const command of program.commands) command.exitOverride();
  await program.parseAsync([...args], { from: "user" });
  return seen;
}

interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
}

test(
  verifies("server:snippets", "each host's configuration starts callgate serve with a configuration"),
  async () => {
    const entries = blocks("json").map((block) => {
      const { mcpServers, servers } = JSON.parse(block) as Record<string, Record<string, Entry> | undefined>;
      return (mcpServers ?? servers)?.["callgate"] as Entry;
    });
    expect(entries).toHaveLength(5);
    const toml = blocks("toml")[0] ?? "";
    const args = JSON.parse(/^args = (.*)$/m.exec(toml)?.[1] ?? "[]") as readonly string[];
    for (const entry of [...entries, { command: /^command = "(.*)"$/m.exec(toml)?.[1] ?? "", args }]) {
      if (entry.url !== undefined) {
        expect(new URL(entry.url).pathname).toBe("/mcp");
        continue;
      }
      expect([entry.command, ...(entry.args ?? []).slice(0, 2)]).toEqual(["npx", "-y", "callgate"]);
      const seen = await parsed((entry.args ?? []).slice(2));
      expect(seen).toMatchObject({
        command: "serve",
        flags: { config: expect.stringMatching(/callgate\.json$/) as string },
      });
    }
  },
);

test(verifies("server:snippets", "each command line of the document is one that exists"), async () => {
  const lines = blocks("sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("callgate "));
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const words = line.replace(/#.*$/, "").trim().split(/\s+/).slice(1);
    expect(await parsed(words)).toMatchObject({ command: "serve" });
  }
  await expect(parsed(["serve", "--nonsense"])).rejects.toBeInstanceOf(CommanderError);
});
