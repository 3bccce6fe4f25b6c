// Owns running scripts in real isolates: node --no-node-snapshot --jitless guest-child.cjs, a request on stdin, results on stdout.
// Request: { bundle, runs: [{ script, seed, timeZone, at, maxTimers, maxLines, before? }] }; `before` is run before the bundle.
"use strict";
const ivm = require("isolated-vm");

const MAX_STEPS = 1_000;

async function run(bundle, request) {
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const logs = [];
  const unhandled = [];
  try {
    const context = await isolate.createContext();
    if (request.before !== undefined) await context.eval(request.before);
    const state = { end: undefined };
    const log = new ivm.Callback((level, text) => {
      if (logs.length < request.maxLines) logs.push({ level, text });
    });
    const done = new ivm.Callback((error) => void (state.end = error));
    // The script must not see the names of the bundle: they stay in this function.
    const code = `"use strict"; ${bundle}; const [seed, timeZone, at, maxTimers, log, done] = [$0, $1, $2, $3, $4, $5];
      const guest = __guest.boot(seed, timeZone, at, maxTimers, log);
      return { main: (script) => guest.main(script, done), step: guest.step };`;
    const args = [request.seed, request.timeZone, request.at, request.maxTimers, log, done];
    const guest = await context.evalClosure(code, args, { result: { reference: true } });
    const main = await guest.get("main", { reference: true });
    const step = await guest.get("step", { reference: true });
    const source = `(async function () { "use strict";\n${request.script}\n})`;
    const attempt = async (task) => {
      try {
        return await task();
      } catch (error) {
        unhandled.push(String(error?.message ?? error));
        return true;
      }
    };
    const script = await context.eval(source, { filename: "script.js", reference: true });
    await attempt(() => main.apply(undefined, [script.derefInto()], { timeout: 5_000 }));
    for (let i = 0; i < MAX_STEPS && state.end === undefined; i++) {
      if (!(await attempt(() => step.apply(undefined, [], { timeout: 5_000, result: { copy: true } }))))
        break;
    }
    return { logs, unhandled, end: state.end === undefined ? "never ended" : state.end };
  } catch (error) {
    return { logs, unhandled, end: `failed: ${String(error?.message ?? error)}` };
  } finally {
    if (!isolate.isDisposed) isolate.dispose();
  }
}

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const { bundle, runs } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const results = [];
  for (const request of runs) results.push(await run(bundle, request));
  process.stdout.write(JSON.stringify(results));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
