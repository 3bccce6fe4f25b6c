// The question at the terminal and its answers.
import { expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest } from "../../index.ts";
import { ANSWERS, parseAnswer } from "../../cli/answer.ts";
import { createPrompt } from "../../cli/prompt.ts";
import { callRows } from "../../cli/question.ts";
import { createScreen } from "../../cli/screen.ts";
import { render } from "../../cli/text/styled.ts";
import type { Input } from "../../cli/world.ts";
import { verifies } from "../requirements.ts";
import { fakeInput, fakeStream, inside } from "./inside.ts";
import { callgate, workspace } from "./support.ts";

const request: ApprovalRequest = {
  runId: "r",
  seq: 1,
  server: "files",
  tool: "write_file",
  arguments: { path: "a.txt", text: "hello" },
  reason: "no rule names this call",
  rules: ["default"],
  calls: [],
  line: 2,
};
const script = { name: "script.ts", text: "const a = 1;\nawait files.write_file({ path: 'a.txt' });\n" };
const shown = (part: Partial<ApprovalRequest> = {}): string =>
  callRows({ ...request, ...part }, { script, width: 80 })
    .map((line) => render(line, false))
    .join("\n");

interface Asked {
  readonly answer: Promise<ApprovalAnswer>;
  readonly text: () => string;
  readonly interrupts: () => number;
}

function ask(input: Input, options: { readonly signal?: AbortSignal; readonly tty?: boolean } = {}): Asked {
  const output = fakeStream({ tty: options.tty ?? false });
  const screen = createScreen(
    { stdout: fakeStream().stream, stderr: output.stream, env: { NO_COLOR: "1" } },
    { closed: () => {} },
  );
  let interrupts = 0;
  const approve = createPrompt({
    input,
    output: output.stream,
    screen,
    script: () => script,
    interrupt: () => (interrupts += 1),
  });
  const signal = options.signal ?? new AbortController().signal;
  return { answer: approve(request, { signal }), text: output.text, interrupts: () => interrupts };
}

test(
  verifies(
    "cli:ask-terminal",
    "the question names server, tool, arguments, reason, line and what can be answered",
  ),
  () => {
    const text = shown();
    expect(text).toContain("files.write_file");
    expect(text).toContain('"path": "a.txt"');
    expect(text).toContain("no rule names this call");
    expect(text).toContain("at script.ts:2: await files.write_file({ path: 'a.txt' });");
    expect(ANSWERS).toMatch(/y = yes.*r = .*rest of this run.*n = no/);
  },
);

test(verifies("cli:ask-terminal", "a call whose line is unknown is asked about all the same"), () => {
  const { line: _, ...without } = request;
  expect(
    callRows(without, { script, width: 80 })
      .map((part) => render(part, false))
      .join("\n"),
  ).not.toContain("script.ts:");
  expect(shown({ line: 999 })).toContain("script.ts:999:");
});

test.each([
  ["an escape sequence", "\u001b[2J", "\\u001b[2J"],
  ["an override of direction", "\u202etxt.exe", "\\u202etxt.exe"],
  ["an invisible joiner", "a\u200db", "a\\u200db"],
  ["a line end", "a\nfiles.read [y/r/n]", "a\\nfiles.read [y/r/n]"],
])(
  verifies(["cli:ask-terminal", "cli:visible"], "%s in arguments, names and reasons is shown as an escape"),
  (_, evil, escaped) => {
    expect(shown({ arguments: { text: evil } })).toContain(escaped);
    expect(shown({ tool: evil })).toContain(escaped.slice(0, 12));
    expect(shown({ reason: evil })).toContain(escaped);
    const controls = /[\p{Cc}\p{Cf}]/u;
    for (const text of [
      shown({ arguments: { [evil]: evil } }),
      shown({ server: evil, tool: evil, reason: evil }),
    ])
      expect(controls.test(text.replaceAll("\n", ""))).toBe(false);
  },
);

test(
  verifies("cli:ask-terminal", "an escape that was written and a character that was escaped look different"),
  () => {
    expect(shown({ arguments: { text: "\\u202e" } })).toContain("\\\\u202e");
    expect(shown({ arguments: { text: "\u202e" } })).not.toContain("\\\\u202e");
  },
);

test(verifies("cli:ask-terminal", "long arguments are cut, and say so"), () => {
  const text = shown({ arguments: { text: "x".repeat(100_000) } });
  expect(text.length).toBeLessThan(20_000);
  expect(text).toMatch(/… \d+ more characters \(cut\)/);
});

test(
  verifies(
    "cli:ask-terminal",
    "no row is wide enough for the terminal to break it into lines that look like ours",
  ),
  () => {
    const forged = `${" ".repeat(200)}approval needed: files.read${" ".repeat(200)}`;
    const text = shown({ arguments: { text: forged }, reason: forged, tool: forged });
    for (const row of text.split("\n")) expect(row.length).toBeLessThan(80);
    expect(text.split("\n").filter((row) => row.startsWith("approval needed"))).toHaveLength(1);
    expect(text.match(/^ {2}┆ /gm)?.length).toBeGreaterThan(5);
  },
);

test.each([
  ["y", { decision: "allow", scope: "once" }],
  ["Yes", { decision: "allow", scope: "once" }],
  ["r", { decision: "allow", scope: "run" }],
  ["n", { decision: "deny" }],
  [" n  not this file ", { decision: "deny", reason: "not this file" }],
  ["no, wrong folder", { decision: "deny", reason: "wrong folder" }],
  ["n\u001b[31m", undefined],
  ["", undefined],
  ["   ", undefined],
  ["maybe", undefined],
  ["y but be careful", undefined],
  ["yn", undefined],
])(
  verifies("cli:ask-terminal", "the answer %j means what it says, and no guess allows a call"),
  (typed, answer) => {
    expect(parseAnswer(typed)).toEqual(answer);
  },
);

test(verifies("cli:ask-terminal", "an answer is read from the terminal"), async () => {
  const input = fakeInput();
  const asked = ask(input);
  input.write("y\n");
  expect(await asked.answer).toEqual({ decision: "allow", scope: "once" });
  expect(asked.text()).toContain("files.write_file [y/r/n] ");
});

test(verifies("cli:ask-terminal", "what is no answer is asked again"), async () => {
  const input = fakeInput();
  const asked = ask(input);
  input.write("what?\n");
  await expect.poll(asked.text).toMatch(/\[y\/r\/n\][^]*\[y\/r\/n\]/);
  input.write("n because\n");
  expect(await asked.answer).toEqual({ decision: "deny", reason: "because" });
});

test(verifies("cli:ask-terminal", "the end of input is a no"), async () => {
  const input = fakeInput();
  const asked = ask(input);
  input.end();
  expect(await asked.answer).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("without an answer") as string,
  });
});

test(
  verifies(["cli:ask-terminal", "cli:interrupt"], "Ctrl-C at the prompt is a no and ends the run"),
  async () => {
    const input = fakeInput({ tty: true });
    const asked = ask(input, { tty: true });
    await expect.poll(asked.text).toContain("[y/r/n]");
    input.write("\u0003");
    expect(await asked.answer).toMatchObject({ decision: "deny" });
    expect(asked.interrupts()).toBe(1);
  },
);

test(verifies("cli:ask-terminal", "a run that ends takes its question back"), async () => {
  const controller = new AbortController();
  const asked = ask(fakeInput(), { signal: controller.signal });
  await expect.poll(asked.text).toContain("[y/r/n]");
  controller.abort();
  await expect(asked.answer).rejects.toThrow();
});

test(
  verifies("cli:ask-terminal", "keys pressed before the question was shown do not answer it"),
  async () => {
    const input = fakeInput({ tty: true });
    input.write("y\r");
    const asked = ask(input, { tty: true });
    await expect.poll(asked.text).toContain("[y/r/n]");
    input.write("n\r");
    expect(await asked.answer).toEqual({ decision: "deny" });
  },
);

test(
  verifies("cli:ask-terminal", "a whole run asks once for each call, or once for all with r"),
  async () => {
    const { path, log } = workspace();
    const stdin = fakeInput({ tty: true });
    const source = "for (const title of ['a', 'b', 'c']) await items.write_item({ title })";
    const run = inside(["run", "-e", source], { cwd: path, tty: true, stdin });
    const prompts = (): number => run.stderr().split("approval needed").length - 1;
    await expect.poll(run.stderr, { timeout: 30_000 }).toContain("[y/r/n]");
    expect(prompts()).toBe(1);
    stdin.write("y\r");
    await expect.poll(prompts, { timeout: 30_000 }).toBe(2);
    await expect.poll(() => run.stderr().split("[y/r/n]").length, { timeout: 30_000 }).toBeGreaterThan(2);
    stdin.write("r\r");
    expect(await run.code).toBe(0);
    expect(prompts()).toBe(2);
    expect(log().filter((line) => line.startsWith("write"))).toEqual(["write a", "write b", "write c"]);
  },
);

test(verifies("cli:ask-terminal", "a no reaches the script with its reason, and gives 1"), async () => {
  const { path, log } = workspace();
  const stdin = fakeInput({ tty: true });
  const run = inside(["run", "-e", "await items.write_item({ title: 'a' })"], {
    cwd: path,
    tty: true,
    stdin,
  });
  await expect.poll(run.stderr, { timeout: 30_000 }).toContain("[y/r/n]");
  stdin.write("n ask me tomorrow\r");
  expect(await run.code).toBe(1);
  expect(run.stderr()).toContain("ask me tomorrow");
  expect(log()).not.toContain("write a");
});

test(verifies("cli:ask-nobody", "a script from standard input leaves nobody to ask"), async () => {
  const { path } = workspace();
  const ended = await callgate(["run", "-"], { cwd: path, input: "await items.write_item({ title: 'a' })" });
  expect(ended.code).toBe(3);
  expect(ended.stderr).not.toContain("[y/r/n]");
});
