// Builds, then runs the licence audit of examples/ as a user would: stdout carries what its script logs, nothing else.
import { join } from "node:path";
import { root, runBuilt } from "./run-built.ts";

// The configuration is the repository's own, so nobody is asked whether its servers may start.
const own: readonly string[] = ["run", "script.ts", "--config", "callgate.json", "--trust-config"];
const args: readonly string[] = [...own, ...process.argv.slice(2)];
await runBuilt("the demo", [join(root, "dist/cli/main.js"), ...args], join(root, "examples/license-audit"));
