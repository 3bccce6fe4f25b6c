// Secrets are planted wherever a host keeps them; nothing that a script, a model or a log gets to see may show one.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../requirements.ts";

const HOST = fileURLToPath(new URL("../fixtures/hostile/canary-host.ts", import.meta.url));
const SERVER = fileURLToPath(new URL("../fixtures/servers/modern.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const canary = `canary-${randomBytes(12).toString("hex")}`;
const folder = mkdtempSync(join(tmpdir(), "callgate-"));
let told = "";
let code: unknown;

beforeAll(async () => {
  const file = join(folder, "secret.txt");
  const env = { ...process.env, CANARY: canary, AWS_SECRET_ACCESS_KEY: canary, NODE_OPTIONS: "" };
  await new Promise<void>((resolve) => {
    const options = { env, timeout: 120_000, maxBuffer: 64 << 20 };
    execFile(process.execPath, [HOST, canary, SERVER, file], options, (error, stdout, stderr) => {
      code = error?.code ?? error?.signal ?? 0;
      told = `${stdout}\n${stderr}`;
      resolve();
    });
  });
}, 130_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(verifies("contain:no-host-text", "the prying scripts all ran"), () => {
  expect(code, told.slice(-2_000)).toBe(0);
  for (const text of ["the upstream refused", "RUN_CPU_LIMIT", "RUN_MEMORY_LIMIT", "CALL_TOOL_ERROR"]) {
    expect([text, told.includes(text)]).toEqual([text, true]);
  }
  expect(told.match(/"runId"/g)?.length).toBeGreaterThanOrEqual(30);
});

test(
  verifies("contain:no-host-text", "no planted secret is in any output, error, receipt, description or log"),
  () => {
    const forms = [
      canary,
      Buffer.from(canary).toString("base64").slice(0, 20),
      Buffer.from(canary).toString("hex"),
    ];
    for (const form of forms) {
      const at = told.indexOf(form);
      expect(at === -1 ? "" : told.slice(Math.max(0, at - 300), at + 100)).toBe("");
    }
  },
);

test(
  verifies("contain:no-host-text", "no file of this machine is named in what scripts and models get"),
  () => {
    const results = told.split("\n").filter((line) => line.startsWith('{"runId"'));
    for (const path of [ROOT.slice(0, -1), "node_modules", "node:internal", "/client.js"]) {
      for (const line of results) {
        const at = line.indexOf(path);
        expect(at === -1 ? "" : line.slice(Math.max(0, at - 200), at + 100)).toBe("");
      }
    }
  },
);
