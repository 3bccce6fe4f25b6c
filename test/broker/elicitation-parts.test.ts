// The parts of a question: its form, its answer, its turn, its time.
import { describe, expect, test } from "vitest";
import { checkAnswer } from "../../broker/elicitation/answer.ts";
import { parseForm } from "../../broker/elicitation/form.ts";
import { createQuestions } from "../../broker/elicitation/questions.ts";
import { createTurns } from "../../broker/turns.ts";
import { createDeadline } from "../../broker/upstream/deadline.ts";
import {
  elicitationProblem,
  type Elicit,
  type ElicitationField,
  type ElicitationSchema,
} from "../../index.ts";
import { verifies } from "../requirements.ts";
import { createManualClock, never } from "./upstream/support.ts";

const form = (properties: unknown, more: object = {}): unknown => ({
  message: "?",
  requestedSchema: { type: "object", properties, ...more },
});

describe("a form", () => {
  test.each([
    ["an object inside", { a: { type: "object", properties: {} } }],
    ["a list of anything", { a: { type: "array", items: { type: "string" } } }],
    ["a reference", { a: { $ref: "https://example.org/x.json" } }],
    ["no type", { a: {} }],
    ["an option that is not what it looks like", { a: { type: "string", enum: ["yes\u202e"] } }],
    ["a name that is not what it looks like", { "a\u200bb": { type: "string" } }],
    ["a name that is a trap", JSON.parse('{"__proto__": {"type": "string"}}')],
    ["too many options", { a: { type: "string", enum: Array.from({ length: 101 }, (_, n) => `${n}`) } }],
    [
      "too many fields",
      Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`f${n}`, { type: "string" }])),
    ],
  ])(verifies("elicitation:form", "with %s is not asked"), (_what, properties) => {
    expect(parseForm(form(properties))).toBeTypeOf("string");
  });

  test.each([
    ["none at all", undefined],
    ["a text", "message"],
    ["another mode", { mode: "url", message: "?", url: "https://example.org/" }],
    ["no schema", { message: "?" }],
  ])(verifies("elicitation:form", "that is %s is not asked"), (_what, params) => {
    expect(parseForm(params)).toBeTypeOf("string");
  });

  test(
    verifies("elicitation:form", "loses what is not known of it, and a default that it does not allow"),
    () => {
      const fields = {
        a: { type: "string", pattern: "(a+)+$", maxLength: 2, default: "too long", format: "duration" },
        b: { type: "number", minimum: 1, default: 5, "x-note": { deep: [] } },
      };
      expect(parseForm(form(fields, { required: ["a", "a", "c"] }))).toEqual({
        message: "?",
        requestedSchema: {
          type: "object",
          properties: { a: { type: "string", maxLength: 2 }, b: { type: "number", minimum: 1, default: 5 } },
          required: ["a"],
        },
      });
    },
  );

  test.each([
    ["hides something", "yes\u202e"],
    ["moves the cursor", "\u001b[2Jyes"],
    ["has more than one line", "a\nb"],
    ["is longer than is shown", "x".repeat(201)],
  ])(verifies("elicitation:form", "loses a default that %s"), (_what, given) => {
    expect(parseForm(form({ a: { type: "string", default: given } }))).toMatchObject({
      requestedSchema: { properties: { a: { type: "string" } } },
    });
    expect(JSON.stringify(parseForm(form({ a: { type: "string", default: given } })))).not.toContain(
      "default",
    );
  });

  test(verifies("elicitation:form", "has bounded texts whatever the server sends"), () => {
    const long = "x".repeat(1_000_000);
    const parsed = parseForm({
      message: `${long}\n`.repeat(100),
      requestedSchema: {
        type: "object",
        properties: { a: { type: "string", title: long, description: long } },
      },
    });
    expect(JSON.stringify(parsed).length).toBeLessThan(6_000);
  });
});

describe("a value", () => {
  const cases: readonly (readonly [ElicitationField, unknown, boolean])[] = [
    [{ type: "string", format: "email" }, "ann@example.org", true],
    [{ type: "string", format: "email" }, "ann", false],
    [{ type: "string", format: "uri" }, "https://example.org/", true],
    [{ type: "string", format: "uri" }, "example", false],
    [{ type: "string", format: "date" }, "2026-02-28", true],
    [{ type: "string", format: "date" }, "2026-02-30", false],
    [{ type: "string", format: "date-time" }, "2026-02-28T10:00:00Z", true],
    [{ type: "string", format: "date-time" }, "2026-02-28 10:00", false],
    [{ type: "string", minLength: 2 }, "\u{1f600}", false],
    [{ type: "string", maxLength: 1 }, "\u{1f600}", true],
    [{ type: "string" }, "x".repeat(10_001), false],
    [{ type: "string", enum: ["a"] }, "a", true],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "A", false],
    [{ type: "integer" }, 1.5, false],
    [{ type: "number", minimum: 1 }, Number.NaN, false],
    [{ type: "number", maximum: 1 }, 2, false],
    [{ type: "boolean" }, "true", false],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1 }, [], false],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, ["a", "a"], false],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, ["a"], true],
  ];
  test.each(cases)(
    verifies("elicitation:checked", "fits its field or does not: case %#"),
    (field, given, fits) => {
      expect(elicitationProblem(field, given) === undefined).toBe(fits);
    },
  );
});

test(
  verifies("elicitation:checked", "an answer without a field that the form does not need is sent without it"),
  () => {
    const schema: ElicitationSchema = { type: "object", properties: { a: { type: "string" } }, required: [] };
    expect(checkAnswer(schema, { action: "accept" })).toEqual({ action: "accept", content: {} });
    expect(checkAnswer(schema, { action: "allow" })).toMatchObject({ action: "cancel" });
    expect(checkAnswer(schema, undefined)).toMatchObject({ action: "cancel" });
    expect(checkAnswer(schema, { action: "accept", content: [] })).toMatchObject({ action: "cancel" });
  },
);

test(verifies("elicitation:time", "a deadline that is held stands still, its hard maximum as well"), () => {
  const clock = createManualClock();
  using deadline = createDeadline({ signals: [never], timeoutMs: 100, clock });
  clock.advance(60);
  const one = deadline.hold();
  const two = deadline.hold();
  clock.advance(5_000);
  one();
  one();
  clock.advance(5_000);
  expect(deadline.ended()).toBeUndefined();
  two();
  clock.advance(39);
  expect(deadline.ended()).toBeUndefined();
  clock.advance(1);
  expect(deadline.ended()).toBe("timeout");
  expect(clock.pending).toBe(0);
});

test(
  verifies("elicitation:time", "the wall clock of the run is held exactly while a person is asked"),
  async () => {
    const held: string[] = [];
    const elicit: Elicit = () => {
      held.push("asked");
      return Promise.resolve({ action: "decline" });
    };
    const questions = createQuestions({
      runId: "r",
      elicit,
      timeoutMs: 60_000,
      inTurn: createTurns(),
      witness: { elicited: () => held.push("told") },
      clock: () => 0,
    });
    const holdWall = (): (() => void) => {
      held.push("held");
      return () => held.push("freed");
    };
    const call = { runId: "r", seq: 1, server: "s", tool: "t", argumentsJson: "{}" };
    const asker = questions.askerFor(call, { holdWall });
    const params = form({}) as { [key: string]: never };
    await asker.ask({ params, certain: true }, { signal: never });
    expect(held).toEqual(["held", "asked", "told", "freed"]);
  },
);

test(verifies("elicitation:turns", "a turn that is given up does not hold up the next one"), async () => {
  const inTurn = createTurns();
  const stop = new AbortController();
  const first = inTurn(() => new Promise<never>(() => {}), stop.signal);
  const second = inTurn(() => Promise.resolve("second"), never);
  stop.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  expect(await second).toBe("second");
});

test(verifies("elicitation:turns", "a turn that fails is over"), async () => {
  const inTurn = createTurns();
  const first = inTurn(() => Promise.reject(new Error("no")), never);
  await expect(first).rejects.toThrow("no");
  expect(await inTurn(() => Promise.resolve(2), never)).toBe(2);
});
