// Questions of real servers in the middle of calls, through the public surface.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  createCallgate,
  type AuditEntry,
  type CallgateOptions,
  type Elicit,
  type ElicitationRequest,
  type Gate,
} from "../../index.ts";
import { verifies } from "../requirements.ts";
import { folder } from "./audit-support.ts";

const fixture = new URL("../fixtures/servers/asking.mjs", import.meta.url).pathname;
const ERAS = ["legacy", "modern"] as const;
type Era = (typeof ERAS)[number];

function settings(era: Era): CallgateOptions {
  return {
    servers: { desk: { command: process.execPath, args: [fixture], protocolEra: era } },
    policy: { default: "allow" },
  };
}

async function open(era: Era, options: CallgateOptions = {}): Promise<Gate> {
  const gate = await createCallgate({ ...settings(era), ...options });
  onTestFinished(() => gate[Symbol.asyncDispose]());
  return gate;
}

/** What the script returns, as the value it is. */
async function value(gate: Gate, script: string, options: Parameters<Gate["run"]>[1] = {}): Promise<unknown> {
  const { output, error } = await gate.run(script, { check: "off", ...options });
  expect(error).toBeUndefined();
  return JSON.parse(output) as unknown;
}

const ASK = "return (await desk.ask({})).told;";
const accept: Elicit = () => Promise.resolve({ action: "accept", content: { name: "Ann", tags: ["b"] } });

describe.each(ERAS)("a server of the %s era", (era) => {
  const entries: AuditEntry[] = [];
  let gate: Gate;
  beforeAll(async () => {
    gate = await createCallgate({
      ...settings(era),
      elicit: () => Promise.reject(new Error("the wrong person")),
      policy: {
        default: "allow",
        tools: { "desk.ask": { effect: "read" } },
        rules: [{ tools: "desk.release", effect: "ask" }],
      },
      audit: { append: (entry) => void entries.push(entry) },
    });
  });
  afterAll(() => gate[Symbol.asyncDispose]());
  test(
    verifies(
      ["elicitation:passed-on", "elicitation:checked"],
      "gets the answer, with defaults for what was left out",
    ),
    async () => {
      const asked: ElicitationRequest[] = [];
      const elicit: Elicit = (request, options) => {
        asked.push(request);
        return accept(request, options);
      };
      expect(await value(gate, ASK, { elicit })).toEqual({
        action: "accept",
        content: { name: "Ann", count: 3, sure: true, colour: "g", tags: ["b"] },
      });
      expect(asked).toEqual([
        expect.objectContaining({ server: "desk", tool: "ask", message: "Who are you?" }),
      ]);
      expect(asked[0]?.requestedSchema).toMatchObject({
        properties: { name: { type: "string", title: "Your name", minLength: 2 }, sure: { default: true } },
        required: ["name"],
      });
    },
  );

  test.each(["decline", "cancel"] as const)(
    verifies("elicitation:passed-on", "is told of a %s, and nothing else"),
    async (action) => {
      const elicit: Elicit = () => Promise.resolve({ action });
      expect(await value(gate, ASK, { elicit })).toEqual({ action });
    },
  );

  test.each([
    ["a value that does not fit", { name: "A" }],
    ["a field that was not asked for", { name: "Ann", extra: "secret" }],
    ["a required field that is missing", { count: 2 }],
    ["an option that is none", { name: "Ann", colour: "b" }],
  ])(
    verifies("elicitation:checked", "%s is never sent, and the question counts as cancelled"),
    async (_name, content) => {
      entries.length = 0;
      const elicit: Elicit = () => Promise.resolve({ action: "accept", content });
      expect(await value(gate, ASK, { elicit })).toEqual({ action: "cancel" });
      expect(entries).toContainEqual(expect.objectContaining({ type: "call.elicited", action: "cancel" }));
    },
  );

  test(verifies("elicitation:declared", "is not told of a person when the gate has none"), async () => {
    const deaf = await open(era);
    const { error } = await deaf.run(ASK, { check: "off", elicit: accept });
    expect(error).toMatchObject({ code: "CALL_TOOL_ERROR" });
  });

  test(
    verifies("elicitation:passed-on", "asks the person of the run, not of the gate, when the run has one"),
    async () => {
      expect(await value(gate, ASK, { elicit: accept })).toMatchObject({ action: "accept" });
    },
  );

  test(verifies("elicitation:form", "what cannot be seen of a question is not shown"), async () => {
    const asked: ElicitationRequest[] = [];
    const elicit: Elicit = (request) => {
      asked.push(request);
      return Promise.resolve({ action: "decline" });
    };
    await value(gate, "return (await desk.hidden({})).told;", { elicit });
    expect(JSON.stringify(asked[0])).not.toMatch(/\\u001b|\u202e|\u200b/);
    expect(asked[0]?.message).toContain("Press");
  });

  test(
    verifies("elicitation:form", "a form with a field that cannot be shown is declined and noted"),
    async () => {
      expect(await value(gate, "return (await desk.odd({})).told;", { elicit: accept })).toEqual({
        action: "decline",
      });
      expect(gate.servers()[0]?.notes.join("\n")).toMatch(/cannot be shown/);
    },
  );

  test(verifies("elicitation:bounded", "is stopped when it asks without end"), async () => {
    let asked = 0;
    const elicit: Elicit = () => {
      asked += 1;
      return Promise.resolve({ action: "accept" });
    };
    const { error } = await gate.run("await desk.endless({});", { check: "off", elicit });
    expect(error).toMatchObject({ code: "CALL_TOOL_ERROR" });
    expect(asked).toBeLessThanOrEqual(50);
  });

  test(verifies("elicitation:nobody", "a dry run asks nobody"), async () => {
    expect(await value(gate, ASK, { dryRun: true, elicit: accept })).toEqual({ action: "decline" });
  });

  test(verifies("elicitation:turns", "one run asks one thing at a time"), async () => {
    let open_ = 0;
    let most = 0;
    const one = async <Answer>(answer: Answer): Promise<Answer> => {
      open_ += 1;
      most = Math.max(most, open_);
      await new Promise((resolve) => setImmediate(resolve));
      open_ -= 1;
      return answer;
    };
    await value(
      gate,
      "await Promise.all([desk.ask({}), desk.release({}), desk.ask({}), desk.confirm({})]); return 1;",
      { approve: () => one({ decision: "allow" }), elicit: () => one({ action: "decline" }) },
    );
    expect(most).toBe(1);
  });
});

test(
  verifies(
    "elicitation:right-person",
    "two runs at once on a newer server are each asked their own question",
  ),
  async () => {
    const gate = await open("modern", { elicit: accept });
    const answered = async (who: string): Promise<unknown> => {
      const elicit: Elicit = ({ message }) =>
        Promise.resolve({ action: "accept", content: { name: `${who} of ${message}` } });
      return value(
        gate,
        `return JSON.stringify((await desk.ask({ message: "${who}" })).told.content.name);`,
        {
          elicit,
          principal: who,
        },
      );
    };
    const names = ["ann", "bob", "cid", "dan"];
    expect(await Promise.all(names.map(answered))).toEqual(names.map((who) => `${who} of ${who}`));
  },
);

test(
  verifies(
    ["elicitation:right-person", "progress:upstream"],
    "with calls of two runs open on an older server nobody is asked",
  ),
  async () => {
    const gate = await open("legacy", { elicit: accept });
    const waits = Promise.withResolvers<unknown>();
    const first = gate.run("return await desk.wait({});", {
      check: "off",
      principal: "ann",
      onProgress: ({ upstream }) => upstream && waits.resolve(upstream),
    });
    expect(await waits.promise).toMatchObject({
      server: "desk",
      tool: "wait",
      progress: 1,
      total: 2,
      message: "wait�ing",
    });
    let asked = 0;
    const elicit: Elicit = (request, options) => {
      asked += 1;
      return accept(request, options);
    };
    expect(await value(gate, ASK, { elicit, principal: "bob" })).toEqual({ action: "decline" });
    expect(asked).toBe(0);
    expect(gate.servers()[0]?.notes.join("\n")).toMatch(/calls of more than one run are open/);
    await value(gate, "await desk.release({}); return 1;");
    expect((await first).status).toBe("completed");
    expect(await value(gate, ASK, { elicit, principal: "bob" })).toMatchObject({ action: "accept" });
  },
);

test(
  verifies(
    "elicitation:right-person",
    "a call that another run gave up still counts as open on an older server",
  ),
  async () => {
    const gate = await open("legacy", { elicit: accept });
    const waits = Promise.withResolvers<unknown>();
    const abort = new AbortController();
    const given = gate.run("await desk.wait({});", {
      check: "off",
      signal: abort.signal,
      onProgress: ({ upstream }) => upstream && waits.resolve(upstream),
    });
    await waits.promise;
    abort.abort();
    await given;
    expect(await value(gate, ASK, { principal: "bob" })).toEqual({ action: "decline" });
  },
);

test(
  verifies(
    "elicitation:right-person",
    "several calls of one run: its person is asked, without the name of a tool",
  ),
  async () => {
    const asked: ElicitationRequest[] = [];
    const gate = await open("legacy", {
      elicit: (request, options) => {
        asked.push(request);
        return accept(request, options);
      },
    });
    const script = `
      const waiting = desk.wait({});
      const answer = await desk.ask({});
      await desk.release({});
      await waiting;
      return answer.told;`;
    expect(await value(gate, script)).toMatchObject({ action: "accept" });
    expect(asked[0]).toMatchObject({ server: "desk" });
    expect(asked[0]?.tool).toBeUndefined();
  },
);

test(verifies("elicitation:bounded", "what is not offered is named, and the call fails"), async () => {
  const gate = await open("modern", { elicit: accept });
  const { error } = await gate.run("await desk.roots({});", { check: "off" });
  expect(error).toMatchObject({ code: "CALL_TOOL_ERROR" });
});

test.each([
  ["hash", false],
  ["redacted", true],
] as const)(
  verifies("elicitation:audit", "the audit log tells the outcome; with bodies %s the content: %s"),
  async (bodies, kept) => {
    const file = join(folder(), "audit.jsonl");
    const gate = await createCallgate({
      ...settings("modern"),
      elicit: () => Promise.resolve({ action: "accept", content: { name: "Ann of Cleves" } }),
      audit: { file, bodies },
    });
    await value(gate, ASK);
    await gate[Symbol.asyncDispose]();
    const line =
      readFileSync(file, "utf8")
        .split("\n")
        .find((one) => one.includes("call.elicited")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ server: "desk", tool: "ask", seq: 1, action: "accept" });
    expect(line.includes("Cleves")).toBe(kept);
  },
);
