// Output that nobody gets.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isClosedStdout } from "../../cli/closed-stdout.ts";
import { verifies } from "../requirements.ts";
import { commandFile, folder } from "./support.ts";

interface ShellEnd {
  readonly code: number;
  readonly stderr: string;
}

/** `$CG` is the command. The shell outlives it, as it does in a script of several lines. */
async function shell(line: string): Promise<ShellEnd> {
  const child = spawn("sh", ["-c", `CG="${process.execPath} ${commandFile}"; ${line}; exit $?`], {
    cwd: folder(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.resume();
  const code = await new Promise<number>((resolve) => child.once("close", (ended) => resolve(ended ?? -1)));
  return { code, stderr };
}

describe.runIf(existsSync("/dev/full"))("on a system with /dev/full", () => {
  test.each(["run -q -e 'return 1'", "tools --json", "--help"])(
    verifies("cli:lost-output", "%s into a full device is an error and gives 1"),
    async (args) => {
      expect(await shell(`$CG ${args} >/dev/full`)).toEqual({
        code: 1,
        stderr: "error: what was written to stdout is lost: no space is left\n",
      });
    },
  );

  test(verifies("cli:lost-output", "a command that failed keeps its exit code"), async () => {
    expect((await shell("$CG doctor --config nothing.json >/dev/full")).code).toBe(2);
  });

  test(verifies("cli:lost-output", "a script that logs nothing loses nothing"), async () => {
    expect(await shell("$CG run -q -e 'const a = 1' >/dev/full")).toEqual({ code: 0, stderr: "" });
  });
});

describe.runIf(process.platform === "linux")("on Linux", () => {
  test(verifies("cli:lost-output", "a stdout that the shell closed is an error and gives 1"), async () => {
    expect(await shell("$CG run -q -e 'return 1' >&-")).toEqual({
      code: 1,
      stderr: "error: what was written to stdout is lost: it is closed\n",
    });
  });

  test(verifies("cli:lost-output", "output that is to be discarded is no loss"), async () => {
    expect(await shell("$CG run -q -e 'return 1' >/dev/null")).toEqual({ code: 0, stderr: "" });
    expect(await shell("exec >/dev/null; $CG run -q -e 'return 1'")).toEqual({ code: 0, stderr: "" });
  });

  test(verifies("cli:lost-output", "a program that discards what its child writes gets 0"), async () => {
    const child = spawn(process.execPath, [commandFile, "run", "-q", "-e", "return 1"], {
      cwd: folder(),
      stdio: ["pipe", "ignore", "ignore"],
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  });
});

describe("whether stdout was closed", () => {
  interface Seen {
    readonly stdout?: string;
    readonly flags?: string;
    readonly parent?: string;
    readonly parentStdout?: string | NodeJS.ErrnoException;
  }
  const judged = (seen: Seen): boolean => {
    const { stdout = "/dev/null", flags = "02100002", parent = "bash", parentStdout = "/dev/pts/0" } = seen;
    return isClosedStdout(7, {
      link(path) {
        if (path === "/proc/self/fd/1") return stdout;
        if (typeof parentStdout === "string") return parentStdout;
        throw parentStdout;
      },
      text: (path) => (path === "/proc/7/comm" ? `${parent}\n` : `pos:\t0\nflags:\t${flags}\nmnt_id:\t24\n`),
    });
  };
  const failing = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

  test.each<readonly [string, Seen, boolean]>([
    ["Node's own replacement below a shell", {}, true],
    ["a shell that has no stdout itself", { parentStdout: failing("ENOENT") }, true],
    ["a pipe", { stdout: "pipe:[5]" }, false],
    ["/dev/null opened for writing", { flags: "02100001" }, false],
    ["a parent that is no shell", { parent: "python3" }, false],
    ["a parent that discards its own output", { parentStdout: "/dev/null" }, false],
    ["a parent that cannot be looked at", { parentStdout: failing("EACCES") }, false],
    ["no flags to read", { flags: "?" }, false],
  ])(verifies("cli:lost-output", "%s is judged"), (_, seen, closed) => {
    expect(judged(seen)).toBe(closed);
  });

  test(verifies("cli:lost-output", "a system without /proc is not judged"), () => {
    const none = (): never => {
      throw failing("ENOENT");
    };
    expect(isClosedStdout(7, { link: none, text: none })).toBe(false);
  });
});
