// The lock file of a configuration: its name, and what happens when it cannot be written.
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../cli/config/load.ts";
import { verifies } from "../requirements.ts";
import { words } from "./inside.ts";
import { folder, workspace } from "./support.ts";

describe("the lock file", () => {
  test(verifies("cli:lock-file", "each configuration of a folder has its own, named after it"), async () => {
    const { path } = workspace();
    copyFileSync(join(path, "callgate.json"), join(path, "other.json"));
    for (const args of [[], ["--config", "other.json"]])
      expect((await words(["tools", ...args], { cwd: path })).code).toBe(0);
    const locks = readdirSync(path).filter((name) => name.includes("lock"));
    expect(locks.toSorted()).toEqual(["callgate.lock.json", "other.lock.json"]);
    const found = await loadConfig({ cwd: folder({ "a.jsonc": "{}" }), file: "a.jsonc" });
    expect(found.lockFile).toMatch(/a\.jsonc\.lock\.json$/);
  });

  test.each([
    ["is no JSON", "{", "not valid JSON"],
    ["holds a key that is unknown", '{ "lockVersion": 1, "servers": {}, "x": 1 }', 'unknown key "x"'],
    [
      "holds another kind of value",
      '{ "lockVersion": 1, "servers": { "a": { "b": { "sha256": 5 } } } }',
      "sha256: expected a text, got 5",
    ],
  ])(
    verifies(["cli:lock-file", "cli:own-words"], "one that %s is named, in our own words"),
    async (_, text, why) => {
      const { path } = workspace({}, { "callgate.lock.json": text });
      const { code, stderr } = await words(["run", "-q", "-e", "1"], { cwd: path });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error CONFIG_INVALID: "[^"]*callgate\.lock\.json" cannot be used: /);
      expect(stderr).toContain(why);
      expect(stderr).not.toMatch(/Invalid input|Unrecognized|received/);
    },
  );

  /** A name that is just short enough, but not for the draft that is written before it. */
  const LONG = "c".repeat(240);

  test(
    verifies(["cli:lock-file", "cli:quiet"], "one that cannot be written is named, even when quiet"),
    async () => {
      const { path } = workspace();
      renameSync(join(path, "callgate.json"), join(path, `${LONG}.json`));
      const args = ["run", "-q", "-e", "return 1", "--config", `${LONG}.json`];
      const { code, stdout, stderr } = await words(args, { cwd: path });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "1\n" });
      expect(stderr).toMatch(/^note: [^\n]*c{100,}[^\n]*: cannot be written: pins cannot be kept/);
    },
  );

  test(verifies("cli:lock-file", "what is accepted, but cannot be written, names it too"), async () => {
    const { path } = workspace();
    await words(["tools"], { cwd: path });
    const lock = join(path, "callgate.lock.json");
    const changed = readFileSync(lock, "utf8").replace(/"sha256": "\w+"/, `"sha256": "${"0".repeat(64)}"`);
    writeFileSync(join(path, `${LONG}.lock.json`), changed);
    renameSync(join(path, "callgate.json"), join(path, `${LONG}.json`));
    const args = ["trust", "--all", "--yes", "--config", `${LONG}.json`];
    const { code, stderr } = await words(args, { cwd: path });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: [^\n]*c{100,}[^\n]*: cannot be written: the name is too long$/m);
  });
});
