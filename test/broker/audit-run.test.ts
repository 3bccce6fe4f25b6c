// What a gate writes into its audit log, and what it does when it cannot.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCallgate, defineTool, verifyAudit, type AuditEntry, type Gate } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { entriesOf, folder } from "./audit-support.ts";

const anything = { type: "object" } as const;
const SECRET = "canary-7f3a9c-token";
const fixture = new URL("../fixtures/servers/raw.mjs", import.meta.url).pathname;
type Facts = Record<string, unknown>;

/** Entries of the gate below, and what is to happen to the next ones. */
const entries: AuditEntry[] = [];
let failing: (entry: AuditEntry) => boolean = () => false;
const ran: string[] = [];
let known: number[] = [];

const tools = {
  own: {
    read: defineTool({
      description: "Reads.",
      input: anything,
      annotations: { readOnlyHint: true },
      run: (input: unknown) => {
        known = entries.filter(({ type }) => type === "call.sent").map((one) => (one as { seq: number }).seq);
        ran.push("read");
        return input;
      },
    }),
    write: defineTool({ description: "Writes.", input: anything, run: () => void ran.push("write") }),
    fail: defineTool({
      description: "Fails.",
      input: anything,
      run: () => {
        throw new Error(`no luck with ${SECRET}`);
      },
    }),
  },
};
const policy = {
  default: "allow",
  rules: [
    { id: "never", tools: "own.drop", effect: "deny" },
    { id: "ask-writes", tools: "own.write", effect: "ask" },
  ],
} as const;

describe("a gate with a sink", () => {
  let gate: Gate;
  let answer: "allow" | "deny" = "allow";
  beforeAll(async () => {
    gate = await createCallgate({
      tools,
      servers: { raw: { command: process.execPath, args: [fixture, "{}"], env: { API_TOKEN: SECRET } } },
      policy: { default: "allow", rules: [{ id: "ask-writes", tools: "own.write", effect: "ask" }] },
      approve: () => Promise.resolve({ decision: answer, reason: `because of ${SECRET}` }),
      audit: {
        append(entry) {
          if (failing(entry)) throw new Error("the disk is full");
          entries.push(entry);
        },
      },
    });
  });
  afterAll(() => gate[Symbol.asyncDispose]());

  async function run(script: string): Promise<{ readonly said: readonly Facts[]; readonly runId: string }> {
    entries.length = 0;
    ran.length = 0;
    const { runId } = await gate.run(script, { check: "off", principal: "ann", labels: ["mail"] });
    return { said: entries as unknown as readonly Facts[], runId };
  }

  test(
    verifies("audit:complete", "a run that reads leaves its start, decision, call, outcome and end"),
    async () => {
      const { said, runId } = await run("return await own.read({ a: 1 })");
      expect(said.map(({ type }) => type)).toEqual([
        "run.start",
        "call.decided",
        "call.sent",
        "call.ended",
        "run.end",
      ]);
      expect(said.every((one) => one["runId"] === runId)).toBe(true);
      expect(said[0]).toMatchObject({ principal: "ann", labels: ["mail"], script: { bytes: 31 } });
      expect(said[1]).toMatchObject({ server: "own", tool: "read", seq: 1, effect: "allow", line: 1 });
      expect(said[1]!["rules"]).not.toHaveLength(0);
      expect(said[2]).toMatchObject({ seq: 1, reads: true });
      expect(said[3]).toMatchObject({ seq: 1, status: "ok", result: { bytes: 7 } });
      expect(said[4]).toMatchObject({ status: "completed", calls: 1 });
    },
  );

  test(verifies("audit:before", "the tool runs after its call was recorded"), async () => {
    await run("await own.read({}); return await own.read({})");
    expect(known).toEqual([1, 2]);
  });

  test(verifies("audit:complete", "an approval is recorded between the decision and the call"), async () => {
    answer = "allow";
    const { said } = await run("await own.write({})");
    expect(said.slice(1, 4).map(({ type }) => type)).toEqual(["call.decided", "call.approval", "call.sent"]);
    expect(said[1]).toMatchObject({ effect: "ask", rules: ["ask-writes"] });
    expect(said[2]).toMatchObject({ answer: "granted", rules: ["ask-writes"] });
  });

  test(
    verifies(["audit:complete", "audit:secrets"], "a refusal is recorded, without the secret in its reason"),
    async () => {
      answer = "deny";
      const { said } = await run("await own.write({})");
      expect(said.map(({ type }) => type)).not.toContain("call.sent");
      expect(said[2]).toMatchObject({
        type: "call.approval",
        answer: "rejected",
        reason: "because of «redacted»",
      });
      expect(said[3]).toMatchObject({ status: "denied", code: "CALL_APPROVAL_REJECTED" });
      expect(said[4]).toMatchObject({ type: "run.end", status: "failed", code: "CALL_APPROVAL_REJECTED" });
    },
  );

  test(
    verifies("audit:complete", "unknown tools, unfit arguments and failing tools are recorded"),
    async () => {
      const { said } = await run(
        "for (const call of [() => own.read(5), () => own.fail({})]) await call().catch(() => {})",
      );
      const ended = said.filter(({ type }) => type === "call.ended");
      expect(ended.map(({ code }) => code)).toEqual(["CALL_INVALID_ARGUMENTS", "CALL_TOOL_ERROR"]);
    },
  );

  test(verifies("audit:complete", "a script that does not compile is a run that failed"), async () => {
    const { said } = await run("return await (");
    expect(said.map(({ type }) => type)).toEqual(["run.start", "run.end"]);
    expect(said[1]).toMatchObject({ status: "failed", code: "SCRIPT_SYNTAX" });
  });

  test(verifies("audit:complete", "calls at the same time are told apart"), async () => {
    const { said } = await run("await Promise.all([1, 2, 3].map((n) => own.read({ n })))");
    for (const seq of [1, 2, 3]) {
      const types = said.filter((one) => one["seq"] === seq).map(({ type }) => type);
      expect(types).toEqual(["call.decided", "call.sent", "call.ended"]);
    }
  });

  test.each(["run.start", "call.decided", "call.approval", "call.sent"])(
    verifies("audit:closed", "when %s cannot be recorded, the tool is not called"),
    async (type) => {
      answer = "allow";
      failing = (entry) => entry.type === type;
      entries.length = 0;
      ran.length = 0;
      const result = await gate.run("await own.write({})");
      failing = () => false;
      expect(result).toMatchObject({ status: "failed", error: { code: "CALL_DENIED" } });
      expect(result.error?.message).toMatch(/cannot be recorded/);
      expect(result.error?.message).not.toMatch(/disk/);
      expect(ran).toEqual([]);
      expect(gate.notes.join()).toMatch(/the disk is full/);
    },
  );

  test(
    verifies(
      "audit:closed",
      "an outcome that cannot be recorded is delivered, and the next call is not made",
    ),
    async () => {
      failing = (entry) => entry.type === "call.ended";
      ran.length = 0;
      const result = await gate.run("console.log(await own.read({ a: 1 })); await own.read({})");
      failing = () => false;
      expect(result.output).toContain("{ a: 1 }");
      expect(result.error?.code).toBe("CALL_DENIED");
      expect(ran).toEqual(["read"]);
    },
  );

  test(verifies("audit:closed", "the next run is recorded again"), async () => {
    expect((await run("return await own.read({})")).said).toHaveLength(5);
  });

  test(verifies("audit:secrets", "no secret is in an entry, wherever it comes from"), async () => {
    await run(`
      const token = (await raw.env({})).API_TOKEN;
      await raw.echo({ token, wrapped: JSON.stringify({ token }) }).catch(() => {});
      await own.fail({}).catch(() => {});
      await own[token]?.({});
      throw new Error(token);
    `);
    expect(entries.length).toBeGreaterThan(8);
    expect(JSON.stringify(entries)).not.toContain(SECRET);
    expect(JSON.stringify(entries)).not.toContain("canary");
  });
});

describe.each(["none", "hash", "redacted"] as const)("a gate with a file, bodies %s", (bodies) => {
  test(
    verifies(["audit:bodies", "audit:secrets"], "as much is kept as was asked for, and no secret"),
    async () => {
      const file = join(folder(), "audit.jsonl");
      await using gate = await createCallgate({
        tools,
        servers: { raw: { command: process.execPath, args: [fixture, "{}"], env: { API_TOKEN: SECRET } } },
        policy: { default: "allow" },
        audit: { file, bodies },
      });
      const script =
        "const { API_TOKEN: token } = await raw.env({}); await raw.echo({ token, word: 'plainword' })";
      const result = await gate.run(script, { check: "off" });
      expect(result.status).toBe("completed");
      const text = readFileSync(file, "utf8");
      expect(text).not.toContain("canary");
      expect(text.includes("plainword")).toBe(bodies === "redacted");
      const decided = entriesOf(file).filter(({ type }) => type === "call.decided");
      expect(Object.keys(decided[1]!["arguments"] as object)).toEqual(
        { none: ["bytes"], hash: ["bytes", "sha256"], redacted: ["bytes", "sha256", "value"] }[bodies],
      );
      if (bodies === "redacted")
        expect(decided[1]).toMatchObject({
          arguments: { value: { token: "«redacted»", word: "plainword" } },
        });
      expect(await verifyAudit(file)).toMatchObject({ ok: true });
    },
  );
});

test(verifies("audit:shared", "two gates on one file make one chain"), async () => {
  const file = join(folder(), "audit.jsonl");
  const options = { tools, policy, audit: { file } };
  await using one = await createCallgate(options);
  await using two = await createCallgate(options);
  const script = "await Promise.all(Array.from({ length: 40 }, (_, n) => own.read({ n })))";
  const results = await Promise.all([one.run(script), two.run(script), one.run(script)]);
  expect(results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect(await verifyAudit(file)).toMatchObject({ ok: true, lines: 3 * (2 + 40 * 3) });
});

test.each([
  ["no object", "audit.jsonl", "audit"],
  ["a sink without append", { append: 5 }, "audit.append"],
  ["no file", {}, "audit.file"],
  ["an empty file", { file: "" }, "audit.file"],
  ["other bodies", { file: "x", bodies: "all" }, "audit.bodies"],
  ["an unknown key", { file: "x", body: "none" }, "audit.body"],
  ["a folder that is not there", { file: "/no/such/folder/audit.jsonl" }, "audit.file"],
])(verifies("audit:options", "%s is refused"), async (_what, audit, path) => {
  const made = createCallgate({ audit: audit as never });
  await expect(made).rejects.toMatchObject({ code: "CONFIG_INVALID", data: { path } });
});
