// Known secrets and credential shapes, end to end: a server that says them everywhere, and all that leaves a gate.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallgate, type ApprovalRequest, type Gate } from "../../index.ts";
import { verifies } from "../requirements.ts";

const leaky = fileURLToPath(new URL("../fixtures/servers/leaky.mjs", import.meta.url));
const CANARY = "canary/7f3a+91c0=d2e4";
/** Shaped like a credential, and unknown to the configuration: the server made it up. */
const SHAPED = `ghp_${"A1b2C3d4E5f6G7h8I9j0K1l2M3n4"}`;
const FORBIDDEN = [
  CANARY,
  CANARY.slice(2, 14),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString("base64").slice(0, 20),
  Buffer.from(`me:${CANARY}`).toString("base64").slice(6, 24),
  SHAPED,
];

const folder = mkdtempSync(join(tmpdir(), "callgate-secrets-"));
const auditFile = join(folder, "audit.jsonl");
const asked: ApprovalRequest[] = [];
let gate: Gate;

beforeAll(async () => {
  const env = { LEAK_A: "${TOKEN}", LEAK_B: SHAPED };
  gate = await createCallgate({
    env: { TOKEN: CANARY },
    servers: {
      leaky: { command: process.execPath, args: [leaky], env },
      dead: { command: process.execPath, args: [leaky, "--die"], env },
      web: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
    },
    policy: { servers: { leaky: { trust: "annotations" } }, defaults: { destructive: "ask" } },
    audit: { file: auditFile, bodies: "redacted" },
    approve: (request) => {
      asked.push(request);
      return Promise.resolve({ decision: "allow" });
    },
  });
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function expectNone(text: string): void {
  expect(text.length).toBeGreaterThan(0);
  for (const secret of FORBIDDEN) expect(text).not.toContain(secret);
}

test.each([
  ["what a script logs", "console.log(await leaky.tell({})); return { nested: [await leaky.tell({})] }"],
  ["a tool's error", "await leaky.fail({})"],
  ["a protocol error", "await leaky.break({})"],
  ["an error of the script", "throw new Error(await leaky.tell({}))"],
  [
    "the name of an error",
    "const error = new Error('x'); error.name = (await leaky.tell({})).slice(0, 60); throw error",
  ],
  ["a rejection nobody waits for", "void Promise.reject(new Error(await leaky.tell({}))); await sleep(1)"],
  ["an argument that is asked about", "await leaky.send({ text: await leaky.tell({}) })"],
  ["arguments that do not fit", "await leaky.send({ text: [await leaky.tell({})] } as any)"],
])(verifies("output:secrets", "%s has none"), async (_, script) => {
  const result = await gate.run(script);
  expectNone(JSON.stringify(result));
  const tool = gate.metaTools().find(({ name }) => name === "run_script")!;
  const answer = await tool.execute({ script });
  expectNone(answer.text);
  expectNone(JSON.stringify(answer.structuredContent));
});

test(verifies("output:secrets", "questions to a person have none"), () => {
  expect(asked.length).toBeGreaterThan(0);
  expectNone(JSON.stringify(asked));
});

test(verifies("output:secrets", "what is said of servers, and the notes, have none"), () => {
  const states = gate.servers().map(({ server, state }) => `${server}: ${state}`);
  expect(states).toEqual(["leaky: ready", "dead: failed", "web: failed"]);
  expect(gate.servers()[1]!.error).toContain("cannot go on");
  expectNone(JSON.stringify([gate.servers(), gate.notes]));
});

test(verifies("output:secrets", "the audit log, bodies and all, has none"), async () => {
  await gate.run("return await leaky.tell({})");
  const text = readFileSync(auditFile, "utf8");
  expect(text).toContain("«redacted»");
  expectNone(text);
});
