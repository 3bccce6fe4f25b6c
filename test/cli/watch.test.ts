// --watch.
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { fileChanges } from "../../cli/watch.ts";
import { verifies } from "../requirements.ts";
import { folder, start } from "./support.ts";

test(
  verifies("cli:watch", "a changed script runs again, a broken one in between is told, Ctrl-C ends with 130"),
  async () => {
    const cwd = folder({ "a.ts": "console.log('first')" });
    const run = start(["run", "a.ts", "--watch"], { cwd });
    await run.said("watching a.ts");
    writeFileSync(join(cwd, "a.ts"), "throw new Error('second')");
    await run.said("SCRIPT_THREW: second");
    writeFileSync(join(cwd, "a.ts"), Buffer.from([0xff, 0xfe, 0xff]));
    await run.said("error: cannot read a.ts: it is not UTF-8 text");
    writeFileSync(join(cwd, "b.ts"), "console.log('third')");
    renameSync(join(cwd, "b.ts"), join(cwd, "a.ts"));
    await run.said("third");
    run.child.kill("SIGINT");
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 130, stdout: "first\nthird\n" });
  },
);

interface Changes {
  readonly path: string;
  /** The next change; "end" once there are no more. */
  next(): Promise<"change" | "end">;
  end(): void;
}

async function changesOf(files: Readonly<Record<string, string>> = { "a.ts": "0" }): Promise<Changes> {
  const path = join(folder(files), "a.ts");
  const controller = new AbortController();
  const changes = await fileChanges(path, { signal: controller.signal });
  const next = async (): Promise<"change" | "end"> =>
    (await changes.next()).done === true ? "end" : "change";
  return { path, next, end: () => controller.abort() };
}

test.each<readonly [string, (path: string) => void]>([
  ["written to", (path) => writeFileSync(path, "1")],
  ["written to with the same text", (path) => utimesSync(path, 1, 2)],
  ["replaced", (path) => (writeFileSync(`${path}~`, "1"), renameSync(`${path}~`, path))],
  ["removed and made anew", (path) => (rmSync(path), writeFileSync(path, "1"))],
])(verifies("cli:watch", "a file that is %s is noticed, even before anybody waits"), async (_, change) => {
  const { path, next, end } = await changesOf();
  change(path);
  expect(await next()).toBe("change");
  end();
  expect(await next()).toBe("end");
});

test(verifies("cli:watch", "a burst of changes is one, and other files are none"), async () => {
  const { path, next, end } = await changesOf({ "a.ts": "0", "other.ts": "0" });
  for (let i = 0; i < 5; i += 1) writeFileSync(path, String(i));
  expect(await next()).toBe("change");
  writeFileSync(join(path, "../other.ts"), "1");
  const waiting = next();
  const still = pause(600).then(() => "nothing");
  expect(await Promise.race([waiting, still])).toBe("nothing");
  end();
  expect(await waiting).toBe("end");
});

test(verifies("cli:watch", "a file that is gone for a while is waited for"), async () => {
  const { path, next, end } = await changesOf();
  rmSync(path);
  const waiting = next();
  expect(await Promise.race([waiting, pause(400).then(() => "nothing")])).toBe("nothing");
  writeFileSync(path, "1");
  expect(await waiting).toBe("change");
  end();
});

test(verifies("cli:watch", "a file that is written to without end is taken as it is"), async () => {
  const { path, next, end } = await changesOf();
  let count = 0;
  const writer = setInterval(() => writeFileSync(path, "x".repeat((count += 1))), 20);
  expect(await next()).toBe("change");
  clearInterval(writer);
  end();
});

test(verifies("cli:watch", "what cannot be watched is named"), async () => {
  const { signal } = new AbortController();
  const changes = fileChanges(join(folder(), "gone", "a.ts"), { signal });
  await expect(changes).rejects.toThrow(/cannot watch .*gone.*a\.ts: there is no such file/);
});
