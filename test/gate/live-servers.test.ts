// Servers that come and go while a gate is open.
import { expect, test } from "vitest";
import { createCallgate, type CallgateError, type Gate } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { called, calls, stated, tool, type State, type Stated } from "./catalog-support.ts";

const open = (servers: Readonly<Record<string, Stated>>, more: object = {}): Promise<Gate> =>
  createCallgate({
    servers: Object.fromEntries(Object.entries(servers).map(([name, { config }]) => [name, config])),
    policy: { default: "allow" },
    ...more,
  });

const code = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing",
    (error: CallgateError) => error.code,
  );

const slow: State = { tools: [tool("echo"), tool("slow")] };

test(verifies("live:add", "the tools of an added server can be called by the next run"), async () => {
  const [a, b] = [stated(), stated({ tools: [tool("greet")] })];
  await using gate = await open({ a });
  expect(await gate.addServer("b", b.config)).toMatchObject({ server: "b", state: "ready" });
  expect(calls(gate)).toEqual(["a.echo", "b.greet"]);
  expect((await gate.run("return (await b.greet({})).name;")).output).toBe("greet");
});

test(
  verifies("live:add", "a run under way when a server is added goes on with the tools it was given"),
  async () => {
    const [a, b] = [stated(slow), stated()];
    await using gate = await open({ a });
    const run = gate.run("await a.slow({ ms: 3_000 }); return typeof b;", { check: "off" });
    await called(a);
    await gate.addServer("b", b.config);
    expect((await run).output).toBe("undefined");
  },
);

test(
  verifies("live:add", "a name that is taken or Callgate's own, and a faulty entry, are refused"),
  async () => {
    const a = stated();
    await using gate = await open({ a });
    for (const name of ["a", "callgate", ""])
      expect(await code(gate.addServer(name, a.config))).toBe("CONFIG_INVALID");
    expect(await code(gate.addServer("b", { command: 7 }))).toBe("CONFIG_INVALID");
    expect(await code(gate.addServer("b", { ...a.config, disabled: true }))).toBe("CONFIG_INVALID");
    expect(gate.servers()).toHaveLength(1);
  },
);

test(
  verifies("live:secrets", "what an added server is configured with is redacted like everything else"),
  async () => {
    const b = stated();
    await using gate = await open({}, { env: { B_TOKEN: "hunter2-hunter2" } });
    await gate.addServer("b", { ...b.config, env: { TOKEN: "${B_TOKEN}" } });
    const { output } = await gate.run('return "the token is " + "hunter2-" + "hunter2";');
    expect(output).toBe("the token is «redacted»");
  },
);

test(
  verifies("live:remove", "nothing changes before the boundary; after it the tools are gone, and say why"),
  async () => {
    const [a, b] = [stated(), stated()];
    await using gate = await open({ a, b });
    const before = gate.instructions();
    const conversation = Promise.withResolvers<void>();
    const removing = gate.removeServer("b", { after: conversation.promise });
    expect(gate.instructions()).toBe(before);
    expect((await gate.run("return (await b.echo({})).name;")).output).toBe("echo");
    conversation.resolve();
    await removing;
    expect(calls(gate)).toEqual(["a.echo"]);
    expect(gate.servers().map(({ server }) => server)).toEqual(["a"]);
    const [problem] = await gate.check("await b.echo({});");
    expect(problem?.message).toContain('Server "b" was removed from the gate');
  },
);

test(verifies("live:remove", "a conversation that ends with an error is over, too"), async () => {
  const b = stated();
  await using gate = await open({ b });
  await gate.removeServer("b", { after: Promise.reject(new Error("the model gave up")) });
  expect(gate.servers()).toEqual([]);
});

test(
  verifies("live:remove", "calls under way finish, later calls of the same run fail and say why"),
  async () => {
    const b = stated(slow);
    await using gate = await open({ b });
    const run = gate.run(
      "const first = await b.slow({ ms: 1_000 }); try { await b.echo({}); } catch (e) { return [first.name, (e as ToolError).code, (e as ToolError).message]; }",
    );
    await called(b);
    await gate.removeServer("b");
    const [first, failure, message] = JSON.parse((await run).output) as string[];
    expect([first, failure]).toEqual(["slow", "CALL_UNKNOWN_TOOL"]);
    expect(message).toContain("b.echo is gone: its server was removed from the gate");
  },
);

test(
  verifies("live:remove", "calls under way are cancelled when that is wanted, and the gate stays usable"),
  async () => {
    const [a, b] = [stated(), stated(slow)];
    await using gate = await open({ a, b });
    const run = gate.run("await b.slow({ ms: 600_000 });");
    await called(b);
    await gate.removeServer("b", { inFlight: "cancel" });
    const { error, calls: receipts } = await run;
    expect(error?.code).toBe("CALL_CANCELLED");
    expect(receipts[0]).toMatchObject({ status: "unknown" });
    expect((await gate.run("return (await a.echo({})).name;")).output).toBe("echo");
  },
);

test(
  verifies("live:names", "a name that was free again keeps its namespace, and no other server gets it"),
  async () => {
    const [a, b] = [stated(), stated({ tools: [tool("greet")] })];
    await using gate = await open({ "my-server": a });
    expect(calls(gate)).toEqual(["my_server.echo"]);
    await gate.removeServer("my-server");
    await gate.addServer("my_server", b.config);
    expect(calls(gate)[0]).toMatch(/^my_server_\w+\.greet$/);
    await gate.addServer("my-server", a.config);
    expect(calls(gate)).toContain("my_server.echo");
  },
);

test(
  verifies("live:remove", "a removal that is asked for twice takes out one server, not the next of its name"),
  async () => {
    const b = stated();
    await using gate = await open({ b });
    const later = Promise.withResolvers<void>();
    const second = gate.removeServer("b", { after: later.promise });
    await gate.removeServer("b");
    await gate.addServer("b", b.config);
    later.resolve();
    await second;
    expect(calls(gate)).toEqual(["b.echo"]);
  },
);

test(verifies("live:remove", "an unknown server is an error that lists those there are"), async () => {
  const a = stated();
  await using gate = await open({ a });
  const error = await gate.removeServer("b").catch((thrown: CallgateError) => thrown);
  expect(error).toMatchObject({
    code: "CONFIG_UNKNOWN_UPSTREAM",
    message: 'there is no server "b"; there are a',
  });
  expect(await code(gate.removeServer("a", { inFlight: "drop" as "cancel" }))).toBe("CONFIG_INVALID");
});

test(verifies("live:remove", "closing the gate ends a removal that waits"), async () => {
  const b = stated();
  const gate = await open({ b });
  const removing = gate.removeServer("b", { after: new Promise(() => {}) });
  await gate[Symbol.asyncDispose]();
  await removing;
  expect(await code(gate.addServer("c", b.config))).toBe("DISPOSED");
});
