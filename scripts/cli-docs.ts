// Writes docs/cli.md from the definition of the commands: `node scripts/cli-docs.ts`.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandModels } from "../cli/command-model.ts";
import { createProgram, type Handlers } from "../cli/program.ts";
import { cliReference } from "../cli/reference.ts";

const never = (): Promise<number> => Promise.reject(new Error("only the definition is read"));
const handlers: Handlers = {
  run: never,
  check: never,
  types: never,
  listTools: never,
  searchTools: never,
  showTools: never,
  checkPolicy: never,
  explainPolicy: never,
  testPolicy: never,
  printPolicySchema: never,
  serve: never,
  login: never,
  logout: never,
  trust: never,
  trustConfig: never,
  verifyAudit: never,
  showAudit: never,
  doctor: never,
  init: never,
  importServers: never,
  completion: never,
};

/** The text of docs/cli.md. */
export function cliDocs(): string {
  return cliReference(commandModels(createProgram(handlers, { version: "0", done: () => {} })));
}

if (import.meta.main) writeFileSync(fileURLToPath(new URL("../docs/cli.md", import.meta.url)), cliDocs());
