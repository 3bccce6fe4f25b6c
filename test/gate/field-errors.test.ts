// What users of other runtimes reported about errors, output and reruns, shown not to happen here.
import { z } from "zod";
import { expect, test } from "vitest";
import { defineTool } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { openShop } from "./support.ts";

test(
  verifies("field:error-is-error", "an entry function that rejects after an await fails the run"),
  async () => {
    await using shop = await openShop();
    const script = "return (async () => { await sleep(0); throw new Error('boom'); })();";
    const { status, error } = await shop.gate.run(script);
    expect([status, error?.code, error?.message]).toEqual(["failed", "SCRIPT_THREW", "boom"]);
  },
);

test(
  verifies("field:error-kinds", "a thrown text that sounds like a time-out is the script's own error"),
  async () => {
    await using shop = await openShop();
    const limits = { cpuMs: 200 };
    const loop = await shop.gate.run("for (;;) {}", { limits });
    const thrown = await shop.gate.run("throw new Error('Script execution timed out.');", { limits });
    expect([loop.error?.code, thrown.error?.code]).toEqual(["RUN_CPU_LIMIT", "SCRIPT_THREW"]);
  },
);

test(verifies("field:error-kinds", "four ways to fail have four codes, and the next run works"), async () => {
  await using shop = await openShop();
  const codes = [];
  for (const script of [
    "const = 1",
    "throw new RangeError('odd')",
    "for (;;) {}",
    "const a: unknown[] = []; for (;;) a.push(new Array(1e5).fill(1));",
  ]) {
    const { error } = await shop.gate.run(script, { limits: { cpuMs: 3_000, memoryMb: 32 } });
    codes.push(error?.code);
  }
  expect(codes).toEqual(["SCRIPT_SYNTAX", "SCRIPT_THREW", "RUN_CPU_LIMIT", "RUN_MEMORY_LIMIT"]);
  const { output } = await shop.gate.run("return 1 + 1;");
  expect(output).toBe("2");
});

test(
  verifies("field:error-kinds", "a value that is no JSON is returned as a text that says what it is"),
  async () => {
    await using shop = await openShop();
    for (const script of [
      "return () => 1;",
      "return Symbol('s');",
      "return 10n;",
      "return new Map([[1, 2]]);",
    ]) {
      const { status, output } = await shop.gate.run(script, { check: "off" });
      expect([script, status, output !== ""]).toEqual([script, "completed", true]);
    }
  },
);

test(
  verifies("field:tool-message", "a script gets a tool's own message, its name and its server's"),
  async () => {
    const quota = {
      spend: defineTool({
        description: "Spends.",
        input: z.object({}),
        run: () => {
          throw new Error("quota of 5 reached");
        },
      }),
    };
    await using shop = await openShop({ tools: { quota } });
    const script =
      "try { await quota.spend({}); } catch (e) { if (e instanceof ToolError) return [e.message, e.server, e.tool]; }";
    const { output } = await shop.gate.run(script);
    expect(JSON.parse(output)).toEqual([expect.stringContaining("quota of 5 reached"), "quota", "spend"]);
  },
);

test(
  verifies("field:settled", "a promise that is the script's value is awaited, as is one that logs"),
  async () => {
    await using shop = await openShop();
    const returned = await shop.gate.run("return (async () => { await sleep(1); return 42; })();");
    const logged = await shop.gate.run(
      "async function f() { await sleep(1); return 7; }\nawait f().then(console.log);",
    );
    expect([returned.output, logged.output]).toEqual(["42", "7"]);
  },
);

test(verifies("field:cut-output", "an output that was cut says so first, and in a flag"), async () => {
  await using shop = await openShop();
  const { output, outputTruncated } = await shop.gate.run("console.log('x'.repeat(1_000_000));");
  expect(outputTruncated).toBe(true);
  expect(output.slice(0, 200)).toMatch(/^\[.*(?:cut|truncated|left out|of 1)/);
});

test(
  verifies(
    "field:returned-value",
    "a value that is returned is the output, and nothing at all says what to do",
  ),
  async () => {
    await using shop = await openShop();
    const [, , runScript] = shop.gate.metaTools();
    const returned = await runScript?.execute({ script: "return { ok: true };" });
    const nothing = await runScript?.execute({ script: "const a = 1;" });
    expect(JSON.parse(returned?.text ?? "")).toEqual({ ok: true });
    expect(nothing?.text).toContain("console.log or return");
  },
);

test(verifies("field:safe-rerun", "a script refused before it ran says that nothing was done"), async () => {
  await using shop = await openShop();
  const [, , runScript] = shop.gate.metaTools();
  const answer = await runScript?.execute({ script: "await shop.sell({ itme: 'a' });" });
  expect(answer?.isError).toBe(true);
  expect(answer?.text).toMatch(/the script was not run/);
  expect(answer?.text).toMatch(/No call was made/);
});

test(
  verifies("field:safe-rerun", "a run that fails late lists what was done, so that it is not done twice"),
  async () => {
    await using shop = await openShop();
    const [, , runScript] = shop.gate.metaTools();
    const script = "await shop.sell({ item: 'a' }); await shop.sell({ item: 'b' }); throw new Error('late');";
    const answer = await runScript?.execute({ script });
    expect(answer?.text).toMatch(/do not repeat: shop\.sell × 2/);
    expect(shop.sold).toEqual(["a", "b"]);
  },
);

test(verifies("field:arguments", "arguments reach a tool byte for byte, whatever is in them"), async () => {
  await using shop = await openShop();
  const texts = ["a\nb", "a\\nb", "select '1'\nfrom t", 'say "x"', "`${1}`", "\u2028\u0000\ud83d\ude00"];
  await shop.gate.run(`for (const item of ${JSON.stringify(texts)}) await shop.sell({ item });`);
  expect(shop.sold).toEqual(texts);
});

test(
  verifies("field:arguments", "a text that does not end is reported with its line, before any call"),
  async () => {
    await using shop = await openShop();
    const { error } = await shop.gate.run("await shop.sell({ item: 'a' });\nawait shop.sell({ item: 'b });");
    expect([error?.code, error?.line, shop.sold.length]).toEqual(["SCRIPT_SYNTAX", 2, 0]);
  },
);

test(
  verifies(
    "field:arguments",
    "an optional that is undefined is left out, and one that is null is refused by its path",
  ),
  async () => {
    const seen: unknown[] = [];
    const search = {
      find: defineTool({
        description: "Finds.",
        input: z.object({ q: z.string(), lang: z.string().optional() }),
        run: (input) => void seen.push(Object.keys(input)),
      }),
    };
    await using shop = await openShop({ tools: { search } });
    await shop.gate.run("await search.find({ q: 'x', lang: undefined });");
    const refused = await shop.gate.run("await search.find({ q: 'x', lang: null });", { check: "off" });
    expect(seen).toEqual([["q"]]);
    expect([refused.error?.code, refused.error?.message]).toEqual([
      "CALL_INVALID_ARGUMENTS",
      expect.stringContaining("lang"),
    ]);
  },
);

test(verifies("field:big-values", "300 KB pass from one tool to another, uncut"), async () => {
  const body = "x".repeat(300_000);
  const sizes: number[] = [];
  const pages = {
    get: defineTool({ description: "Gets.", input: z.object({}), run: () => body }),
    put: defineTool({
      description: "Puts.",
      input: z.object({ body: z.string() }),
      run: (input) => void sizes.push(input.body.length),
    }),
  };
  await using shop = await openShop({ tools: { pages } });
  const { status } = await shop.gate.run("await pages.put({ body: await pages.get({}) });");
  expect([status, sizes]).toEqual(["completed", [300_000]]);
});
