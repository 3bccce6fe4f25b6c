// A server's question at the terminal, field by field.
import { expect, test } from "vitest";
import { createElicitPrompt, declineAll } from "../../cli/elicit-prompt.ts";
import { fieldHint, fieldRows, readField } from "../../cli/elicit-field.ts";
import { createScreen } from "../../cli/screen.ts";
import type { ElicitationAnswer, ElicitationField, ElicitationRequest } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { fakeInput, fakeStream } from "./inside.ts";

const request: ElicitationRequest = {
  runId: "r",
  server: "desk",
  tool: "book",
  message: "Which room?\nIt is for Monday.",
  requestedSchema: {
    type: "object",
    properties: {
      room: { type: "string", title: "Room", enum: ["a1", "b2"], enumNames: ["Big", "Small"] },
      seats: { type: "integer", minimum: 1, default: 4 },
      quiet: { type: "boolean" },
      note: { type: "string", description: "For the desk" },
    },
    required: ["room", "quiet"],
  },
};

interface Asked {
  readonly answer: Promise<ElicitationAnswer>;
  readonly text: () => string;
  readonly interrupts: () => number;
}

/** Types each line when its query has been shown. */
function ask(
  lines: readonly (readonly [query: string, typed: string])[],
  given: ElicitationRequest = request,
): Asked {
  const input = fakeInput();
  const output = fakeStream();
  const screen = createScreen(
    { stdout: fakeStream().stream, stderr: output.stream, env: { NO_COLOR: "1" } },
    { closed: () => {} },
  );
  let interrupts = 0;
  let shown = 0;
  const left = [...lines];
  output.stream.on("data", () => {
    const [next] = left;
    const at = next === undefined ? -1 : output.text().indexOf(next[0], shown);
    if (next === undefined || at === -1) return;
    left.shift();
    shown = at + next[0].length;
    if (next[1] === "^D") input.end();
    else input.write(`${next[1]}\n`);
  });
  const elicit = createElicitPrompt({
    input,
    output: output.stream,
    screen,
    interrupt: () => (interrupts += 1),
  });
  const answer = elicit(given, { signal: new AbortController().signal });
  return { answer, text: output.text, interrupts: () => interrupts };
}

test(
  verifies(
    "elicitation:terminal",
    "the server is named first, each field is asked, and all is shown before it is sent",
  ),
  async () => {
    const { answer, text } = ask([
      ["answer desk? [y/n]", "y"],
      ["room (", "2"],
      ["seats (", ""],
      ["quiet (", "n"],
      ["note (", ""],
      ["send this to desk? [y/n]", "y"],
    ]);
    expect(await answer).toEqual({ action: "accept", content: { room: "b2", seats: 4, quiet: false } });
    expect(text()).toMatch(
      /^a server asks: desk while book runs\n.*not Callgate; what you answer is sent to it\n/,
    );
    expect(text()).toMatch(/Which room\?\n.*It is for Monday\./);
    expect(text()).toMatch(/1 {2}Big\n.*2 {2}Small/);
    expect(text()).toMatch(/room = Small\n.*seats = 4\n.*quiet = no/);
  },
);

test(verifies("elicitation:terminal", "an answer that does not fit is asked for again"), async () => {
  const { answer, text } = ask([
    ["answer desk?", "y"],
    ["room (", ""],
    ["room (", "7"],
    ["room (", "a1"],
    ["seats (", "0"],
    ["seats (", "2"],
    ["quiet (", "perhaps"],
    ["quiet (", "y"],
    ["note (", "by the window"],
    ["send this", "y"],
  ]);
  expect(await answer).toEqual({
    action: "accept",
    content: { room: "a1", seats: 2, quiet: true, note: "by the window" },
  });
  for (const said of ["an answer is needed", "not one of the options", "at least 1", "true or false"])
    expect(text()).toContain(said);
  expect(text()).toContain("note = by the window");
});

test(verifies("elicitation:terminal", "no is a no: before the fields, and before the sending"), async () => {
  expect(await ask([["answer desk?", "n"]]).answer).toEqual({ action: "decline" });
  const late = ask([
    ["answer desk?", "y"],
    ["room (", "1"],
    ["seats (", ""],
    ["quiet (", "y"],
    ["note (", ""],
    ["send this", "n"],
  ]);
  expect(await late.answer).toEqual({ action: "decline" });
});

test(verifies("elicitation:terminal", "the end of input cancels"), async () => {
  const { answer } = ask([
    ["answer desk?", "y"],
    ["room (", "^D"],
  ]);
  expect(await answer).toEqual({ action: "cancel" });
});

test(verifies("elicitation:terminal", "a question without fields is a plain yes or no"), async () => {
  const bare = { ...request, requestedSchema: { type: "object", properties: {}, required: [] } } as const;
  expect(await ask([["agree, and tell desk so?", "y"]], bare).answer).toEqual({
    action: "accept",
    content: {},
  });
});

test(verifies("elicitation:terminal", "what a server writes cannot drive the terminal"), async () => {
  const hostile = { ...request, server: "d\u001b[2Jk", message: "\u001b]0;owned\u0007 hi" };
  const { answer, text } = ask([["? [y/n]", "n"]], hostile);
  await answer;
  expect(text()).not.toContain("\u001b");
});

test(
  verifies(
    "elicitation:terminal",
    "without a terminal, or with an answer given beforehand, no answer is made up",
  ),
  async () => {
    expect(await declineAll(request, { signal: new AbortController().signal })).toEqual({
      action: "decline",
    });
  },
);

const several: ElicitationField = {
  type: "array",
  items: {
    anyOf: [
      { const: "x", title: "Ex" },
      { const: "y", title: "Why" },
    ],
  },
  maxItems: 1,
};

test.each([
  ["1", { type: "value", value: ["x"] }],
  ["x", { type: "value", value: ["x"] }],
  ["1,2", { type: "problem", problem: "expected at most 1 of the options" }],
  ["", { type: "nothing" }],
])(verifies("elicitation:terminal", "of several options, %j is read as %j"), (typed, read) => {
  expect(readField(several, typed, false)).toEqual(read);
});

test(verifies("elicitation:terminal", "a field says what can be typed"), () => {
  expect(fieldHint(several, false)).toBe("numbers, such as 1,3; Enter = leave it out");
  expect(fieldHint({ type: "string", format: "date" }, true)).toBe("date");
  expect(fieldHint({ type: "boolean", default: true }, true)).toBe("y/n; Enter = yes");
  expect(fieldRows("a", { type: "string", title: "A", description: "b\u001bc" })).toEqual([
    "A (a): b\\u001bc",
  ]);
});
