// Where scripts come from, and the shapes they come in.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readScript } from "../../cli/script-source.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { verifies } from "../requirements.ts";
import { words, type Words } from "./inside.ts";
import { callgate, folder } from "./support.ts";

const run = (name: string, content: string | Buffer): Promise<Words> =>
  words(["run", "-q", name], { cwd: folder({ [name]: content }) });

test(verifies("cli:script-sources", "a file, standard input and -e run alike"), async () => {
  const script = "return 6 * 7";
  const results = await Promise.all([
    run("a.ts", script),
    callgate(["run", "-q", "-"], { input: script }),
    callgate(["run", "-q", "-e", script]),
  ]);
  expect(results.map(({ stdout }) => stdout)).toEqual(["42\n", "42\n", "42\n"]);
});

test(verifies("cli:script-sources", "a name that looks like an option can be given after --"), async () => {
  const cwd = folder({ "-odd.ts": "return 1" });
  expect((await words(["run", "-q", "--", "-odd.ts"], { cwd })).stdout).toBe("1\n");
});

test.each([
  ["a byte order mark", "\ufeffreturn 1\n"],
  ["CRLF", "const a = 0;\r\nreturn a + 1;\r\n"],
  ["a shebang", "#!/usr/bin/env callgate\nreturn 1\n"],
  ["a code fence", "```ts\nreturn 1\n```\n"],
  ["all of them", "\ufeff```typescript\r\n#!/usr/bin/env x\r\nreturn 1\r\n```\r\n"],
  ["no line end at the end", "return 1"],
])(verifies("cli:script-shapes", "a script with %s runs"), async (_, content) => {
  expect(await run("a.ts", content)).toMatchObject({ code: 0, stdout: "1\n" });
});

test(
  verifies("cli:script-shapes", "lines are counted in the file as written, fence and CRLF included"),
  async () => {
    const { stderr } = await run("a.ts", "```ts\r\nconst a = 1;\r\nthrow new Error('here');\r\n```\r\n");
    expect(stderr).toContain("--> a.ts:3:7\n  3 | throw new Error('here');");
  },
);

test.each([
  ["nothing", ""],
  ["blank lines", "\n  \n"],
  ["an empty fence", "```\n```\n"],
])(verifies("cli:script-shapes", "a script of %s is told to be empty"), async (_, content) => {
  const ended = await run("a.ts", content);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain("SCRIPT_SYNTAX: The script is empty");
});

test(verifies("cli:script-shapes", "a script of 5 MB is refused with its size and the limit"), async () => {
  const ended = await run("a.ts", `// ${"x".repeat(5_000_000)}\nreturn 1`);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(/SCRIPT_TOO_LARGE: .*500\d{4} bytes.*scriptBytes/);
  expect(ended.stderr).toMatch(/^ {2}help: let a tool read the data .*--limit scriptBytes=1mb$/m);
});

test(verifies("cli:script-shapes", "a script of 5 MB runs when the limit allows it"), async () => {
  const cwd = folder({ "a.ts": `// ${"x".repeat(5_000_000)}\nreturn 1` });
  const ended = await words(["run", "-q", "a.ts", "--limit", "scriptBytes=6mb"], { cwd });
  expect(ended).toMatchObject({ code: 0, stdout: "1\n" });
});

const stdin = new PassThrough();

test.each([
  ["a file that is not there", "none.ts", "cannot read none.ts: there is no such file"],
  ["a folder", ".", "cannot read .: it is a folder, not a file"],
  ["bytes that are no text", "binary.ts", "cannot read binary.ts: it is not UTF-8 text"],
])(verifies("cli:script-sources", "%s is named with the reason"), async (_, file, message) => {
  const cwd = folder({ "binary.ts": Buffer.from([0xff, 0xfe, 0x00, 0xc3]) });
  const reading = readScript({ cwd, stdin }, { file, inline: undefined });
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.toBeInstanceOf(UsageError);
});

test(
  verifies("cli:script-sources", "a control character in a file's name does not reach the terminal"),
  async () => {
    const reading = readScript({ cwd: folder(), stdin }, { file: "a\u001b[31m.ts", inline: undefined });
    await expect(reading).rejects.toThrow("cannot read a\\u001b[31m.ts");
  },
);

test(verifies("cli:script-shapes", "endless input is not read to the end"), async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(1 << 20, " ");
  }
  const { Readable } = await import("node:stream");
  const reading = readScript(
    { cwd: folder(), stdin: Readable.from(endless()) },
    { file: "-", inline: undefined },
  );
  await expect(reading).rejects.toMatchObject({
    code: "SCRIPT_TOO_LARGE",
    message: expect.stringContaining("let a tool read the data") as string,
  });
});
