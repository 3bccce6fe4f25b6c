// Known secrets through the command line: stdout, stderr, the audit log.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { callgate, folder } from "./support.ts";

const leaky = fileURLToPath(new URL("../fixtures/servers/leaky.mjs", import.meta.url));
const CANARY = "canary-51f09ab2c7";
const SHAPED = `glpat-${"Q1w2E3r4T5y6U7i8O9p0"}`;

function place(): string {
  const env = { LEAK_A: "${TOKEN}", LEAK_B: SHAPED };
  const config = {
    mcpServers: {
      leaky: { command: process.execPath, args: [leaky], env },
      dead: { command: process.execPath, args: [leaky, "--die"], env },
    },
    policy: { default: "allow", rules: [{ tools: "leaky.send", effect: "ask" }] },
    audit: { file: "audit.jsonl", bodies: "redacted" },
  };
  return folder({ "callgate.json": JSON.stringify(config) });
}

test.each([
  ["run", ["run", "-e", "console.log(await leaky.tell({})); await leaky.fail({})"]],
  ["run --json", ["run", "--json", "-e", "console.log(await leaky.tell({})); await leaky.break({})"]],
  ["run, where nobody can be asked", ["run", "-e", "await leaky.send({ text: await leaky.tell({}) })"]],
  ["run --dry-run", ["run", "--dry-run", "-e", "await leaky.send({ text: await leaky.tell({}) })"]],
  ["doctor", ["doctor"]],
  ["policy check", ["policy", "check"]],
  ["policy explain", ["policy", "explain", "leaky.send", "--args", JSON.stringify({ text: CANARY })]],
  ["a configuration that is wrong", ["run", "-e", "return 1", "--policy", "gone.yaml"]],
])(verifies("output:secrets", "%s prints none and records none"), async (_, args) => {
  const cwd = place();
  const ended = await callgate(args, { cwd, env: { TOKEN: CANARY } });
  const audit = join(cwd, "audit.jsonl");
  const said = ended.stdout + ended.stderr + (existsSync(audit) ? readFileSync(audit, "utf8") : "");
  expect(said.length).toBeGreaterThan(0);
  for (const secret of [CANARY, SHAPED, Buffer.from(CANARY).toString("base64").slice(0, 18)]) {
    expect(said).not.toContain(secret);
  }
});
