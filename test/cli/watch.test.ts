// --watch.
import { renameSync, writeFileSync } from "node:fs";
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
    await pause(300);
    writeFileSync(join(cwd, "b.ts"), "console.log('third')");
    renameSync(join(cwd, "b.ts"), join(cwd, "a.ts"));
    await run.said("third");
    run.child.kill("SIGINT");
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 130, stdout: "first\nthird\n" });
  },
);

test(
  verifies(
    "cli:watch",
    "a burst of changes is one, other files are none, and the end of the signal is the end",
  ),
  async () => {
    const cwd = folder({ "a.ts": "0", "other.ts": "0" });
    const controller = new AbortController();
    const changes = fileChanges(join(cwd, "a.ts"), { signal: controller.signal });
    const first = changes.next();
    await pause(200);
    for (let i = 0; i < 5; i += 1) writeFileSync(join(cwd, "a.ts"), String(i));
    expect((await first).done).toBe(false);
    let again = false;
    const second = changes.next().then((next) => {
      again = next.done !== true;
      return next;
    });
    writeFileSync(join(cwd, "other.ts"), "1");
    await pause(400);
    expect(again).toBe(false);
    controller.abort();
    expect((await second).done).toBe(true);
  },
);

test(verifies("cli:watch", "what cannot be watched is named"), async () => {
  const { signal } = new AbortController();
  const changes = fileChanges(join(folder(), "gone", "a.ts"), { signal });
  await expect(changes.next()).rejects.toThrow(/cannot watch .*gone.*a\.ts: there is no such file/);
});

test(verifies("cli:watch", "a change before anybody waits is not lost"), async () => {
  const cwd = folder({ "a.ts": "0" });
  const controller = new AbortController();
  const changes = fileChanges(join(cwd, "a.ts"), { signal: controller.signal });
  writeFileSync(join(cwd, "a.ts"), "1");
  await pause(100);
  expect((await changes.next()).done).toBe(false);
  controller.abort();
});
