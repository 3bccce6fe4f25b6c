// The configurations of docs/serve.md and of the README, as a reader copies them.
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { createProgram, type Handlers } from "../../cli/program.ts";
import { verifies } from "../requirements.ts";

/** Document → how many configurations in JSON it has. */
const documents = [
  ["docs/serve.md", 5],
  ["README.md", 2],
] as const;
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const blocks = (text: string, language: string): readonly string[] =>
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

/** The words of `npx -y callgate …` are a command line that serves with a configuration. */
async function expectServes(words: readonly (string | undefined)[]): Promise<void> {
  expect(words.slice(0, 3)).toEqual(["npx", "-y", "callgate"]);
  expect(await parsed(words.slice(3) as readonly string[])).toMatchObject({
    command: "serve",
    flags: { config: expect.stringMatching(/callgate\.json$/) as string },
  });
}

test.each(documents)(
  verifies("server:snippets", "each host's configuration in %s starts callgate serve with a configuration"),
  async (path, count) => {
    const text = read(path);
    const entries = blocks(text, "json").map((block) => {
      const { mcpServers, servers } = JSON.parse(block) as Record<string, Record<string, Entry> | undefined>;
      return (mcpServers ?? servers)?.["callgate"] as Entry;
    });
    expect(entries).toHaveLength(count);
    for (const { url, command, args = [] } of entries) {
      if (url === undefined) await expectServes([command, ...args]);
      else expect(new URL(url).pathname).toBe("/mcp");
    }
    const toml = blocks(text, "toml")[0] ?? "";
    const args = JSON.parse(/^args = (.*)$/m.exec(toml)?.[1] ?? "[]") as readonly string[];
    await expectServes([/^command = "(.*)"$/m.exec(toml)?.[1], ...args]);
    const added = /claude mcp add callgate -- ([^`\n]*?\.json)/.exec(text)?.[1] ?? "";
    await expectServes(added.split(" "));
  },
);

test(verifies("server:snippets", "each command line of the document is one that exists"), async () => {
  const lines = blocks(read("docs/serve.md"), "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("callgate "));
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const words = line.replace(/#.*$/, "").trim().split(/\s+/).slice(1);
    expect(await parsed(words)).toMatchObject({ command: "serve" });
  }
  await expect(parsed(["serve", "--nonsense"])).rejects.toBeInstanceOf(CommanderError);
});
