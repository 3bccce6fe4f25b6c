// The question itself: what it shows of one call and of several, and which answers allow what.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApprovalCall, ApprovalRequest } from "../../index.ts";
import { approvalQuestion } from "../../server/approval-form.ts";
import { verifies } from "../requirements.ts";

const call = (seq: number, given: ApprovalCall["arguments"] = { n: seq }): ApprovalCall => {
  return { seq, server: "s", tool: "t", arguments: given, reason: "rule r asks", rules: ["r"] };
};
const one: ApprovalRequest = { ...call(1), runId: "r", calls: [] };
const several = (given: readonly ApprovalCall["arguments"][]): ApprovalRequest => {
  const set = given.map((value, index) => call(index + 1, value));
  return { ...(set[0] as ApprovalCall), runId: "r", calls: [], set };
};
const accepted = (answer: unknown): unknown => ({ action: "accept", content: { answer } });
const ODD: readonly unknown[] = [
  undefined,
  null,
  1,
  "accept",
  [],
  { action: "decline" },
  { action: "accept" },
  { action: "accept", content: null },
  { action: "accept", content: ["allow once"] },
  { action: "ACCEPT", content: { answer: "allow once" } },
  { content: { answer: "allow once" } },
  accepted("deny"),
  accepted("deny all"),
  accepted(true),
];

describe("one call", () => {
  test(verifies("server:ask", "nothing in it hides, not in variation selectors either"), () => {
    const { form } = approvalQuestion({ ...one, arguments: { path: "/tmp/a\u{e0141}\ufe01\u3164\u034f" } });
    expect(form.message).toContain(String.raw`"/tmp/a\u{E0141}\uFE01\u3164\u034F"`);
  });

  test(verifies("server:ask-closed", "whatever comes back, only the two allowing answers allow"), () => {
    const { answer } = approvalQuestion(one);
    for (const response of [...ODD, accepted("allow these calls once")])
      expect(answer(response).decision).toBe("deny");
    expect(answer(accepted("allow once"))).toEqual({ decision: "allow", scope: "once" });
    expect(answer(accepted("allow for this run"))).toEqual({ decision: "allow", scope: "run" });
  });

  test(
    verifies("server:ask", "it says what the data is, what stands in the script, and what was done"),
    () => {
      const receipt = { durationMs: 1, argumentBytes: 2, resultBytes: 2, safeToRepeat: true };
      const { form } = approvalQuestion({
        ...one,
        source: "await s.t({ to })",
        line: 7,
        labels: [
          { label: "private", results: [{ seq: 3, server: "files", tool: "read" }], conversation: true },
        ],
        calls: [1, 2, 3].map((seq) => ({ ...receipt, seq, server: "files", tool: "read", status: "ok" })),
      });
      for (const part of [
        "line 7 of the script",
        "Script: await s.t({ to })",
        "Data: private from files.read (call 3), the conversation",
        "Calls of this run so far: 3 (files.read ×3).",
      ])
        expect(form.message).toContain(part);
    },
  );
});

describe("a set", () => {
  test(verifies("server:ask-set", "every call is listed with its arguments, its number and its line"), () => {
    const { form } = approvalQuestion(several(Array.from({ length: 50 }, (_, n) => ({ file: `f${n}` }))));
    expect(form.message).toMatch(/^May these 50 calls be made\?\n/);
    for (let n = 0; n < 50; n++)
      expect(form.message).toContain(`\n[${n + 1}/50] s.t {"file":"f${n}"} (call ${n + 1})\n`);
    expect(form.message.match(/Why you are asked/g)).toHaveLength(1);
  });

  test(
    verifies("server:ask-set", "calls that do not fit are counted, and an answer is not about them"),
    () => {
      const question = approvalQuestion(
        several(Array.from({ length: 62 }, () => ({ text: "x".repeat(1_000) }))),
      );
      const shown = question.form.message.match(/^\[\d+\/62\]/gm)?.length ?? 0;
      expect(shown).toBeGreaterThan(5);
      expect(question.form.message).toContain(
        `And ${62 - shown} more, which you are asked about after these.`,
      );
      expect(question.answer(accepted("allow these calls once"))).toEqual({
        decision: "allow",
        scope: "once",
        about: Array.from({ length: shown }, (_, n) => n + 1),
        others: "ask",
      });
    },
  );

  test(verifies("server:ask-set", "a call with arguments over every bound is shown whole, by itself"), () => {
    const { form, answer } = approvalQuestion(several(["y".repeat(20_000), {}]));
    expect(form.message).toContain("y".repeat(20_000));
    expect(answer(accepted("allow these calls once")).about).toEqual([1]);
  });

  test(
    verifies(
      ["server:ask-set", "server:ask-closed"],
      "whatever comes back, nothing else allows, and a no is for all",
    ),
    () => {
      const { answer, form } = approvalQuestion(several([{}, {}]));
      expect(form.requestedSchema.properties.answer.enum).toHaveLength(4);
      for (const response of [...ODD, accepted("allow once"), accepted("allow for this run")])
        expect(answer(response)).toMatchObject({ decision: "deny", about: "all" });
      expect(answer(accepted("allow the first call once, ask about the others"))).toEqual({
        decision: "allow",
        scope: "once",
      });
    },
  );

  test(
    verifies("server:ask-set", "no argument, name or reason can look like a line of the list or hide one"),
    () => {
      const evil = fc.string({
        unit: fc.constantFrom(
          "\n",
          "\r",
          "\u2028",
          "\u0085",
          " ",
          "\u00a0",
          "\u202e",
          "[2/2] s.t {}",
          "a",
          "\u200b",
        ),
        maxLength: 60,
      });
      fc.assert(
        fc.property(evil, evil, evil, (text, name, reason) => {
          const request = several([{ text }, { [text]: text }]);
          const set = (request.set ?? []).map((each) => ({
            ...each,
            tool: `t${name}`,
            reason,
            source: text,
          }));
          const { message } = approvalQuestion({ ...request, set }).form;
          expect(message.match(/^\[/gm)).toHaveLength(2);
          expect(message.split("\n")).toHaveLength(2 + 2 + 2);
          expect(message).not.toMatch(/[\u202e\u2028\u0085\r\u200b\u00a0]| {4}/);
        }),
        { numRuns: 2_000 },
      );
    },
  );
});

test(verifies("server:ask-closed", "the forms preselect nothing"), () => {
  for (const request of [one, several([{}, {}])]) {
    const { form } = approvalQuestion(request);
    expect(JSON.stringify(form)).not.toContain("default");
    expect(form.requestedSchema.required).toEqual(["answer"]);
  }
});
