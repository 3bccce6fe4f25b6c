// Who may call resources and prompts, and how they are listed.
import { describe, expect, test } from "vitest";
import type { ApprovalRequest, AuditEntry, PolicyInput } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { open, READ } from "./support.ts";

describe("who may call them", () => {
  test(
    verifies("content:methods-policy", "an untrusted server's are asked about, a trusted one's are reads"),
    async () => {
      const script = "return (await s.resources.read('a:b')).contents[0].text";
      const untrusted = await open(READ, { policy: {} });
      expect((await untrusted.run(script)).error).toMatchObject({
        code: "CALL_DENIED",
        tool: "resources/read",
      });
      const trusted = await open(READ, { policy: { servers: { s: { trust: "annotations" } } } });
      const result = await trusted.run(script);
      expect(result).toMatchObject({
        output: "hello",
        calls: [{ tool: "resources/read", safeToRepeat: true }],
      });
      expect((await trusted.run(script, { dryRun: true })).output).toBe("hello");
      const explained = await trusted.policy.explain("s.resources/read", { uri: "a:b" });
      expect(explained).toMatchObject({ decision: { effect: "allow" } });
    },
  );

  test(
    verifies(
      "content:methods-policy",
      "rules name the method and match its arguments; approval and audit show them",
    ),
    async () => {
      const asked: ApprovalRequest[] = [];
      const entries: AuditEntry[] = [];
      const policy: PolicyInput = {
        default: "allow",
        servers: { s: { results: ["untrusted"] } },
        rules: [
          { tools: "s.resources/read", effect: "deny", when: { uri: { glob: "secret:*" } } },
          { tools: "s.prompts/*", effect: "ask" },
        ],
        flows: [{ from: "untrusted", to: "s.store", effect: "deny" }],
      };
      const gate = await open(
        { ...READ, prompts: { "prompts/get": { result: { messages: [] } } } },
        {
          policy,
          approve: (request) => {
            asked.push(request);
            return Promise.resolve({ decision: "allow" });
          },
          audit: { append: (entry) => void entries.push(entry) },
        },
      );
      expect((await gate.run("await s.resources.read('secret:key')")).error).toMatchObject({
        code: "CALL_DENIED",
      });
      expect((await gate.run("return await s.prompts.get('p', { a: 'b' })")).status).toBe("completed");
      expect(asked).toMatchObject([
        { server: "s", tool: "prompts/get", arguments: { name: "p", arguments: { a: "b" } } },
      ]);
      expect(entries.some((entry) => "tool" in entry && entry.tool === "resources/read")).toBe(true);
      const flow = await gate.run("await s.resources.read('a:b'); await s.store({ data: 'x' })");
      expect(flow.error).toMatchObject({ code: "CALL_DENIED", tool: "store" });
    },
  );

  test(verifies("content:methods-policy", "arguments are validated before anything is sent"), async () => {
    const gate = await open(READ);
    const { error } = await gate.run("await s.resources.read({ uri: 7, more: 1 } as any)");
    expect(error).toMatchObject({ code: "CALL_INVALID_ARGUMENTS" });
    expect((await gate.run("await s.resources.read({})")).error?.code).toBe("SCRIPT_TYPE");
  });

  test(
    verifies(
      "content:methods-policy",
      "a tool with the name of a method is dropped, one called resources keeps its name",
    ),
    async () => {
      const schema = { inputSchema: { type: "object" } };
      const tools = [
        { name: "resources/read", ...schema },
        { name: "prompts/get", ...schema },
        { name: "resources", ...schema },
      ];
      const gate = await open({ tools, ...READ });
      expect(gate.servers()[0]?.notes.join()).toContain(
        'tool "resources/read" was dropped: its name is that of a method of MCP',
      );
      const calls = gate.catalog.list({ server: "s" }).map(({ call }) => call);
      expect(calls).toContain("s.resources");
      const read = calls.find((call) => call.endsWith(".read")) ?? "";
      expect(read).toMatch(/^s\.resources_[0-9a-f]{6}\.read$/);
      expect(calls.filter((call) => call.includes("prompts"))).toEqual([]);
      expect((await gate.run(`return (await ${read}('a:b')).contents[0].text`)).output).toBe("hello");
    },
  );

  test(verifies("content:methods-policy", "what stands for resources is not pinned"), async () => {
    const kept: unknown[] = [];
    const pins = {
      load: () => Promise.resolve(undefined),
      save: (table: ReadonlyMap<string, ReadonlyMap<string, unknown>>) =>
        Promise.resolve(void kept.push([...(table.get("s")?.keys() ?? [])])),
    };
    await open(READ, { pins: pins as never });
    expect(kept.flat(2)).toContain("image");
    expect(kept.flat(2)).not.toContain("resources/read");
  });
});

describe("the listing", () => {
  test(
    verifies("content:methods-listed", "one line for a server; a search finds them when they are meant"),
    async () => {
      const gate = await open({ ...READ, prompts: {} });
      const text = gate.catalog.text();
      expect(text.split("\n").filter((line) => line.includes("resources"))).toEqual([
        "s.resources: list(), read(uri), templates(); s.prompts: list(), get(name, args?)",
      ]);
      expect(gate.catalog.text({ budgetTokens: 120 })).toContain(
        "resources.list/read/templates, prompts.list/get",
      );
      const found = async (query: string): Promise<readonly string[]> =>
        (await gate.catalog.search(query)).map(({ call }) => call);
      expect(await found("read a resource")).toContain("s.resources.read");
      expect((await found("store image list")).filter((call) => call.split(".").length > 2)).toEqual([]);
      expect(gate.catalog.list().map(({ call }) => call)).not.toContain("s.resources.read");
      const [described] = await gate.catalog.describe(["s.prompts.get"]);
      expect(described).toMatchObject({ call: "s.prompts.get", tool: "prompts/get" });
    },
  );

  test(verifies("content:methods-listed", "a server that declares neither has neither"), async () => {
    const gate = await open({});
    expect(gate.catalog.text()).not.toContain("resources");
    const { error } = await gate.run("await s.resources.list()");
    expect(error?.code).toBe("SCRIPT_TYPE");
  });

  test(verifies("content:methods-listed", "a call that nothing awaits is warned of"), async () => {
    const gate = await open(READ);
    const found = await gate.check("s.resources.read('a:b');\nreturn 1;");
    expect(found).toMatchObject([{ code: "UNAWAITED_CALL" }]);
  });
});
