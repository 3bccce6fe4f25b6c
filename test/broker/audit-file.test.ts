// The audit file: its chain through restarts, crashes and company.
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAuditFile } from "../../broker/audit/file.ts";
import { MAX_LINE_BYTES, NO_LINE } from "../../broker/audit/line.ts";
import { createFileLock } from "../../broker/audit/lock.ts";
import { verifyAudit } from "../../broker/audit/verify.ts";
import { verifies } from "../requirements.ts";
import { entry, fileOf, folder, hashOf, linesOf, logOf, write } from "./audit-support.ts";

const writer = fileURLToPath(new URL("../fixtures/audit/writer.ts", import.meta.url));

function started(args: readonly string[]): { readonly pid: number; readonly ended: Promise<number | null> } {
  const child = spawn(process.execPath, [writer, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  return { pid: child.pid as number, ended: new Promise((resolve) => child.once("close", resolve)) };
}

describe("chain", () => {
  test(verifies("audit:chain", "each line names its number and the hash of the line before it"), async () => {
    const path = join(folder(), "audit.jsonl");
    await write(path, 3);
    const lines = linesOf(path);
    const parsed = lines.map((line) => JSON.parse(line) as { n: number; prev: string; sum: string });
    expect(parsed.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(parsed.map(({ prev }) => prev)).toEqual([NO_LINE, hashOf(lines[0]!), hashOf(lines[1]!)]);
    expect(lines[0]).toMatch(
      /^\{"n":1,"at":"2026-01-02T03:04:05.678Z","prev":"0{64}","type":"call.decided",/,
    );
    expect(await verifyAudit(path)).toEqual({ ok: true, lines: 3, head: hashOf(lines[2]!), torn: [] });
  });

  test(verifies("audit:append", "the file is its owner's alone"), async () => {
    const path = join(folder(), "audit.jsonl");
    await write(path, 1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test(verifies("audit:append", "what stands in the file is never written over"), async () => {
    const path = join(folder(), "audit.jsonl");
    await write(path, 2);
    const before = readFileSync(path, "utf8");
    await write(path, 2, 3);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
  });

  test(verifies("audit:restart", "a log goes on where it ended"), async () => {
    const path = join(folder(), "audit.jsonl");
    for (const from of [1, 4, 7]) await write(path, 3, from);
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 9 });
  });

  test(verifies("audit:chain", "an empty log is unbroken"), async () => {
    expect(await verifyAudit(fileOf(""))).toEqual({ ok: true, lines: 0, head: NO_LINE, torn: [] });
  });

  test(verifies("audit:restart", "a last line without its line feed is a line"), async () => {
    const path = fileOf((await logOf(2)).subarray(0, -1));
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 2, torn: [] });
    await write(path, 1, 3);
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 3, torn: [] });
  });
});

describe("options", () => {
  test.each([
    ["a text that is no log", "# Notes\n"],
    ["JSON of another kind", '{"level":30,"msg":"hi"}\n'],
    ["other text after what looks like a first line", `{"n":2,${"x".repeat(100)}`],
  ])(verifies("audit:options", "%s is refused and left as it is"), async (_what, text) => {
    const path = fileOf(text);
    await expect(createAuditFile(path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test(verifies("audit:options", "a path that cannot be opened is refused"), async () => {
    const gone = join(folder(), "no", "such", "folder", "audit.jsonl");
    await expect(createAuditFile(gone)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(createAuditFile(folder())).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(verifyAudit(gone)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test(verifies("audit:head", "a head that is no hash is refused"), async () => {
    await expect(verifyAudit(fileOf(""), { head: "abc" })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("crash", () => {
  test(
    verifies("audit:restart", "cut anywhere in its last line, a log is reported, goes on, and proves it"),
    async () => {
      const log = await logOf(3);
      const lastLine = log.subarray(0, -1).lastIndexOf("\n") + 1;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: lastLine + 1, max: log.length - 2 }), async (size) => {
          const path = fileOf(log.subarray(0, size));
          const before = await verifyAudit(path);
          expect(before).toMatchObject({ ok: true, lines: 2 });
          expect(before.torn).toEqual([{ line: 3, bytes: size - lastLine, recorded: false }]);
          await write(path, 2, 3);
          const after = await verifyAudit(path);
          expect(after).toMatchObject({ ok: true, lines: 5 });
          expect(after.torn).toEqual([{ line: 3, bytes: size - lastLine + 1, recorded: true }]);
        }),
        { numRuns: 25 },
      );
    },
  );

  test(verifies("audit:restart", "cut in its very first line, a log goes on"), async () => {
    const log = await logOf(1);
    for (const size of [1, 5, 60]) {
      const path = fileOf(log.subarray(0, size));
      await write(path, 1);
      expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 2, torn: [{ line: 1 }] });
    }
  });

  test(verifies("audit:restart", "two crashes in a row leave one torn place"), async () => {
    const log = await logOf(3);
    const path = fileOf(Buffer.concat([log.subarray(0, -20), Buffer.from('\n{"n":4,"at"')]));
    await write(path, 1, 4);
    expect(await verifyAudit(path)).toMatchObject({
      ok: true,
      lines: 4,
      torn: [{ line: 3, recorded: true }],
    });
  });

  test(verifies("audit:restart", "the torn bytes cannot be changed or taken away later"), async () => {
    const path = fileOf((await logOf(3)).subarray(0, -20));
    await write(path, 1, 4);
    const lines = linesOf(path);
    const without = fileOf(`${lines.filter((_, at) => at !== 2).join("\n")}\n`);
    expect(await verifyAudit(without)).toMatchObject({ ok: false, broken: { line: 3 } });
    const other = fileOf(`${lines.map((line, at) => (at === 2 ? `${line}x` : line)).join("\n")}\n`);
    expect(await verifyAudit(other)).toMatchObject({ ok: false, broken: { line: 3 } });
  });

  test(verifies("audit:restart", "a writer that is killed leaves a log that goes on"), async () => {
    const path = join(folder(), "audit.jsonl");
    const child = started([path, "endless"]);
    while (!statSync(path, { throwIfNoEntry: false })?.size) await new Promise((go) => setTimeout(go, 20));
    process.kill(child.pid, "SIGKILL");
    await child.ended;
    const { lines } = await verifyAudit(path);
    expect(lines).toBeGreaterThan(0);
    await write(path, 1, 1);
    const after = await verifyAudit(path);
    expect(after.ok).toBe(true);
    expect(after.lines).toBeGreaterThan(lines);
  });
});

describe("company", () => {
  test(verifies("audit:shared", "two writers of one process make one chain"), async () => {
    const path = join(folder(), "audit.jsonl");
    await using one = await createAuditFile(path);
    await using two = await createAuditFile(path);
    for (let at = 0; at < 50; at += 1) await Promise.all([one.append(entry(at)), two.append(entry(at))]);
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 100 });
  });

  test(verifies("audit:shared", "three processes make one chain"), async () => {
    const path = join(folder(), "audit.jsonl");
    const codes = await Promise.all([1, 2, 3].map(() => started([path, "300"]).ended));
    expect(codes).toEqual([0, 0, 0]);
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 900, torn: [] });
  });

  test(
    verifies("audit:restart", "what another writer left half done is recorded by one that goes on"),
    async () => {
      const path = join(folder(), "audit.jsonl");
      await using file = await createAuditFile(path);
      await file.append(entry(1));
      appendFileSync(path, '{"n":2,"at":"20');
      await file.append(entry(2));
      const verdict = await verifyAudit(path);
      expect(verdict).toMatchObject({ ok: true, lines: 3, torn: [{ line: 2, recorded: true }] });
    },
  );

  test(verifies("audit:shared", "a lock that is held is waited for, but not for ever"), async () => {
    const path = join(folder(), "lock");
    using one = createFileLock(path, { patienceMs: 10_000 });
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    const first = one.hold(async () => {
      await held.promise;
      order.push("one");
    });
    // Made while the lock is held.
    using two = createFileLock(path, { patienceMs: 10_000 });
    using impatient = createFileLock(path, { patienceMs: 20 });
    await expect(impatient.hold(async () => void order.push("impatient"))).rejects.toThrow(/another process/);
    const second = two.hold(async () => void order.push("two"));
    held.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(["one", "two"]);
    expect(statSync(path).size).toBe(0);
  });

  test(verifies("audit:shared", "what fails while the lock is held gives it back"), async () => {
    using lock = createFileLock(join(folder(), "lock"), { patienceMs: 20 });
    await expect(lock.hold(() => Promise.reject(new Error("oops")))).rejects.toThrow("oops");
    expect(await lock.hold(() => Promise.resolve(1))).toBe(1);
  });

  test(verifies("audit:closed", "a file that became shorter is not written to any more"), async () => {
    const path = join(folder(), "audit.jsonl");
    await using file = await createAuditFile(path);
    await file.append(entry(1));
    await file.append(entry(2));
    truncateSync(path, linesOf(path)[0]!.length + 1);
    await expect(file.append(entry(3))).rejects.toThrow(/shorter/);
    await expect(file.append(entry(4))).rejects.toThrow(/shorter/);
    expect(linesOf(path)).toHaveLength(1);
  });

  test(verifies("audit:closed", "a closed file takes nothing"), async () => {
    const file = await createAuditFile(join(folder(), "audit.jsonl"));
    await file[Symbol.asyncDispose]();
    await expect(file.append(entry(1))).rejects.toThrow(/closed/);
  });
});

describe("size", () => {
  test(verifies("audit:memory", "ten thousand lines are verified in bounded memory"), async () => {
    const path = join(folder(), "audit.jsonl");
    await write(path, 10_000);
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    const verdict = await verifyAudit(path, {
      onLine: ({ n }) => {
        if (n % 1_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
      },
    });
    expect(verdict).toMatchObject({ ok: true, lines: 10_000 });
    expect(most).toBeLessThan(64 << 20);
  });

  test(verifies("audit:memory", "a line without end is given up, not read to its end"), async () => {
    const path = fileOf(await logOf(1));
    appendFileSync(path, Buffer.alloc(MAX_LINE_BYTES * 2, "x"));
    expect(await verifyAudit(path)).toMatchObject({ ok: false, broken: { line: 2 } });
    await expect(createAuditFile(path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test(verifies("audit:chain", "lines across the pieces a file is read in are whole"), async () => {
    const path = join(folder(), "audit.jsonl");
    await using file = await createAuditFile(path);
    for (let at = 1; at <= 8; at += 1) await file.append(entry(at, "ä😀".repeat(30_000)));
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 8 });
    await file[Symbol.asyncDispose]();
    await write(path, 1, 9);
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 9 });
  });
});

test(verifies("audit:chain", "a log that another program wrote over is broken where it was"), async () => {
  const path = fileOf(await logOf(3));
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replaceAll("\n", "\r\n"));
  expect(await verifyAudit(path)).toMatchObject({ ok: false, broken: { line: 1 } });
});
