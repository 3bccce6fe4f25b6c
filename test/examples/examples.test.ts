// Every example, executed: what it prints is what its README says it prints.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { verifies } from "../requirements.ts";
import { examples, node, outputOf, readmeOf, root } from "./support.ts";

beforeAll(build, 240_000);

const printing = examples.filter((name) => outputOf(name) !== undefined);

test.each(printing)(
  verifies("examples:run", "%s prints what its README says"),
  (name) => {
    const { code, stdout, stderr } = node([join("examples", name, "main.ts")]);
    // Said on a slow machine only.
    expect(stderr.replace(/^waiting for servers to start: .*\n/m, "")).toBe("");
    expect(stdout).toBe(outputOf(name));
    expect(code).toBe(0);
  },
  120_000,
);

test(
  verifies("examples:join-cli", "callgate run prints the rows that main.ts prints"),
  () => {
    const cwd = join(root, "examples/two-server-join");
    const { code, stdout, stderr } = node(
      [join(root, "dist/cli/main.js"), "run", "--trust-config", "script.ts"],
      cwd,
    );
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe("");
    expect(outputOf("two-server-join")).toContain(stdout);
    expect(stderr).toContain("3 ok, 1 error CALL_TOOL_ERROR");
  },
  120_000,
);

test(verifies("examples:complete", "each folder has a README, and a test that runs what is in it"), () => {
  const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(root, "test", path), "utf8"));
  const isRun = (name: string): boolean =>
    printing.includes(name) || tests.some((text) => text.includes(`examples/${name}`));
  expect(examples.filter((name) => readmeOf(name) === "" || !isRun(name))).toEqual([]);
});

test(verifies("examples:listed", "each is named in the README, or in a document"), () => {
  const documents = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const text = ["README.md", ...documents.map((name) => join("docs", name))]
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
  expect(examples.filter((name) => !text.includes(`examples/${name}`))).toEqual([]);
});
