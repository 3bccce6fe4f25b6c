// Owns running scripts in real isolates: node --no-node-snapshot --jitless guest-child.cjs, with JSON lines on stdin and stdout.
// First line: { bundle }. Then requests: { id, script, seed, timeZone, at, maxTimers, maxLines, before? }; `before` runs first of all.
"use strict";
const readline = require("node:readline");
const ivm = require("isolated-vm");

const MAX_STEPS = 1_000;
const TIMEOUT_MS = 20_000;

async function run(bundle, request) {
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const logs = [];
  const unhandled = [];
  const attempt = async (task) => {
    try {
      return await task();
    } catch (error) {
      unhandled.push(String(error?.message ?? error));
      return true;
    }
  };
  try {
    const context = await isolate.createContext();
    if (request.before !== undefined) await context.eval(request.before);
    let end;
    const log = new ivm.Callback((level, text) => {
      if (logs.length < request.maxLines) logs.push({ level, text });
    });
    const done = new ivm.Callback((error) => void (end = error));
    // The script must not see the names of the bundle: they stay in this function.
    const code = `"use strict"; ${bundle}; const [seed, timeZone, at, maxTimers, log, done] = [$0, $1, $2, $3, $4, $5];
      const guest = __guest.boot(seed, timeZone, at, maxTimers, log);
      return { main: (script) => guest.main(script, done), step: guest.step };`;
    const args = [request.seed, request.timeZone, request.at, request.maxTimers, log, done];
    const guest = await context.evalClosure(code, args, {
      filename: "guest.js",
      result: { reference: true },
    });
    const main = await guest.get("main", { reference: true });
    const step = await guest.get("step", { reference: true });
    const source = `(async function () { "use strict";\n${request.script}\n})`;
    const script = await context.eval(source, { filename: "script.ts", reference: true });
    await attempt(() => main.apply(undefined, [script.derefInto()], { timeout: TIMEOUT_MS }));
    for (let i = 0; i < MAX_STEPS && end === undefined; i++) {
      const options = { timeout: TIMEOUT_MS, result: { copy: true } };
      if (!(await attempt(() => step.apply(undefined, [], options)))) break;
    }
    return { logs, unhandled, end: end === undefined ? "never ended" : end };
  } catch (error) {
    return { logs, unhandled, end: `failed: ${String(error?.message ?? error)}` };
  } finally {
    if (!isolate.isDisposed) isolate.dispose();
  }
}

/** The reader at the other end also ends a line at U+2028 and U+2029, which JSON text may hold. */
function asLine(value) {
  const text = JSON.stringify(value).replace(/[\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  return `${text}\n`;
}

async function main() {
  let bundle;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (bundle === undefined) bundle = request.bundle;
    else process.stdout.write(asLine({ id: request.id, result: await run(bundle, request) }));
  }
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  // The requests that wait must be told: an exit code alone would leave them waiting.
  process.exit(1);
});
