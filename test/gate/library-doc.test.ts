// docs/library.md against what there is.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as library from "../../index.ts";
import { packageServer } from "../broker/upstream/support.ts";
import { verifies } from "../requirements.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/library.md");
const named = (name: string): boolean => new RegExp(`\`${name}\\b`).test(page);

/** Names of the members of an interface of gate.ts. */
function membersOf(name: string): readonly string[] {
  const [, body = ""] =
    new RegExp(`export interface ${name} [^{]*\\{\\n(.*?)\\n\\}`, "s").exec(read("gate.ts")) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?(:]/gm)].map(([, member = ""]) => member);
}

test(verifies("gate:library-page", "every function and constant of the library is on its page"), () => {
  expect(Object.keys(library).filter((name) => !named(name))).toEqual([]);
});

test.each([
  ["CallgateOptions", 15],
  ["RunOptions", 8],
  ["Gate", 10],
])(verifies("gate:library-page", "every member of %s is on the page of the library"), (name, least) => {
  const members = membersOf(name);
  expect(members.length).toBeGreaterThan(least);
  expect(members.filter((member) => !named(member))).toEqual([]);
});

test(verifies("gate:library-page", "every entry point of the package is on the page of the library"), () => {
  const { exports } = JSON.parse(read("package.json")) as { exports: Record<string, unknown> };
  const entries = Object.keys(exports).filter((entry) => entry !== "." && entry !== "./package.json");
  expect(entries.map((entry) => entry.replace(".", "callgate")).filter((entry) => !named(entry))).toEqual([]);
});

test(verifies("gate:library-page", "the example of the page runs"), async () => {
  const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const program = example
    .replace('"callgate"', JSON.stringify(fileURLToPath(new URL("../../index.ts", import.meta.url))))
    // Without what npx would fetch.
    .replace(/\{ command: "npx".*?\] \}/, JSON.stringify(packageServer("server-filesystem", ".")));
  const child = spawn(
    process.execPath,
    ["--input-type=module-typescript", "-e", `${program}\nconsole.log(status, error, calls.length);`],
    { cwd: fileURLToPath(new URL("../..", import.meta.url)), stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  await once(child, "close");
  expect(text.trim()).toBe("completed undefined 1");
});
