// Owns a `callgate serve --http` of a small fixture configuration, for the suite to judge.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root: string = fileURLToPath(new URL("../..", import.meta.url));
const EVERYTHING: string = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const CONFIG = {
  mcpServers: { everything: { command: process.execPath, args: [EVERYTHING, "stdio"] } },
  policy: { default: "allow" },
};
const START_MS = 120_000;

export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Rejects with what it said when it does not come up. */
export async function serveFixture(): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "callgate-conformance-"));
  writeFileSync(join(folder, "callgate.json"), JSON.stringify(CONFIG));
  const args = [join(root, "cli/main.ts"), "serve", "--http", "0", "--trust-config"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = async (): Promise<void> => {
    child.kill();
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  let said = "";
  const url = await new Promise<string | undefined>((resolve) => {
    const late = setTimeout(() => resolve(undefined), START_MS);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /listening on (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("error", (error) => ((said += error.message), resolve(undefined)));
    void closed.then(() => resolve(undefined));
    void closed.finally(() => clearTimeout(late));
  });
  if (url !== undefined) return { url, [Symbol.asyncDispose]: end };
  await end();
  throw new Error(`callgate serve did not come up: ${said.slice(0, 2_000)}`);
}
