// Owns one run of the conformance suite as a process, and the reading of what it wrote down.
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Revision, Side } from "./exceptions.ts";
import type { Check, SuiteRun } from "./verdict.ts";

const modules: string = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol", import.meta.url));
const package_: string = join(modules, "conformance");
/** For one scenario, with the wait for its turn: a busy machine must not make it fail. */
const SCENARIO_MS = 300_000;

/** `about` is what the suite needs to know of the subject: a command, or a URL. */
export async function runSuite(side: Side, revision: Revision, about: readonly string[]): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), "callgate-conformance-results-"));
  try {
    const common = ["--requirements", revision, "--output-dir", folder, "--timeout", String(SCENARIO_MS)];
    const { code, log } = await ended([join(package_, "dist/index.js"), side, ...about, ...common]);
    const { results, said } = readResults(folder, side);
    return { required: requiredScenarios(side, revision), results, said, log, code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ended(args: readonly string[]): Promise<{ readonly code: number; readonly log: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, log }));
  });
}

function requiredScenarios(side: Side, revision: Revision): readonly string[] {
  const text = readFileSync(join(package_, "requirements", `${revision}.yaml`), "utf8");
  const scenarios = (parse(text) as Readonly<Record<Side, readonly string[]>>)[side];
  if (scenarios.length === 0) throw new Error(`the suite requires nothing of a ${side} for ${revision}`);
  return scenarios;
}

/** A folder for each scenario: its name, for servers with a prefix, and the time. */
function readResults(folder: string, side: Side): Pick<SuiteRun, "results" | "said"> {
  const results = new Map<string, readonly Check[]>();
  const said = new Map<string, string>();
  for (const file of globSync("**/checks.json", { cwd: folder })) {
    const name = dirname(file)
      .replaceAll("\\", "/")
      .replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
    const scenario = side === "server" ? name.replace(/^server-/, "") : name;
    results.set(scenario, JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly Check[]);
    const stderr = join(folder, dirname(file), "stderr.txt");
    if (existsSync(stderr)) said.set(scenario, readFileSync(stderr, "utf8"));
  }
  return { results, said };
}
