// The licence audit of examples/, by the real command over two real servers.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { callgate } from "./support.ts";

const example = fileURLToPath(new URL("../../examples/license-audit", import.meta.url));
const manifests = fileURLToPath(new URL("../../node_modules/.package-lock.json", import.meta.url));
const demo = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));
const args = ["run", "script.ts", "--config", "callgate.json"];

test(verifies("cli:demo", "it prints one short summary of every package, and a receipt"), async () => {
  const { code, stdout, stderr } = await callgate(args, { cwd: example });
  expect(code, stderr).toBe(0);
  const count = Number(/^(\d+) packages/.exec(stdout)?.[1]);
  const lock = JSON.parse(readFileSync(manifests, "utf8")) as { packages: Record<string, unknown> };
  const top = Object.keys(lock.packages).filter((path) => path.lastIndexOf("node_modules/") === 0);
  expect(count).toBe(top.length);
  const licences = [...stdout.matchAll(/^ +(\d+) {2}\S/gm)].reduce(
    (sum, [, number]) => sum + Number(number),
    0,
  );
  expect(licences).toBe(count);
  expect(stdout).toMatch(/^\d+ not permissive, now in the knowledge graph:$/m);
  expect(stdout.split("\n").length).toBeLessThan(60);
  expect(stderr).toMatch(/filesystem\.read_text_file +\d+ ok/);
  expect(stderr).toMatch(/memory\.create_entities +1 ok/);
  expect(stderr).toMatch(/KB stayed out of the model's context/);
});

test(verifies("cli:demo", "it reads in parallel, and a second time gives the same summary"), async () => {
  const runs = [
    await callgate([...args, "--json"], { cwd: example }),
    await callgate([...args, "--json"], { cwd: example }),
  ];
  const results = runs.map(({ stdout }) => JSON.parse(stdout) as RunResult);
  expect(results[0]?.output).toBe(results[1]?.output);
  expect(results[0]?.usage.maxCallsInFlight).toBeGreaterThan(8);
});

test(verifies("cli:demo", "its policy allows what the script needs and nothing else"), async () => {
  const script = `
    const { content } = await filesystem.list_allowed_directories({});
    const root = content.split("\\n")[1];
    const attempts = [
      () => filesystem.read_text_file({ path: root + "/zod/LICENSE" }),
      () => filesystem.write_file({ path: root + "/zod/package.json", content: "" }),
      () => memory.delete_entities({ entityNames: [] }),
      () => memory.read_graph({}),
    ];
    for (const attempt of attempts) {
      try { await attempt(); console.log("done") } catch (e) { console.log((e as ToolError).code) }
    }`;
  const { stdout } = await callgate(["run", "-q", "-e", script], { cwd: example });
  expect(stdout).toBe("CALL_DENIED\n".repeat(4));
});

test(verifies("cli:demo", "its README is three lines"), () => {
  expect(readFileSync(join(example, "README.md"), "utf8").trim().split("\n")).toHaveLength(3);
});

test(verifies("cli:demo", "when it cannot be built, one sentence says so"), async () => {
  const failing = "data:text/javascript,export const build=()=>{throw new Error('no compiler\\nat x')}";
  const hook = `import{registerHooks}from'node:module';registerHooks({resolve:(s,c,n)=>s==='./build.ts'?{url:${JSON.stringify(failing)},shortCircuit:true}:n(s,c)})`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, demo];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, "error: the demo cannot be built: no compiler\n"]);
});
