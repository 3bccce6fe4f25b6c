// What a client gets of its tools, over HTTP in both eras.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createCallgate, defineTool, type LocalTool } from "../../index.ts";
import { createCallgateServer, type ToolName } from "../../server/index.ts";
import { verifies } from "../requirements.ts";
import { call, connect, ERAS, modernPost, openWorld, script, served, type World } from "./support.ts";

const ALL: readonly ToolName[] = ["search_tools", "get_tool_details", "run_script", "call_tool"];
let world: World;
let url: string;

beforeAll(async () => {
  world = await openWorld({ server: { tools: ALL } });
  url = await served(world);
});
afterAll(() => world[Symbol.asyncDispose]());

/** The bytes of the answer to `tools/list`. */
async function listing(order: readonly string[]): Promise<string> {
  const tool = (name: string): LocalTool =>
    defineTool({ description: `Does ${name}.`, input: z.object({ id: z.number() }), run: () => name });
  const servers = new Map([
    ["alpha", { one: tool("one"), two: tool("two") }],
    ["al-pha", { one: tool("other") }],
    ["beta", { "b.c": tool("b.c"), b_c: tool("b_c") }],
  ]);
  const tools = Object.fromEntries(order.map((name) => [name, servers.get(name) ?? {}]));
  await using gate = await createCallgate({ tools });
  await using server = createCallgateServer(gate, { tools: ALL });
  const { url: place } = await server.http();
  const response = await modernPost(place, "tools/list", {});
  expect(response.status).toBe(200);
  return response.text();
}

test(
  verifies("server:definitions", "the order of the servers changes no byte of the definitions"),
  async () => {
    const first = await listing(["alpha", "al-pha", "beta"]);
    expect(first).toContain("alpha.two");
    expect(await listing(["beta", "al-pha", "alpha"])).toBe(first);
  },
);

test(verifies("server:definitions", "the eras differ in nothing"), async () => {
  const [legacy, modern] = await Promise.all(
    ERAS.map(async (era) => (await (await connect(url, era)).listTools()).tools),
  );
  expect(legacy).toEqual(modern);
});

test(verifies("server:choice", "the tools offered are those asked for, in one order"), async () => {
  await using server = createCallgateServer(world.gate, { tools: ["call_tool", "search_tools"] });
  const { url: place } = await server.http();
  const client = await connect(place, "modern", { close: false });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_tools", "call_tool"]);
  await expect(call(client, "run_script", { script: "1" })).rejects.toMatchObject({ code: -32_602 });
  await client.close();
});

test(verifies("server:choice", "a tool that is none is refused by name"), () => {
  const offer = (tools: readonly string[]) => () =>
    createCallgateServer(world.gate, { tools: tools as ToolName[] });
  expect(offer(["run_scripts"])).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("run_scripts") as string,
    }),
  );
  expect(offer([])).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});

describe.each(ERAS)("in the %s era", (era) => {
  test(
    verifies(["server:repair", "server:result"], "discover, a wrong script, its repair, success"),
    async () => {
      const client = await connect(url, era);
      expect((await call(client, "search_tools", { query: "read a note" })).text).toContain("notes.read");
      expect((await call(client, "get_tool_details", { names: ["notes.read"] })).text).toContain(
        "id: number",
      );

      const wrong = await script(client, 'const note = await notes.read({ id: "7" });\nreturn note.title;');
      expect(wrong.isError).toBe(true);
      expect(wrong.text).toMatch(
        /SCRIPT_TYPE: the script was not run[^]*line 1, column \d+[^]*No call was made/,
      );
      expect(wrong.data).toMatchObject({ status: "failed", error: { code: "SCRIPT_TYPE" }, calls: [] });

      const right = await script(client, "const note = await notes.read({ id: 7 });\nreturn note.title;");
      expect(right).toMatchObject({ isError: false, text: "note 7" });
      expect(right.data).toMatchObject({
        status: "completed",
        output: "note 7",
        calls: [{ seq: 1, server: "notes", tool: "read", status: "ok" }],
        usage: { calls: 1 },
      });
    },
  );

  test(verifies("server:result", "receipts are few, and first those that decide how to go on"), async () => {
    const client = await connect(url, era);
    const text =
      "for (let id = 0; id < 60; id++) await notes.read({ id });\nawait notes.burn({}).catch(() => {});\nreturn 1;";
    const { data } = await script(client, text);
    const calls = data["calls"] as readonly { readonly tool: string }[];
    expect(calls).toHaveLength(20);
    expect(calls.at(-1)).toMatchObject({ seq: 61, tool: "burn", status: "denied" });
    expect(data).toMatchObject({ callsNotShown: 41, usage: { calls: 61 } });
  });

  test(verifies("server:denial", "a client that cannot ask is told which rule asks"), async () => {
    const client = await connect(url, era);
    const refused = await script(client, 'return notes.add({ text: "x" });');
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('Rule "ask notes.add" of layer 1 asks for it');
    expect(refused.text).toContain("No call was made.");
  });

  test(verifies("server:denial", "a rule that denies is told, and nobody is asked"), async () => {
    let asked = 0;
    const client = await connect(url, era, {
      answer: () => ({ action: "decline", content: { n: ++asked } }),
    });
    const refused = await script(client, "return notes.burn({});");
    expect(refused.text).toContain("CALL_DENIED");
    expect(asked).toBe(0);
  });

  test(verifies("server:progress", "progress rises with every call"), async () => {
    const client = await connect(url, era);
    const seen: number[] = [];
    const text =
      "for (let id = 0; id < 5; id++) { await notes.read({ id }); await sleep(60); }\nawait sleep(120);\nreturn 1;";
    await script(client, text, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen.length).toBeGreaterThanOrEqual(5);
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(5);
  });

  test(
    verifies("server:cancel", "a cancelled request ends its run and the call of it, and no other"),
    async () => {
      const [one, two] = [await connect(url, era), await connect(url, era)];
      const { begun, ended } = world.notes.waits;
      const cancelled = new AbortController();
      const first = world.notes.waiting();
      const running = script(one, "await notes.wait({});\nawait notes.read({ id: 1 });", {
        signal: cancelled.signal,
      });
      running.catch(() => {});
      await first;
      const second = world.notes.waiting();
      const stop = new AbortController();
      const other = script(two, "await notes.wait({});", { signal: stop.signal });
      other.catch(() => {});
      await second;
      cancelled.abort();
      await expect(running).rejects.toThrow();
      await expect.poll(() => world.notes.waits.ended).toBe(ended + 1);
      expect(world.notes.waits.begun).toBe(begun + 2);
      stop.abort();
      await expect.poll(() => world.notes.waits.ended).toBe(ended + 2);
    },
  );

  test(
    verifies("server:call-tool", "call_tool makes one call and says what is wrong with a name"),
    async () => {
      const client = await connect(url, era, {
        answer: () => ({ action: "accept", content: { answer: "allow once" } }),
      });
      const read = await call(client, "call_tool", { server: "notes", tool: "read", arguments: { id: 3 } });
      expect(JSON.parse(read.text)).toEqual({ id: 3, title: "note 3" });
      const before = world.notes.added.length;
      const added = await call(client, "call_tool", {
        server: "notes",
        tool: "add",
        arguments: { text: "n" },
      });
      expect(added).toMatchObject({ isError: false, data: { calls: [{ tool: "add", status: "ok" }] } });
      expect(world.notes.added).toHaveLength(before + 1);
      expect((await call(client, "call_tool", { server: "notes", tool: "raed" })).text).toContain(
        "notes.read",
      );
      const invalid = await call(client, "call_tool", {
        server: "notes",
        tool: "read",
        arguments: { id: "x" },
      });
      expect(invalid.text).toContain("CALL_INVALID_ARGUMENTS");
      expect(invalid.text).not.toContain("JSON.parse");
      expect((await call(client, "call_tool", { server: "notes", tool: "burn" })).text).toContain(
        "CALL_DENIED",
      );
      expect((await call(client, "call_tool", { server: 1, tool: "x" })).text).toContain(
        "server: expected a string",
      );
    },
  );
});
