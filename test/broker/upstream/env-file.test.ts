// `envFile`: which lines it may hold, which files it may be.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseServers, printingOf, type ParsedServers } from "../../../broker/upstream/config.ts";
import { parseEnvFile, readEnvFile } from "../../../broker/upstream/env-file.ts";
import { verifies } from "../../requirements.ts";

function fileOf(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), "callgate-env-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, ".env");
  writeFileSync(path, content);
  return path;
}

const parse = (entry: object, env: Record<string, string> = {}): ParsedServers =>
  parseServers({ a: { command: "x", ...entry }, other: { command: "y" } }, { env });

test(verifies("upstream:env-file", "comments, blank lines, export and quotes are read as editors do"), () => {
  const text =
    '\ufeff# who\r\n\r\nA=1\nexport B = two words \nC="x\\ny \\"q\\""\nD=\'${A} \\n\'\nE=\nF=a=b#c\n__proto__=p';
  const { values, problem } = parseEnvFile(text);
  expect(problem).toBeUndefined();
  expect([...values]).toEqual([
    ["A", "1"],
    ["B", "two words"],
    ["C", 'x\ny "q"'],
    ["D", "${A} \\n"],
    ["E", ""],
    ["F", "a=b#c"],
    ["__proto__", "p"],
  ]);
});

test(
  verifies("upstream:env-file", "the largest line is read in no time, whatever stands in it"),
  () => {
    const value = `x${" ".repeat(1_000_000)}x`;
    expect(parseEnvFile(`A=${value}  `).values.get("A")).toBe(value);
  },
  20_000,
);

test.each([
  ["a line without =", "A=1\nnonsense s3cret", "line 2: expected NAME=value"],
  ["a name that is none", "1A=s3cret", "line 1: expected NAME=value"],
  ["quotes that do not end", 'A="s3cret', "line 1: the quotes of A do not end"],
  ["a NUL character", "A=s3cret\0", "line 1: a value must not hold a NUL character"],
])(verifies("upstream:env-file", "%s is named by its line, without the value"), (_, text, problem) => {
  expect(parseEnvFile(text).problem).toBe(problem);
});

test(verifies("upstream:env-file", "its values reach the server as they are, and env overrules them"), () => {
  const envFile = fileOf("A=file\nB=${HOME}\n");
  const { servers } = parse({ envFile: "${WHERE}", env: { A: "entry" } }, { WHERE: envFile });
  expect(servers.get("a")?.env).toEqual({ A: "entry", B: "${HOME}" });
});

test(verifies(["upstream:env-file", "upstream:messages"], "its values are kept out of messages"), () => {
  const { servers } = parse({ envFile: fileOf("DATABASE=hunter2-hunter2\nDATA_DIR=/srv/data\n") });
  const config = servers.get("a");
  if (config === undefined) throw new Error("expected a server");
  expect(printingOf(config).secrets).toContain("hunter2-hunter2");
  expect(printingOf(config).secrets).not.toContain("/srv/data");
});

test.each([
  ["that is not there", () => "/nowhere/at/all", "there is no such file"],
  ["that is a folder", () => tmpdir(), "it is a folder, not a file"],
  ["that is too large", () => fileOf(Buffer.alloc((1 << 20) + 1, "#")), "it is larger than 1 MiB"],
  ["whose variable is unset", () => "${UNSET}/.env", "environment variable UNSET is not set"],
  ["with a broken line", () => fileOf("oops"), "line 1: expected NAME=value"],
])(verifies("upstream:env-file", "a file %s fails its server alone"), (_, path, why) => {
  const { servers, failed } = parse({ envFile: path() });
  expect(failed.get("a")).toMatch(/^envFile: /);
  expect(failed.get("a")).toContain(why);
  expect([...servers.keys()]).toEqual(["other"]);
});

test.skipIf(process.platform === "win32")(
  verifies("upstream:env-file", "a pipe or a device is refused instead of waited for"),
  () => {
    const path = join(fileOf(""), "..", "pipe");
    execFileSync("mkfifo", [path]);
    expect(readEnvFile(path).problem).toBe("it is not a regular file");
    expect(readEnvFile("/dev/zero").problem).toBe("it is not a regular file");
  },
);

test(verifies("upstream:env-file", "for a server behind a URL there is nothing to read it for"), () => {
  const { servers, failed } = parseServers(
    { web: { url: "https://example.com/mcp", envFile: "/nowhere" } },
    { env: {} },
  );
  expect([servers.size, failed.size]).toEqual([1, 0]);
});
