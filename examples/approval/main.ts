// Writes need approval. A person says yes to reports for the rest of the run, and no to the README, with a reason.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCallgate, type Approve } from "callgate";

const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "callgate-approval-")));
const reports = join(folder, "reports");
const print = (text: string): void => console.log(text.replaceAll(folder, "<folder>"));

/** Stands for a dialogue: shows what a person would see, and answers as one might. */
const approve: Approve = async (request) => {
  const { path } = request.arguments as { path: string };
  print(`? ${request.server}.${request.tool} ${path}`);
  print(`  line ${request.line}: ${request.source?.trim()}`);
  print(`  ${request.reason}`);
  if (path.startsWith(reports)) {
    print("> yes, and so for every other report of this run");
    return { decision: "allow", scope: "run", pattern: { path: { under: reports } } };
  }
  print("> no");
  return { decision: "deny", reason: "the README is written by people" };
};

try {
  mkdirSync(reports);
  writeFileSync(join(folder, "README.md"), "Written by hand.\n");

  await using gate = await createCallgate({
    servers: { files: { command: process.execPath, args: [server, folder] } },
    policy: {
      default: "deny",
      rules: [
        { tools: "files.list_allowed_directories", effect: "allow" },
        { id: "writes", tools: "files.write_file", effect: "ask", reason: "files are about to change" },
      ],
    },
    approve,
  });
  const result = await gate.run(readFileSync(join(import.meta.dirname, "script.ts"), "utf8"));

  print(`\n${result.output}\n`);
  for (const call of result.calls) print(`${call.status.padEnd(6)} ${call.tool}`);
  print(`reports: ${readdirSync(reports).join(" ")}`);
  print(`README.md: ${readFileSync(join(folder, "README.md"), "utf8").trim()}`);
} finally {
  rmSync(folder, { recursive: true });
}
