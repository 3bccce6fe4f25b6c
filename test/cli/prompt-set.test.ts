// The question at the terminal about several calls.
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSetAnswer, SET_ANSWERS } from "../../cli/answer.ts";
import { createPrompt } from "../../cli/prompt.ts";
import { doneRows, setRows } from "../../cli/question.ts";
import { createScreen } from "../../cli/screen.ts";
import { render } from "../../cli/text/styled.ts";
import type { Input } from "../../cli/world.ts";
import type { ApprovalAnswer, ApprovalCall } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { fakeInput, fakeStream, inside } from "./inside.ts";
import { workspace } from "./support.ts";

const script = { name: "script.ts", text: "const a = 1;\nawait files.write_file({ path: 'a.txt' });\n" };
const call: ApprovalCall = {
  seq: 1,
  server: "files",
  tool: "write_file",
  arguments: { path: "a.txt" },
  reason: "no rule names this call",
  rules: ["default"],
  line: 2,
};
const setOf = (count: number, part: Partial<ApprovalCall> = {}): readonly ApprovalCall[] =>
  Array.from({ length: count }, (_, index) => ({
    ...call,
    seq: index + 11,
    arguments: { n: index + 1 },
    ...part,
  }));
const shown = (set: readonly ApprovalCall[]): string =>
  setRows(set, { script, width: 80 })
    .map((line) => render(line, false))
    .join("\n");

function ask(
  input: Input,
  set: readonly ApprovalCall[],
): { readonly answer: Promise<ApprovalAnswer>; readonly text: () => string } {
  const output = fakeStream();
  const world = { stdout: fakeStream().stream, stderr: output.stream, env: { NO_COLOR: "1" } };
  const screen = createScreen(world, { closed: () => {} });
  const approve = createPrompt({
    input,
    output: output.stream,
    screen,
    script: () => script,
    interrupt: () => {},
  });
  const request = { ...(set[0] as ApprovalCall), runId: "r", calls: [], set };
  const answer = approve(request, { signal: new AbortController().signal });
  return { answer, text: output.text };
}

test(verifies("approval:prompt", "it lists every call by number, and a common reason once"), () => {
  const text = shown(setOf(50));
  expect(text).toContain("approval needed: 50 calls of files.write_file");
  for (const number of [1, 7, 50]) expect(text).toContain(`${number}  files.write_file  {"n":${number}}`);
  expect(text.match(/why: no rule names this call/g)).toHaveLength(1);
  expect(text.match(/at script\.ts:2: await files/g)).toHaveLength(1);
});

test(verifies("approval:prompt", "a reason that changes is shown with the call it is about"), () => {
  const [one, two, three] = setOf(3) as [ApprovalCall, ApprovalCall, ApprovalCall];
  const labels = [
    { label: "private", results: [{ seq: 4, server: "crm", tool: "get" }], conversation: true },
  ];
  const text = shown([one, { ...two, tool: "post", reason: 'flow "trifecta"', labels }, three]);
  expect(text).toContain("approval needed: 3 calls\n");
  expect(text).toMatch(
    /2 {2}files\.post.*\n.*why: flow "trifecta"\n.*data: private from crm\.get \(call 4\), the conversation/,
  );
  expect(text.match(/why: no rule names this call/g)).toHaveLength(2);
});

test(verifies("approval:prompt", "nothing in it controls the terminal or looks like a row of ours"), () => {
  const evil = `\u001b[2J\u202e\n 9  files.read_file${" ".repeat(300)}approval needed: nothing`;
  const text = shown(setOf(3, { arguments: { [evil]: evil }, reason: evil, tool: evil, server: evil }));
  expect(/[\p{Cc}\p{Cf}]/u.test(text.replaceAll("\n", ""))).toBe(false);
  for (const row of text.split("\n").slice(1)) {
    expect(row.length).toBeLessThan(80);
    expect(row).toMatch(/^ {2}(\d {2}|┆| {3}(why|data|at))/);
  }
});

const set = setOf(9);
test.each<[string, ApprovalAnswer | undefined]>([
  ["y", { decision: "allow", scope: "once", about: "all" }],
  ["r", { decision: "allow", scope: "run", about: "all" }],
  ["n", { decision: "deny", about: "all" }],
  ["n too many", { decision: "deny", reason: "too many", about: "all" }],
  ["s", undefined],
  ["s 0", undefined],
  ["s 10", undefined],
  ["s 3-2", undefined],
  ["s 1-99999", undefined],
  ["s 1 and 2", undefined],
  ["s -1", undefined],
  ["select 1", undefined],
  ["1", undefined],
  ["", undefined],
  ["y 3", undefined],
])(
  verifies("approval:prompt", "the answer %j means what it says, and no guess allows a call"),
  (typed, answer) => {
    expect(parseSetAnswer(typed, set)).toEqual(answer);
  },
);

test.each([
  ["s 1", [11]],
  ["s 1-3,7", [11, 12, 13, 17]],
  ["S 2, 2 3", [12, 13]],
])(verifies("approval:prompt", "%j selects by the numbers of the table"), (typed, about) => {
  expect(parseSetAnswer(typed, set)).toMatchObject({ decision: "allow", scope: "once", about });
});

test(verifies("approval:prompt", "a law: nothing typed selects a call outside the set"), () => {
  const typed = fc.oneof(
    fc.string(),
    fc
      .array(fc.oneof(fc.nat({ max: 12 }).map(String), fc.constantFrom("-", ",", " ")))
      .map((parts) => `s ${parts.join("")}`),
  );
  fc.assert(
    fc.property(typed, (text) => {
      const about = parseSetAnswer(text, set)?.about ?? [];
      if (about !== "all") for (const seq of about) expect(seq >= 11 && seq <= 19).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test(
  verifies("approval:prompt", "a long set is shown in pages, and allowed only when all were shown"),
  async () => {
    const input = fakeInput();
    const asked = ask(input, setOf(50));
    await expect.poll(asked.text).toContain("50 calls, 2 more pages [Enter/n] ");
    expect(asked.text()).not.toContain('{"n":50}');
    input.write("y\n");
    await expect.poll(asked.text).toContain("Enter shows the rest");
    input.write("\n");
    await expect.poll(asked.text).toContain("1 more page [Enter/n] ");
    input.write("\n");
    await expect.poll(asked.text).toContain("50 calls [y/r/s/n] ");
    expect(asked.text()).toContain('{"n":50}');
    expect(asked.text()).toContain(SET_ANSWERS.slice(0, 30));
    input.write("y\n");
    expect(await asked.answer).toEqual({ decision: "allow", scope: "once", about: "all" });
  },
);

test(
  verifies("approval:prompt", "a no is heard before all were shown, and so is the end of input"),
  async () => {
    const input = fakeInput();
    const asked = ask(input, setOf(50));
    await expect.poll(asked.text).toContain("[Enter/n]");
    input.write("n not so many\n");
    expect(await asked.answer).toEqual({ decision: "deny", reason: "not so many", about: "all" });
    const ended = fakeInput();
    const other = ask(ended, setOf(3));
    ended.end();
    expect(await other.answer).toMatchObject({ decision: "deny", about: "all" });
  },
);

test(
  verifies("approval:prompt", "one question for a Promise.all, of which the selected calls are made"),
  async () => {
    const { path, log } = workspace();
    const stdin = fakeInput({ tty: true });
    const source =
      "const all = await Promise.allSettled(['a', 'b', 'c'].map((title) => items.write_item({ title }))); return all.map((one) => one.status).join()";
    const run = inside(["run", "-e", source], { cwd: path, tty: true, stdin });
    await expect.poll(run.stderr, { timeout: 30_000 }).toContain("3 calls [y/r/s/n] ");
    stdin.write("s 1,3\r");
    expect(await run.code).toBe(0);
    expect(run.stdout()).toContain("fulfilled,rejected,fulfilled");
    expect(run.stderr().split("approval needed")).toHaveLength(2);
    expect(
      log()
        .filter((line) => line.startsWith("write"))
        .toSorted(),
    ).toEqual(["write a", "write c"]);
  },
);

test(verifies("approval:request", "the terminal says what the run has done so far"), () => {
  const done = {
    server: "a",
    status: "ok",
    durationMs: 1,
    argumentBytes: 2,
    resultBytes: 2,
    safeToRepeat: false,
  } as const;
  const rows = doneRows(
    [
      { ...done, seq: 1, tool: "read" },
      { ...done, seq: 2, tool: "read" },
      { ...done, seq: 3, tool: "write\u001b[2J" },
      { ...done, seq: 4, tool: "drop", status: "denied" },
    ],
    { script, width: 80 },
  );
  expect(rows.map((row) => render(row, false))).toEqual(["  so far: a.read ×2, a.write\\u001b[2J"]);
  expect(doneRows([], { script, width: 80 })).toEqual([]);
});
