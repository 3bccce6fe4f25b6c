// Judges Callgate by the official conformance suite, as a client of MCP servers and as one: `conformance.ts [client|server] [revision]`.
// The last line is `N passed, N failed`, in scenarios that a revision requires.
import { fileURLToPath } from "node:url";
import { serveClients } from "./conformance/clients.ts";
import { readExceptions, REVISIONS, type Revision, type Side } from "./conformance/exceptions.ts";
import { serveFixture } from "./conformance/served.ts";
import { runSuite } from "./conformance/suite.ts";
import { judge, type SuiteRun } from "./conformance/verdict.ts";
import { buildWorker } from "./build-worker.ts";

const SIDES = ["client", "server"] as const;
const relay: string = fileURLToPath(new URL("./conformance/relay.mjs", import.meta.url));

async function run(side: Side, revision: Revision): Promise<SuiteRun> {
  if (side === "server") {
    await using served = await serveFixture();
    return await runSuite(side, revision, ["--url", served.url]);
  }
  await using clients = await serveClients();
  const command = [process.execPath, relay, clients.address].map((part) => `"${part}"`).join(" ");
  return await runSuite(side, revision, ["--command", command]);
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((word) => !([...SIDES, ...REVISIONS] as readonly string[]).includes(word));
if (unknown !== undefined) {
  console.error(
    `conformance: ${JSON.stringify(unknown)} is neither of ${[...SIDES, ...REVISIONS].join(", ")}`,
  );
  process.exit(2);
}
const chosen = <Word extends string>(words: readonly Word[]): readonly Word[] => {
  const named = words.filter((word) => wanted.includes(word));
  return named.length === 0 ? words : named;
};

await buildWorker();
let passed = 0;
let failed = 0;
for (const side of chosen(SIDES)) {
  for (const revision of chosen(REVISIONS)) {
    const started = performance.now();
    const done = await run(side, revision);
    const verdict = judge(done, readExceptions(side, revision));
    passed += verdict.passed.length;
    failed += verdict.failures.length;
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(
      `conformance: ${side} ${revision}: ${verdict.passed.length} of ${done.required.length} required scenarios passed, ${verdict.excepted.length} exceptions (${seconds} s)`,
    );
    for (const reason of new Set(verdict.excepted.map((one) => one.reason))) {
      const those = verdict.excepted.filter((one) => one.reason === reason).map(({ what }) => what);
      console.log(`  excepted (${those.length}): ${reason}`);
    }
    for (const sentence of verdict.failures) console.log(`  FAILED ${sentence}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
