// A digest of 50 log files: a script reads them all, the model would read six lines.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCallgate } from "callgate";
import { countTokens } from "gpt-tokenizer";
import { writeLogs } from "./logs.ts";

const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
const folder = mkdtempSync(join(tmpdir(), "callgate-logs-"));
try {
  const logs = writeLogs(folder);

  await using gate = await createCallgate({
    servers: { files: { command: process.execPath, args: [server, folder] } },
    policy: {
      default: "deny",
      rules: [
        { tools: "files.list_directory", effect: "allow" },
        { tools: "files.read_text_file", effect: "allow", when: { path: { glob: "*.log" } } },
      ],
    },
    limits: { callsInFlight: 8 },
  });
  const result = await gate.run(readFileSync(join(import.meta.dirname, "script.ts"), "utf8"));
  if (result.error !== undefined) throw new Error(result.error.message);

  const { calls, maxCallsInFlight, resultBytes, loggedBytes } = result.usage;
  const number = (value: number): string => value.toLocaleString("en-US");
  const read = logs.reduce((sum, text) => sum + countTokens(text), 0);
  console.log(`${result.output}\n`);
  console.log(`${calls} calls, at most ${maxCallsInFlight} at a time`);
  console.log(
    `stayed in the script: ${number(resultBytes)} bytes; the logs alone are ${number(read)} tokens`,
  );
  console.log(`returned: ${number(loggedBytes)} bytes, ${number(countTokens(result.output))} tokens`);
} finally {
  rmSync(folder, { recursive: true });
}
