// A gate over servers that change or are slow.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createCallgate } from "../../index.ts";
import { verifies } from "../requirements.ts";

const fixture = fileURLToPath(new URL("../fixtures/servers/raw.mjs", import.meta.url));
const server = (options: object): object => ({
  command: process.execPath,
  args: [fixture, JSON.stringify(options)],
});
const tool = (name: string): object => ({ name, inputSchema: { type: "object" } });

test(
  verifies("gate:tools-changed", "a tool that a server adds meanwhile can be called by the next run"),
  async () => {
    await using gate = await createCallgate({
      servers: { s: server({ tools: [tool("change"), tool("echo")] }) },
      policy: { default: "allow" },
    });
    expect(await gate.check("await s.pid({});")).toHaveLength(1);
    const tools = [tool("change"), tool("echo"), tool("pid")];
    await gate.run(`await s.change({ tools: ${JSON.stringify(tools)} });`);
    await expect
      .poll(async () => (await gate.run("return Number(await s.pid({})) > 0;")).output)
      .toBe("true");
  },
);

test(
  verifies(
    "gate:tools-changed",
    "a search finds what a server has added, and no more what it has taken away",
  ),
  async () => {
    await using gate = await createCallgate({
      servers: { s: server({ tools: [tool("change"), tool("pid")] }) },
      policy: { default: "allow" },
    });
    const [search] = gate.metaTools();
    const calls = async (): Promise<string[]> =>
      (await gate.catalog.search("s")).map(({ call }) => call).toSorted();
    expect(await calls()).toEqual(["s.change", "s.pid"]);
    await gate.run(`await s.change({ tools: ${JSON.stringify([tool("change"), tool("received")])} });`);
    await expect.poll(calls).toEqual(["s.change", "s.received"]);
    expect((await search?.execute({ query: "received" }))?.text).toContain("s.received");
    const [gone] = await gate.catalog.describe(["s.pid"]);
    expect(gone).toHaveProperty("near");
    const { error } = await gate.run("await s.pid({});", { check: "off" });
    expect([error?.code, error?.message]).toEqual(["CALL_UNKNOWN_TOOL", expect.stringContaining("pid")]);
  },
);

test(
  verifies("gate:slow-server", "a gate opens without a server that takes long; its tools come later"),
  async () => {
    await using gate = await createCallgate({
      servers: {
        slow: server({ tools: [tool("echo")], slowLists: 3_000 }),
        quick: server({ tools: [tool("echo")] }),
      },
      policy: { default: "allow" },
      listWaitMs: 1_500,
    });
    expect(gate.catalog.list().map(({ call }) => call)).toEqual(["quick.echo"]);
    const early = await gate.run("return slow.echo({});");
    expect(early.error?.message).toContain('Server "slow" is configured but not available');
    const late = async (): Promise<string> => (await gate.run("await slow.echo({}); return 1;")).status;
    await expect.poll(late, { timeout: 20_000, interval: 500 }).toBe("completed");
  },
);

test(
  verifies("gate:slow-server", "a server that takes long is waited for as long as the caller says"),
  async () => {
    await using gate = await createCallgate({
      servers: { slow: server({ tools: [tool("echo")], slowLists: 3_000 }) },
      listWaitMs: 60_000,
    });
    expect(gate.catalog.list().map(({ call }) => call)).toEqual(["slow.echo"]);
  },
);
