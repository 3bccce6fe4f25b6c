// Joins the rows of two MCP servers in one script, with the servers and the policy of callgate.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCallgate } from "callgate";
import config from "./callgate.json" with { type: "json" };

const here = import.meta.dirname;
// The command line starts servers in the folder of callgate.json; a program says where itself.
const servers = Object.entries(config.mcpServers).map(([name, server]) => [name, { ...server, cwd: here }]);

await using gate = await createCallgate({ servers: Object.fromEntries(servers), policy: config.policy });
const result = await gate.run(readFileSync(join(here, "script.ts"), "utf8"));

console.log(`${result.output}\n`);
for (const { server, tool, status } of result.calls) console.log(`${status.padEnd(5)} ${server}.${tool}`);
if (result.error !== undefined) {
  console.error(result.error.message);
  process.exitCode = 1;
}
