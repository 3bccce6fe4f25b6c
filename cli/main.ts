#!/usr/bin/env node
// Owns the start of the command: says so when Node is too old, before anything that an old Node cannot parse is loaded.
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(`error: callgate needs Node ${NEEDED} or newer; this is ${process.version}\n`);
  process.exitCode = 2;
} else {
  const { start } = await import("./start.ts");
  await start();
}
