// Builds happen while other processes read dist/: what replacing a file promises.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { replaceFile } from "../../scripts/replace-file.ts";
import { verifies } from "../requirements.ts";

const folder = mkdtempSync(join(tmpdir(), "callgate-replace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  verifies(
    "repository:replace-file",
    "a file appears with its folder, contents and mode, and no draft is left",
  ),
  () => {
    const path = join(folder, "a/b/file");
    replaceFile(path, Buffer.from("one"), { mode: 0o755 });
    expect(readFileSync(path, "utf8")).toBe("one");
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(folder, "a/b"))).toEqual(["file"]);
  },
);

test(verifies("repository:replace-file", "equal contents are not written again"), () => {
  const path = join(folder, "same");
  replaceFile(path, Buffer.from("same"));
  const { ino } = statSync(path);
  replaceFile(path, Buffer.from("same"));
  expect(statSync(path).ino).toBe(ino);
});

test(verifies("repository:replace-file", "a reader never meets a mixture or an empty file"), async () => {
  const path = join(folder, "busy");
  const whole = (letter: string): string => letter.repeat(1 << 20);
  replaceFile(path, Buffer.from(whole("a")));
  const reader = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     const { readFileSync } = require("node:fs");
     let torn = 0;
     for (let i = 0; i < 200; i += 1) {
       const text = readFileSync(workerData, "utf8");
       if (text.length !== 1 << 20 || text !== text[0].repeat(1 << 20)) torn += 1;
     }
     parentPort.postMessage(torn);`,
    { eval: true, workerData: path },
  );
  const answer = new Promise((resolve) => reader.once("message", resolve));
  for (let turn = 0; turn < 60; turn += 1) replaceFile(path, Buffer.from(whole(turn % 2 === 0 ? "b" : "a")));
  expect(await answer).toBe(0);
});
