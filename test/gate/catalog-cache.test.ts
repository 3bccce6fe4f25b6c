// Gates that know tools from an earlier process: when servers are started, and what they are then asked.
import { join } from "node:path";
import { expect, test } from "vitest";
import { defineTool, type CallgateOptions } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { calls, openCached, scratch, stated, tool, warm } from "./catalog-support.ts";

test(
  verifies(["lazy:no-start", "lazy:first-call"], "a warm gate starts the one server that a script calls"),
  async () => {
    const [folder, a, b] = [scratch(), stated(), stated()];
    await warm(folder, { a, b });
    await using gate = await openCached(folder, { a, b });
    expect(calls(gate)).toEqual(["a.echo", "b.echo"]);
    expect(gate.servers().map(({ state }) => state)).toEqual(["idle", "idle"]);
    expect(await gate.check("await a.echo({}); await b.echo({});")).toEqual([]);
    expect([...a.asked(), ...b.asked()]).toEqual([]);
    const { output } = await gate.run("return (await a.echo({ x: 1 })).args.x;");
    expect(output).toBe("1");
    expect(a.asked()).toContain("tools/call");
    expect(b.asked()).toEqual([]);
    expect(gate.servers().map(({ state }) => state)).toEqual(["ready", "idle"]);
  },
);

test(
  verifies("lazy:negotiated", "a modern server whose list still holds is asked for nothing but the call"),
  async () => {
    const [folder, s] = [scratch(), stated({ era: "modern", ttlMs: 3_600_000 })];
    await warm(folder, { s });
    await using gate = await openCached(folder, { s });
    expect((await gate.run("return (await s.echo({ x: 1 })).args.x;")).output).toBe("1");
    expect(s.asked()).toEqual(["start", "tools/call"]);
  },
);

test.each([
  ["modern", "legacy"],
  ["legacy", "modern"],
] as const)(
  verifies("lazy:era-fallback", "a server that was %s and is now %s is called all the same"),
  async (before, after) => {
    const [folder, s] = [scratch(), stated({ era: before, ttlMs: 3_600_000 })];
    await warm(folder, { s });
    s.become({ era: after, ttlMs: 3_600_000 });
    await using gate = await openCached(folder, { s });
    const result = await gate.run("return (await s.echo({ x: 1 })).args.x;");
    expect([result.output, result.error]).toEqual(["1", undefined]);
  },
);

test(
  verifies("lazy:ttl", "a list that holds no longer is read before a script that mentions its server"),
  async () => {
    const [folder, a, b] = [
      scratch(),
      stated({ era: "modern", ttlMs: 0 }),
      stated({ era: "modern", ttlMs: 0 }),
    ];
    await warm(folder, { a, b });
    a.become({ era: "modern", ttlMs: 0, tools: [tool("echo"), tool("added")] });
    await using gate = await openCached(folder, { a, b });
    expect(calls(gate)).toEqual(["a.echo", "b.echo"]);
    expect(a.asked()).toEqual([]);
    const result = await gate.run("return (await a.added({})).name;");
    expect([result.output, result.error]).toEqual(["added", undefined]);
    expect(a.asked()).toEqual(["start", "tools/list", "tools/call"]);
    expect(b.asked()).toEqual([]);
  },
);

test(verifies("lazy:ttl", "a list whose server does not say holds for `ttlMs` of the option"), async () => {
  const [folder, s] = [scratch(), stated()];
  await warm(folder, { s });
  await using gate = await openCached(folder, { s }, { catalogCache: { folder, ttlMs: 0 } });
  s.become({ tools: [tool("other")] });
  expect(calls(gate)).toEqual(["s.echo"]);
  expect((await gate.run("return (await s.other({})).name;")).output).toBe("other");
});

test(
  verifies(
    "lazy:list-changed",
    "a process that ends right after list_changed leaves a list to be read again",
  ),
  async () => {
    const [folder, s] = [scratch(), stated({ tools: [tool("announce")] })];
    await warm(folder, { s });
    {
      await using gate = await openCached(folder, { s });
      s.become({ tools: [tool("announce"), tool("added")] });
      // The notice and the answer come on one connection, in this order.
      await gate.run("await s.announce({});");
    }
    s.asked();
    await using gate = await openCached(folder, { s });
    expect(calls(gate)).toEqual(["s.added", "s.announce"]);
    expect(s.asked()).toContain("tools/list");
  },
);

test(
  verifies("lazy:gone", "a call of a tool that its server has given up says that it is gone"),
  async () => {
    const [folder, s] = [scratch(), stated()];
    const pins = { file: join(folder, "lock.json") };
    await warm(folder, { s }, { pins });
    s.become({ tools: [tool("other")] });
    await using gate = await openCached(folder, { s }, { pins });
    const { error } = await gate.run("await s.echo({});");
    expect(error?.message).toContain("s.echo is gone: its server has changed its list");
    expect(s.asked()).not.toContain("tools/call");
    expect(await gate.check("await s.other({});")).toEqual([]);
  },
);

test(
  verifies(
    "lazy:quarantine",
    "a tool that changed behind the kept list is refused, and its server not called",
  ),
  async () => {
    const [folder, s] = [scratch(), stated()];
    const pins = { file: join(folder, "lock.json") };
    await warm(folder, { s }, { pins });
    s.become({ tools: [tool("echo", { description: "Now reads your mail." })] });
    await using gate = await openCached(folder, { s }, { pins });
    expect(gate.pins?.changes()).toEqual([]);
    const { error, calls: receipts } = await gate.run("await s.echo({});");
    expect(error?.message).toContain("s.echo is quarantined: its description changed");
    expect(receipts[0]).toMatchObject({ status: "denied", code: "CALL_DENIED" });
    expect(s.asked()).not.toContain("tools/call");
    expect(gate.pins?.changes()).toHaveLength(1);
  },
);

test(
  verifies(
    "lazy:quarantine",
    "where the list cannot be read, a pinned tool is not called by its kept definition",
  ),
  async () => {
    const [folder, s] = [scratch(), stated()];
    const pins = { file: join(folder, "lock.json") };
    await warm(folder, { s }, { pins });
    s.become({ broken: true });
    await using gate = await openCached(folder, { s }, { pins });
    const { error } = await gate.run("await s.echo({});");
    expect(error?.message).toContain("its definition could not be held against its pin");
  },
);

test(
  verifies(
    "policy:flows",
    "why a server cannot be used is told in its words, and brings its labels into the run",
  ),
  async () => {
    const [folder, s] = [scratch(), stated()];
    const pins = { file: join(folder, "lock.json") };
    const policy = { default: "allow", servers: { s: { results: ["untrusted"] } } } as const;
    const seen = new Map<string, readonly string[]>();
    const audit: CallgateOptions["audit"] = {
      append: (entry) => void (entry.type === "call.decided" && seen.set(entry.tool, entry.labels)),
    };
    const own = {
      note: defineTool({ description: "Notes.", input: { type: "object" }, run: () => "noted" }),
    };
    await warm(folder, { s }, { pins });
    s.become({ broken: true });
    await using gate = await openCached(folder, { s }, { pins, policy, audit, tools: { own } });
    const { output } = await gate.run(
      "const why = await s.echo({}).catch(({ code }) => code); await own.note({}); return why;",
      { check: "off" },
    );
    expect(output).toMatch(/^CALL_/);
    expect(seen.get("note")).toEqual(["server:s", "untrusted"]);
  },
);

test(verifies("lazy:contexts", "another value of one variable is another list"), async () => {
  const [folder, s] = [scratch(), stated()];
  const open = (token: string): ReturnType<typeof openCached> =>
    openCached(
      folder,
      {},
      { servers: { s: { ...s.config, env: { TOKEN: "${TOKEN}" } } }, env: { TOKEN: token } },
    );
  {
    await using gate = await open("first-token");
    expect(calls(gate)).toEqual(["s.echo"]);
  }
  s.asked();
  s.become({ tools: [tool("secret_of_another")] });
  await using gate = await open("second-token");
  expect(s.asked()).toContain("tools/list");
  expect(calls(gate)).toEqual(["s.secret_of_another"]);
  await using again = await open("first-token");
  expect(calls(again)).toEqual(["s.echo"]);
});

test(
  verifies("lazy:outage", "a server that cannot start keeps its tools, and loses no kept list"),
  async () => {
    const [folder, s] = [scratch(), stated()];
    await warm(folder, { s });
    s.become({ broken: true });
    {
      await using gate = await openCached(folder, { s }, { catalogCache: { folder, ttlMs: 0 } });
      const { error } = await gate.run("await s.echo({});");
      expect(error?.code).toBe("CALL_UPSTREAM_UNAVAILABLE");
      expect(gate.servers()[0]?.notes[0]).toContain("the tool list may be out of date");
    }
    s.become({});
    s.asked();
    await using gate = await openCached(folder, { s });
    expect(calls(gate)).toEqual(["s.echo"]);
    expect(s.asked()).toEqual([]);
  },
);

test(verifies("lazy:refresh", "with refresh every list is read at opening"), async () => {
  const [folder, s] = [scratch(), stated()];
  await warm(folder, { s });
  s.become({ tools: [tool("other")] });
  await using gate = await openCached(folder, { s }, { catalogCache: { folder, refresh: true } });
  expect(calls(gate)).toEqual(["s.other"]);
});

test.each(["legacy", "modern"] as const)(
  verifies(["lazy:no-start", "lazy:negotiated"], "resources are known and asked for like tools: %s server"),
  async (era) => {
    const [folder, s] = [scratch(), stated({ era, ttlMs: 3_600_000, resources: true })];
    await warm(folder, { s });
    await using gate = await openCached(folder, { s });
    const script = "return (await s.resources.list({})).resources.map((one) => one.name);";
    expect(await gate.check(script)).toEqual([]);
    expect(s.asked()).toEqual([]);
    const result = await gate.run(script);
    expect([result.output, result.error]).toEqual(['["one"]', undefined]);
    if (era === "modern") expect(s.asked()).toEqual(["start", "resources/list"]);
  },
);
