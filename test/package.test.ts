// The package as its users get it: packed, installed in an empty project, called from the command line and imported.
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "./repository/sources.ts";
import { verifies } from "./requirements.ts";

const folder = mkdtempSync(join(tmpdir(), "callgate-package-"));
const project = join(folder, "project");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Outside this checkout, with the Node of this test first on the path and nothing of an enclosing npm. */
function run(command: string, args: readonly string[], cwd: string = project): SpawnSyncReturns<string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|PATH$|NODE_OPTIONS$|VITEST)/i.test(name),
  );
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((part) => !part.includes("node_modules"));
  const env = {
    ...Object.fromEntries(inherited),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
  };
  return spawnSync(command, args, { cwd, env, encoding: "utf8", shell: process.platform === "win32" });
}

function expectDone(done: SpawnSyncReturns<string>): void {
  expect(done.status, `${done.stdout}\n${done.stderr}`).toBe(0);
}

beforeAll(() => {
  expectDone(run("npm", ["pack", "--pack-destination", folder], root));
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "no tarball";
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  expectDone(run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, tarball)]));
}, 240_000);

test(verifies("repository:package-works", "npx callgate --help prints how it is used and exits 0"), () => {
  const help = run("npx", ["callgate", "--help"]);
  expectDone(help);
  expect(help.stdout).toMatch(/callgate/);
  expect(help.stdout).toMatch(/\brun\b/);
});

test(verifies("repository:package-works", "the installed library runs a script"), () => {
  writeFileSync(
    join(project, "use.js"),
    `import { createCallgate } from "callgate";
     const gate = await createCallgate({});
     const result = await gate.run("console.log(6 * 7)");
     console.log(result.status, result.output.trim(), result.error?.message ?? "");
     await gate[Symbol.asyncDispose]();`,
  );
  const done = run("node", ["use.js"]);
  expectDone(done);
  expect(done.stdout.trim()).toBe("completed 42");
});

test(verifies("cli:policy-schema", "the package carries the schema that policy schema prints"), () => {
  const use = `import schema from "callgate/policy.schema.json" with { type: "json" }; console.log(JSON.stringify(schema));`;
  writeFileSync(join(project, "schema.js"), use);
  const carried = run("node", ["schema.js"]);
  expectDone(carried);
  const printed = run("npx", ["callgate", "policy", "schema"]);
  expectDone(printed);
  expect(JSON.parse(carried.stdout)).toEqual(JSON.parse(printed.stdout));
});

test(verifies("repository:package-works", "a user's program type-checks against the installed types"), () => {
  writeFileSync(
    join(project, "use.ts"),
    `import { createCallgate, type RunResult } from "callgate";
     export async function answer(): Promise<string> {
       await using gate = await createCallgate({});
       const result: RunResult = await gate.run("return 42");
       return result.output;
     }`,
  );
  const tsc = join(project, "node_modules/typescript/bin/tsc");
  const strict = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--lib",
    "es2024,esnext.disposable",
  ];
  expectDone(run("node", [tsc, ...strict, "use.ts"]));
});

test(
  verifies(
    "adapters:peers",
    "no framework is installed with the package, and only its own adapter asks for it",
  ),
  () => {
    writeFileSync(
      join(project, "adapters.js"),
      `for (const name of ["anthropic", "openai", "ai-sdk", "openai-agents", "langchain"])
         console.log(name, await import("callgate/" + name).then(() => "loads", ({ message }) => message.split("'")[1]));`,
    );
    const done = run("node", ["adapters.js"]);
    expectDone(done);
    expect(done.stdout.trim().split("\n")).toEqual([
      "anthropic loads",
      "openai loads",
      "ai-sdk ai",
      "openai-agents @openai/agents",
      "langchain @langchain/core",
    ]);
  },
);

test(verifies("repository:package-contents", "the tarball holds what is published and nothing else"), () => {
  const installed = join(project, "node_modules/callgate");
  const top = readdirSync(installed).toSorted();
  const wanted = ["LICENSE", "README.md", "SECURITY.md", "dist", "docs", "package.json"];
  expect(top.filter((name) => name !== "node_modules")).toEqual(wanted);
  const built = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
  const source = built.filter((name) => /(?<!\.d)\.ts$|\.tmp$|\.test\./.test(name));
  expect(source).toEqual([]);
  expect(built).toEqual(expect.arrayContaining(["index.js", "index.d.ts", "THIRD-PARTY-LICENSES.txt"]));
  expect(built.filter((name) => name.startsWith(join("runtime", "guest")))).toEqual([]);
});
