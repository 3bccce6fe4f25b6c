// The public surface as a caller meets it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCallgate, defineTool } from "../../index.ts";
import { SCRIPT_RULES } from "../../stubs/instructions.ts";
import { verifies } from "../requirements.ts";
import { openShop, type Shop } from "./support.ts";

let shop: Shop & AsyncDisposable;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

test(
  verifies("gate:no-call", "a wrong property name fails with its line and what was meant, and no call"),
  async () => {
    const before = shop.sold.length;
    const result = await shop.gate.run('const a = 1;\nawait shop.sell({ itme: "x" });');
    expect(result).toMatchObject({ status: "failed", calls: [], error: { code: "SCRIPT_TYPE", line: 2 } });
    expect(result.error?.message).toContain("item");
    expect(shop.sold.length).toBe(before);
  },
);

test(verifies("gate:denied", "a denied call throws CALL_DENIED, which the script can catch"), async () => {
  await using strict = await openShop({
    policy: { default: "allow", rules: [{ tools: "shop.sell", effect: "deny" }] },
  });
  const script =
    'try { await shop.sell({ item: "x" }); } catch (e) { return e instanceof ToolError && e.code; }';
  const result = await strict.gate.run(script);
  expect(result).toMatchObject({ status: "completed", output: "CALL_DENIED" });
  expect(result.calls[0]).toMatchObject({ status: "denied", code: "CALL_DENIED", safeToRepeat: true });
  expect(strict.sold).toEqual([]);
});

describe("options", () => {
  test.each([
    [{ chekc: "off" }, "run has no option"],
    [{ check: "maybe" }, "check: expected"],
    [{ principal: 5 }, "principal: expected a text"],
    [{ labels: "private" }, "labels: expected an array"],
    [{ approve: 5 }, "approve: expected a function"],
    [{ signal: 5 }, "signal: expected an AbortSignal"],
    [{ timeZone: "Mars/Base" }, "no IANA time zone"],
    [null, "expected an object of options"],
  ])(verifies("gate:options", "run refuses %j"), async (options, why) => {
    await expect(shop.gate.run("return 1;", options as never)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(why) as string,
    });
  });

  test.each([
    [{ polcy: {} }, "createCallgate has no option"],
    [{ catalog: { foo: 1 } }, "catalog has no option"],
    [{ store: {} }, "store: expected a RunStore"],
    [{ env: 5 }, "env: expected an object"],
    [{ tools: [] }, "tools: expected an object"],
    [{ sandbox: { jti: true } }, "sandbox"],
    [{ tools: { callgate: {} } }, "Callgate's own name"],
    [null, "expected an object of options"],
  ])(verifies("gate:options", "createCallgate refuses %j"), async (options, why) => {
    await expect(createCallgate(options as never)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(why) as string,
    });
  });

  test(verifies("gate:options", "a script that is no text is refused"), async () => {
    await expect(shop.gate.run(undefined as never)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(shop.gate.check(5 as never)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

test(
  verifies("gate:unknown-tool", "CALL_UNKNOWN_TOOL names the nearest tool, also without a type check"),
  async () => {
    const result = await shop.gate.run("await shop.sel({});", { check: "off" });
    expect(result.error).toMatchObject({ code: "CALL_UNKNOWN_TOOL", line: 1 });
    expect(result.error?.message).toBe("There is no tool shop.sel. Did you mean shop.sell?");
  },
);

test(verifies("gate:unavailable", "a script that names a dead server is told why it is dead"), async () => {
  const dead = {
    command: process.execPath,
    args: ["-e", "console.error('no token given'); process.exit(3)"],
  };
  await using open = await openShop({ servers: { dead } });
  const result = await open.gate.run("return dead.list({});");
  expect(result.error?.code).toBe("SCRIPT_TYPE");
  expect(result.error?.message).toContain('Server "dead" is configured but not available');
  expect(result.error?.message).toContain("no token given");
  expect(await open.gate.run('return (await shop.find({ query: "a" }))[0];')).toMatchObject({ output: "a" });
});

test(
  verifies("gate:policy-notes", "a misspelt server in a deny rule is told, with what was meant"),
  async () => {
    await using open = await openShop({
      policy: { default: "allow", rules: [{ tools: "shpo.*", effect: "deny" }] },
    });
    expect(open.gate.notes).toEqual([expect.stringContaining('did you mean "shop"?')]);
  },
);

test(verifies("gate:listener", "an onProgress that throws changes nothing"), async () => {
  const onProgress = (): never => {
    throw new Error("listener");
  };
  const result = await shop.gate.run('await shop.sell({ item: "y" }); return 1;', { onProgress });
  expect(result).toMatchObject({ status: "completed", output: "1" });
});

test(verifies("gate:usage", "CPU time is known of a run that the wall limit ended"), async () => {
  const result = await shop.gate.run("while (true);", { limits: { wallMs: 600 } });
  expect(result.error?.code).toBe("RUN_TIMEOUT");
  expect(result.usage.cpuMs).toBeGreaterThan(0);
});

test.each([
  ["a gate that is not closed", {}, 1],
  ["runs of two principals with one worker", { workers: 1 }, 3],
  ["one process a run with one worker", { workers: 1, isolation: "process" }, 3],
])(
  verifies("gate:exit", "%s: every run is answered and the process ends by itself"),
  async (_name, sandbox, runs) => {
    const index = fileURLToPath(new URL("../../index.ts", import.meta.url));
    const program = `
    const { createCallgate } = await import(${JSON.stringify(index)});
    const gate = await createCallgate({ sandbox: ${JSON.stringify(sandbox)} });
    for (let i = 0; i < ${runs}; i++) console.log((await gate.run("return " + i, { principal: "p" + i })).output);
  `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    const [code] = (await once(child, "close")) as [number | null];
    expect({ code, text }).toEqual({
      code: 0,
      text: Array.from({ length: runs }, (_, i) => `${i}\n`).join(""),
    });
  },
);

test(verifies("gate:meta-tools", "discover, write, fail, repair, succeed"), async () => {
  const tools = new Map(shop.gate.metaTools().map((tool) => [tool.name, tool]));
  const found = await tools.get("search_tools")?.execute({ query: "sell an item" });
  expect(found?.text).toContain("shop.sell");
  const details = await tools.get("get_tool_details")?.execute({ names: ["shop.sell"] });
  expect(details?.text).toContain("item: string");
  const failed = await tools
    .get("run_script")
    ?.execute({ script: 'return (await shop.sell({ itme: "z" })).total;' });
  expect(failed).toMatchObject({ isError: true });
  expect(failed?.text).toContain("SCRIPT_TYPE: the script was not run.");
  const worked = await tools
    .get("run_script")
    ?.execute({ script: 'return (await shop.sell({ item: "z" })).total > 0;' });
  expect(worked).toMatchObject({ isError: false, text: "true" });
  const wrong = await tools.get("run_script")?.execute({ code: "1" });
  expect(wrong).toMatchObject({ isError: true });
});

test(verifies("gate:meta-tools", "a run that fails midway says what must not be repeated"), async () => {
  const [, , run] = shop.gate.metaTools();
  const failed = await run?.execute({ script: 'await shop.sell({ item: "once" });\nawait shop.burn({});' });
  expect(failed?.text).toBe(
    "CALL_TOOL_ERROR at line 2, column 12: ToolError: it burns\n  2 | await shop.burn({});\n\n2 calls were made. Done or possibly done, do not repeat: shop.sell. Failed: shop.burn.",
  );
});

test(verifies("gate:instructions", "the rules for scripts take at most 600 tokens"), () => {
  expect(encode(SCRIPT_RULES).length).toBeLessThanOrEqual(600);
  expect(shop.gate.instructions()).toBe(`${SCRIPT_RULES}\n\n${shop.gate.catalog.text()}`);
});

test(verifies("gate:options", "a tool that returns nothing gives null"), async () => {
  const nothing = defineTool({ description: "Nothing.", input: { type: "object" }, run: () => undefined });
  await using gate = await createCallgate({ tools: { t: { nothing } }, policy: { default: "allow" } });
  expect((await gate.run("return JSON.stringify(await t.nothing({}));")).output).toBe("null");
});

test(
  verifies("gate:tool-principal", "a local tool knows whose run calls it; a script cannot say"),
  async () => {
    const whose = defineTool({
      description: "Tells whose run it is.",
      input: { type: "object" },
      run: (_input, { principal }) => principal,
    });
    await using gate = await createCallgate({ tools: { t: { whose } }, policy: { default: "allow" } });
    const script = 'return t.whose({ principal: "bob" });';
    expect((await gate.run(script, { principal: "ann" })).output).toBe("ann");
    expect((await gate.run(script)).output).toBe("default");
  },
);
