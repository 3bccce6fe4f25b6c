// The output filter through a gate: what leaves it, and what tools get.
import { describe, expect, test } from "vitest";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import {
  CallgateError,
  createCallgate,
  defineTool,
  type ApprovalRequest,
  type CallgateOptions,
  type Gate,
  type PolicyInput,
} from "../../index.ts";
import { verifies } from "../requirements.ts";

const ANN = "ann.lee@example.com";
const CARD = "4111 1111 1111 1111";
const TOKEN = /<email:[0-9a-f]{12}>/;

interface Opened extends AsyncDisposable {
  readonly gate: Gate;
  readonly sent: readonly unknown[];
  readonly asked: readonly ApprovalRequest[];
}

async function open(policy: PolicyInput, options: Partial<CallgateOptions> = {}): Promise<Opened> {
  const sent: unknown[] = [];
  const asked: ApprovalRequest[] = [];
  const gate = await createCallgate({
    tools: {
      crm: {
        find: defineTool({
          description: "Finds",
          input: z.object({}),
          run: () => Promise.resolve({ mail: ANN, card: CARD }),
        }),
        fail: defineTool({
          description: "Fails",
          input: z.object({ padding: z.number().optional() }),
          run: ({ padding = 0 }) => Promise.reject(new Error(`${"x".repeat(padding)} no mailbox ${ANN}`)),
        }),
      },
      mail: {
        send: defineTool({
          description: "Sends",
          input: z.object({ to: z.string().max(40), text: z.string().optional() }),
          run: (input) => Promise.resolve(sent.push(input)),
        }),
      },
    },
    policy: { default: "allow", output: { tokenize: ["email"], redact: ["card"] }, ...policy },
    ...options,
    approve: (request) => {
      asked.push(request);
      return Promise.resolve({ decision: "allow" });
    },
  });
  return { gate, sent, asked, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
}

test(
  verifies(
    "output:records",
    "the audit log keeps placeholders, the same as the model is shown, and no value",
  ),
  async () => {
    const file = join(mkdtempSync(join(tmpdir(), "callgate-")), "audit.jsonl");
    await using opened = await open({}, { audit: { file, bodies: "redacted" } });
    const script = `const { mail: to, card } = await crm.find({});
      await mail.send({ to, text: JSON.stringify({ card }) });
      await crm.fail({});`;
    const { error } = await opened.gate.run(script, { check: "off" });
    expect(error?.message).toMatch(TOKEN);
    expect(opened.sent).toHaveLength(1);
    const log = readFileSync(file, "utf8");
    expect(log).toContain(tokenOf(error?.message ?? ""));
    expect(log).toContain("«redacted card»");
    expect(log).not.toMatch(/ann\.lee|4111/);
  },
);

test(
  verifies("output:records", "what only the audit log has seen is no placeholder that stands for something"),
  async () => {
    const file = join(mkdtempSync(join(tmpdir(), "callgate-")), "audit.jsonl");
    await using opened = await open({}, { audit: { file, bodies: "redacted" } });
    await opened.gate.run("await crm.find({})", { check: "off" });
    const token = tokenOf(readFileSync(file, "utf8"));
    await opened.gate.run(`await mail.send({ to: "${token}" })`, { check: "off" });
    expect(opened.sent).toEqual([{ to: token }]);
  },
);

const tokenOf = (text: string): string => TOKEN.exec(text)?.[0] ?? `no token in ${text}`;

describe("a value", () => {
  test(
    verifies(
      ["output:never", "output:round-trip"],
      "leaves a run as a token, and is the value again in an argument of the next",
    ),
    async () => {
      await using opened = await open({});
      const { gate, sent } = opened;
      const first = await gate.run(
        "const found = await crm.find({}); console.log(found.mail.length, found); return found.mail",
      );
      expect(first.status).toBe("completed");
      expect(first.output).toContain(String(ANN.length));
      expect(first.output).toContain("«redacted card»");
      expect(JSON.stringify(first)).not.toContain(ANN);
      const token = tokenOf(first.output);
      const text = `Dear ${token}, not <email:000000000000>`;
      const second = await gate.run(`await mail.send({ to: "${token}", text: ${JSON.stringify(text)} })`);
      expect(second.error).toBeUndefined();
      expect(sent).toEqual([{ to: ANN, text: `Dear ${ANN}, not <email:000000000000>` }]);
    },
  );

  test(verifies("output:stable", "has the same token in every run, and in a replay"), async () => {
    await using opened = await open({});
    const { gate } = opened;
    const script = "return (await crm.find({})).mail";
    const first = await gate.run(script);
    expect((await gate.run(script)).output).toBe(first.output);
    expect((await gate.replay(first.runId)).output).toBe(first.output);
  });

  test(
    verifies("output:round-trip", "is judged by the policy as what it is, and validated as what it is"),
    async () => {
      const rules = [
        { id: "home", tools: "mail.send", effect: "deny", when: { to: { glob: "*@example.com" } } },
      ] as const;
      await using opened = await open({ rules });
      const { gate, sent } = opened;
      const token = tokenOf((await gate.run("return (await crm.find({})).mail")).output);
      const refused = await gate.run(`await mail.send({ to: "${token}" })`);
      expect(refused.error).toMatchObject({ code: "CALL_DENIED" });
      const long = await gate.run(`await mail.send({ to: "${token} ${token} ${token}" })`);
      expect(long.error).toMatchObject({ code: "CALL_INVALID_ARGUMENTS" });
      expect(JSON.stringify([refused, long])).not.toContain(ANN);
      expect(sent).toEqual([]);
    },
  );

  test(verifies("output:never", "is a token in what a person is asked and in every error"), async () => {
    await using opened = await open({ rules: [{ tools: "mail.send", effect: "ask" }] });
    const { gate, sent, asked } = opened;
    const results = [
      await gate.run(`await mail.send({ to: (await crm.find({})).mail, text: '"${ANN}"' })`),
      await gate.run("await crm.fail({})"),
      await gate.run("await crm.fail({ padding: 3_980 })"),
      await gate.run(
        "const { mail } = await crm.find({}); const error = new Error(`for ${mail}`); error.name = mail; throw error",
      ),
      await gate.run("throw (await crm.find({})).mail"),
      await gate.run("void Promise.reject(new Error((await crm.find({})).mail)); await sleep(1)"),
      await gate.run("return Object.fromEntries([[(await crm.find({})).mail, 1]])"),
    ];
    expect(sent).toEqual([{ to: ANN, text: `"${ANN}"` }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.arguments).toMatchObject({ to: expect.stringMatching(TOKEN) as string });
    const shown = JSON.stringify([results, asked]);
    expect(shown).not.toContain(ANN);
    expect(shown).not.toContain("ann.lee");
    // The third is cut inside its token.
    for (const result of results.toSpliced(2, 1).slice(1)) expect(JSON.stringify(result)).toMatch(TOKEN);
  });

  test(verifies("output:never", "is a token in what the tools of an agent answer"), async () => {
    await using opened = await open({});
    const run = opened.gate.metaTools().find(({ name }) => name === "run_script")!;
    for (const script of ["return (await crm.find({})).mail", "await crm.fail({})"]) {
      const answer = await run.execute({ script });
      expect(JSON.stringify(answer)).not.toContain(ANN);
      expect(answer.text).toMatch(TOKEN);
    }
  });

  test(
    verifies("output:labels", "carries its labels into the next run, where a flow holds it back"),
    async () => {
      const policy: PolicyInput = {
        servers: { crm: { results: ["private", "untrusted"] }, mail: { external: true } },
      };
      await using opened = await open(policy);
      const { gate, asked } = opened;
      const token = tokenOf((await gate.run("return (await crm.find({})).mail")).output);
      await gate.run('await mail.send({ to: "other@example.org" })');
      expect(asked).toEqual([]);
      await gate.run(`await mail.send({ to: "${token}" })`);
      expect(asked.map(({ rules }) => rules)).toEqual([["trifecta"]]);
      expect(asked[0]!.labels).toEqual(
        ["private", "untrusted"].map((label) => ({ label, results: [], conversation: true })),
      );
    },
  );

  test(verifies("output:principal", "of one principal is nothing to another"), async () => {
    await using opened = await open({});
    const { gate, sent } = opened;
    const token = tokenOf((await gate.run("return (await crm.find({})).mail", { principal: "a" })).output);
    await gate.run(`await mail.send({ to: "${token}" })`, { principal: "b" });
    expect(sent).toEqual([{ to: token }]);
  });
});

test(
  verifies("output:round-trip", "the model is told what placeholders are, when there are any"),
  async () => {
    const told = (gate: Gate): readonly string[] => [
      gate.instructions(),
      ...gate.metaTools().map(({ description }) => description),
    ];
    await using opened = await open({});
    expect(told(opened.gate).filter((text) => text.includes("<email:"))).toHaveLength(2);
    await using other = await open({ output: { redact: ["email"] } });
    expect(told(other.gate).filter((text) => text.includes("placeholders such as"))).toEqual([]);
  },
);

test(
  verifies("output:order", "output is tokenized and redacted before it is cut, wherever the cut is"),
  async () => {
    const policy: PolicyInput = { output: { tokenize: ["email"] } };
    await using opened = await open(policy, {
      servers: { none: { command: "true", env: { KEY: "canary-1234567890" } } },
    });
    for (let width = 0; width < 24; width += 3) {
      const script = `const { mail } = await crm.find({});
      console.log("${"-".repeat(width)}" + (mail + " canary-1234567890 ").repeat(400))`;
      const { output, outputTruncated } = await opened.gate.run(script, { limits: { outputBytes: 1_000 } });
      expect(outputTruncated).toBe(true);
      expect(output).not.toMatch(/ann|lee|canar|1234|567890|@/);
    }
  },
);

describe("the section output", () => {
  const refusal = async (...layers: unknown[]): Promise<string> => {
    try {
      await using _gate = await createCallgate({ policy: layers });
    } catch (error) {
      expect(CallgateError.is(error, "CONFIG_POLICY_INVALID")).toBe(true);
      return (error as Error).message;
    }
    return "none";
  };

  test.each([
    [
      "a kind that is none",
      { tokenize: ["emails"] },
      'output.tokenize[0]: expected "email", "phone", "iban", "card", or { "name": …, "regex": … }',
    ],
    [
      "a name that is built in",
      { tokenize: [{ name: "card", regex: "x" }] },
      'output.tokenize[0].name: expected a name of its own; "card" is built in',
    ],
    ["a name with a bracket", { redact: [{ name: "a>b", regex: "x" }] }, "output.redact[0]"],
    [
      "a pattern that is none",
      { tokenize: ["email", { name: "a", regex: "(" }] },
      "output.tokenize[1].regex: expected",
    ],
    [
      "a pattern that looks around",
      { tokenize: [{ name: "a", regex: "(?=x)" }] },
      "output.tokenize[0].regex: expected a pattern without look-around",
    ],
    [
      "a pattern of nothing",
      { tokenize: [{ name: "a", regex: "x*" }] },
      "expected a pattern that does not match the empty text",
    ],
    [
      "a pattern that costs too much",
      { tokenize: [{ name: "a", regex: "x{600}" }] },
      "expected a simpler pattern",
    ],
    ["strict mode", { mode: "strict" }, "output.mode: not supported: scripts see real values"],
    ["an unknown key", { tokenise: ["email"] }, 'output: unknown key "tokenise", did you mean "tokenize"?'],
  ])(verifies("output:policy", "%s is refused in its place"), async (_, output, message) => {
    expect(await refusal({ output })).toContain(message);
  });

  test(
    verifies("output:policy", "a later layer adds kinds and turns tokens into nothing, never the reverse"),
    async () => {
      const employee = { name: "employee", regex: "E\\d+" };
      const layers = [
        { default: "allow", output: { redact: ["email"], tokenize: ["card"] } },
        { output: { tokenize: ["email", employee], redact: ["card"] } },
      ];
      await using gate = await createCallgate({ policy: layers });
      const { output } = await gate.run(`return "${ANN} ${CARD} E12"`);
      expect(output).toMatch(/^«redacted email» «redacted card» <employee:\w+>$/);
      expect(await refusal(...layers, { output: { redact: [{ ...employee, regex: "F" }] } })).toContain(
        'output: expected a name of its own; "employee" names another pattern',
      );
    },
  );

  test(verifies("output:policy", "naming what is always redacted is no mistake"), async () => {
    expect(await refusal({ output: { redact: ["credentials", "secrets"] } })).toBe("none");
  });
});
