// A person's machine for tests about trust: a home folder of its own, and no word that everything is trusted.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fakeInput, inside, type Words } from "./inside.ts";
import { folder, workspace } from "./support.ts";

export interface Machine {
  readonly home: string;
  /** For commands in processes of their own. */
  readonly env: Readonly<Record<string, string>>;
}

export function machine(): Machine {
  const home = folder();
  return {
    home,
    env: { HOME: home, XDG_STATE_HOME: join(home, "state"), CALLGATE_TRUST: "", NO_COLOR: "1" },
  };
}

/** The file of what was agreed to. */
export function trustedFile({ home }: Machine): string {
  return join(home, "state", "callgate", "trusted.json");
}

export interface Project {
  readonly path: string;
  readonly log: () => readonly string[];
  /** Changes callgate.json as a person would. */
  edit(change: (config: Config) => void): void;
}

export interface Config {
  mcpServers: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

/** A project whose callgate.json starts the fixture server, which leaves a line in the log. */
export function project(config: Readonly<Record<string, unknown>> = {}): Project {
  const { path, log } = workspace({ policy: { default: "allow" }, ...config });
  const file = join(path, "callgate.json");
  return {
    path,
    log,
    edit(change) {
      const value = JSON.parse(readFileSync(file, "utf8")) as Config;
      change(value);
      writeFileSync(file, JSON.stringify(value));
    },
  };
}

/** One command in this process, without a terminal. */
export async function quietly(args: readonly string[], cwd: string, { home, env }: Machine): Promise<Words> {
  const stdin = fakeInput();
  stdin.end();
  const ended = inside(args, { cwd, home, env, stdin });
  return { code: await ended.code, stdout: ended.stdout(), stderr: ended.stderr() };
}

/** One command at a terminal, where questions get these answers in turn, or each the same. */
export async function atTerminal(
  args: readonly string[],
  cwd: string,
  { home, env }: Machine,
  answer: string | readonly string[],
): Promise<Words & { readonly questions: number }> {
  const stdin = fakeInput({ tty: true });
  const ended = inside(args, { cwd, home, env, stdin, tty: true });
  const count = (): number => ended.stderr().split(/\[y\/n[^\]]*\] /).length - 1;
  let answered = 0;
  const done = ended.code.then(() => true);
  while (!(await Promise.race([done, pause(10, false)]))) {
    if (count() === answered) continue;
    stdin.write(`${typeof answer === "string" ? answer : answer[answered]}\n`);
    answered += 1;
  }
  return { code: await ended.code, stdout: ended.stdout(), stderr: ended.stderr(), questions: answered };
}
