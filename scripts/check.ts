// Runs the checks that are not tests: `check.ts [step…]`, all of them by default. Output of a step is shown when it fails.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root: string = fileURLToPath(new URL("..", import.meta.url));
const windows: boolean = process.platform === "win32";

type Step = () => void;

class Failed extends Error {}

function run(command: string, ...args: readonly string[]): void {
  // Only npm is a shell script on Windows; the rest are JavaScript and run under this Node.
  const shell = windows && command === "npm";
  const done = spawnSync(command, args, { cwd: root, encoding: "utf8", shell, maxBuffer: 64 << 20 });
  if (done.status !== 0)
    throw new Failed(`${done.stdout ?? ""}${done.stderr ?? ""}${done.error?.message ?? ""}`);
}

function node(script: string, ...args: readonly string[]): void {
  run(process.execPath, join(root, "node_modules", script), ...args);
}

function packed(check: (tarball: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "callgate-pack-"));
  try {
    run("npm", "pack", "--pack-destination", folder);
    const [name] = readdirSync(folder);
    if (name === undefined) throw new Failed("npm pack made no tarball");
    check(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const steps: ReadonlyMap<string, Step> = new Map<string, Step>([
  ["format", () => node("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", ".")],
  ["lint", () => node("oxlint/bin/oxlint")],
  [
    "types",
    () => {
      node("typescript/bin/tsc", "-p", "tsconfig.json");
      node("typescript/bin/tsc", "-p", "runtime/guest/tsconfig.json");
    },
  ],
  ["architecture", () => node("vitest/vitest.mjs", "run", "test/architecture.test.ts")],
  [
    "package",
    () =>
      packed((tarball) => {
        node("publint/src/cli.js", "run", tarball, "--strict");
        node("@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "esm-only", "--no-color");
      }),
  ],
]);

const wanted: readonly string[] = process.argv.length > 2 ? process.argv.slice(2) : [...steps.keys()];
for (const name of wanted) {
  const step = steps.get(name);
  if (step === undefined) {
    console.error(`check: no step ${JSON.stringify(name)}; there are ${[...steps.keys()].join(", ")}`);
    process.exitCode = 2;
    break;
  }
  const start = performance.now();
  try {
    step();
    console.log(`check: ${name} ok (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    console.log(`check: ${name} FAILED\n${error.message}`);
    process.exitCode = 1;
  }
}
