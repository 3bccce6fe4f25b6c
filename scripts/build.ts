// Builds dist/: the worker bundle and the library. Prints to stderr only.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { policyJsonSchema } from "../broker/policy/json-schema.ts";
import { buildWorker, licenceTexts } from "./build-worker.ts";
import { replaceFile } from "./replace-file.ts";

const root: string = fileURLToPath(new URL("..", import.meta.url));
const dist: string = join(root, "dist");
const command = "cli/main.js";
const shebang = "#!/usr/bin/env node\n";
const notices = "THIRD-PARTY-LICENSES.txt";
const policySchema = "policy.schema.json";

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}

function compile(outDir: string): void {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", outDir];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("the compiler reported errors; dist/ is as it was");
}

/** Brings dist/ up to date file by file, so that a run that uses it meanwhile is not broken. */
export async function build(): Promise<void> {
  const bundled = await buildWorker();
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  const draft = mkdtempSync(join(root, "node_modules/.cache/callgate-build-"));
  try {
    compile(draft);
    const built = filesBelow(draft);
    for (const name of built) {
      const text = readFileSync(join(draft, name), "utf8");
      const isCommand = name === command;
      const withShebang = isCommand && !text.startsWith("#!") ? shebang + text : text;
      replaceFile(join(dist, name), Buffer.from(withShebang), { mode: isCommand ? 0o755 : 0o644 });
    }
    replaceFile(join(dist, notices), Buffer.from(licenceTexts(bundled)));
    replaceFile(join(dist, policySchema), Buffer.from(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`));
    const kept = new Set([
      ...built,
      notices,
      policySchema,
      "runtime/worker/worker.js",
      "runtime/worker/guest.js",
    ]);
    for (const name of filesBelow(dist)) {
      if (!kept.has(name) && !name.endsWith(".tmp")) rmSync(join(dist, name));
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    await build();
  } catch (error) {
    console.error(`build: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
