// Owns the killing of servers at random moments beneath a gate at work, and what must hold all the while.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCallgate, type Gate } from "../../../index.ts";
import { eventually, isAlive } from "../../escape/children.ts";
import { shuffled } from "../../support/random.ts";

const RAW = 14;
const MODERN = 1;
const WEB = 1;
/** Ends of a call that a dying server may cause. */
const DEATHS: ReadonlySet<string> = new Set(["CALL_UPSTREAM_UNAVAILABLE", "CALL_TOOL_ERROR"]);
const WALL_MS = 60_000;
/** Far beyond what an honest run takes here, so that it tells of a hang only. */
const PATIENCE_MS = 20_000;
const fixtures = fileURLToPath(new URL("../../fixtures/servers/", import.meta.url));

export interface Storm {
  /** How many servers were killed. */
  readonly kills: number;
  /** What did not hold, one sentence each. */
  readonly problems: readonly string[];
}

interface Victim {
  readonly name: string;
  kill(): Promise<boolean>;
  /** Brings back what nobody else does. */
  revive(): Promise<void>;
}

/** Kills each of sixteen servers once, at a moment that `random` chooses, while scripts call all of them. */
export async function storm(id: string, random: () => number): Promise<Storm> {
  const problems: string[] = [];
  const marker = `storm-${process.pid}-${id}-`;
  await using web = await openWebServers(marker);
  const victims: Victim[] = [...web.victims];
  const servers: Record<string, object> = { ...web.servers, steady: rawServer(`${marker}steady`) };
  for (let at = 0; at < RAW + MODERN; at += 1) {
    const name = at < RAW ? `raw${at}` : `modern${at}`;
    servers[name] = at < RAW ? rawServer(`${marker}${name}.`) : modernServer(`${marker}${name}.`);
    victims.push({ name, kill: () => killMarked(`${marker}${name}.`), revive: () => Promise.resolve() });
  }
  let kills = 0;
  {
    await using gate = await createCallgate({
      servers,
      policy: { default: "allow" },
      limits: { wallMs: WALL_MS, callTimeoutMs: WALL_MS },
      sandbox: { workers: 1 },
    });
    // Killed after its own call had its answer: the next call may still be written to the dying server.
    let late: string | undefined;
    for (const victim of shuffled(victims, random)) {
      const names = Object.keys(servers);
      const { killed, failed, problems: found } = await killDuring(gate, victim, random, names);
      problems.push(...found.filter(({ server }) => server !== late).map(({ text }) => text));
      if (killed) kills += 1;
      late = killed && !failed ? victim.name : undefined;
      await victim.revive();
    }
    const after = await callAll(gate, Object.keys(servers));
    for (const [server, code] of after.failed) problems.push(`${id}: ${server} did not come back: ${code}`);
  }
  const gone = await eventually(() => marked(marker).length === web.victims.length, PATIENCE_MS);
  if (!gone) problems.push(`${id}: processes are left: ${marked(marker).join(", ")}`);
  return { kills, problems };
}

interface Kill {
  readonly killed: boolean;
  /** Whether the victim's own call failed. */
  readonly failed: boolean;
  readonly problems: readonly { readonly server?: string; readonly text: string }[];
}

async function killDuring(
  gate: Gate,
  victim: Victim,
  random: () => number,
  servers: readonly string[],
): Promise<Kill> {
  const running = callAll(gate, servers);
  let over = false;
  void running.finally(() => (over = true)).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, random() * 60));
  let killed = await victim.kill();
  while (!killed && !over) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    killed = await victim.kill();
  }
  const { status, error, failed, hung } = await running;
  const when = `when ${victim.name} was killed`;
  const problems: { readonly server?: string; readonly text: string }[] = [];
  if (hung) problems.push({ text: `a run hung ${when}` });
  if (status !== "completed") problems.push({ text: `a run ended as ${status} (${error}) ${when}` });
  for (const [server, code] of failed) {
    if (server !== victim.name) problems.push({ server, text: `${server} lost a call (${code}) ${when}` });
    else if (!DEATHS.has(code)) problems.push({ text: `the call of ${server} failed with ${code} ${when}` });
  }
  return { killed, failed: failed.some(([server]) => server === victim.name), problems };
}

interface Round {
  readonly status: string;
  readonly error: string | undefined;
  /** Server and code of each call that failed. */
  readonly failed: readonly (readonly [string, string])[];
  readonly hung: boolean;
}

async function callAll(gate: Gate, servers: readonly string[]): Promise<Round> {
  const calls = servers.map((name) => `${name}.echo({ name: ${JSON.stringify(name)} })`);
  const script = `
    const names = ${JSON.stringify(servers)};
    const ends = await Promise.allSettled([${calls.join(", ")}]);
    return ends.map((end, at) => {
      if (end.status === "rejected") return [names[at], end.reason.code];
      return [names[at], end.value?.name === names[at] ? "ok" : "WRONG_ANSWER"];
    });`;
  let hung = false;
  const abort = new AbortController();
  const timer = setTimeout(() => {
    hung = true;
    abort.abort();
  }, PATIENCE_MS);
  const { status, error, output } = await gate.run(script, { check: "off", signal: abort.signal });
  clearTimeout(timer);
  const ends = status === "completed" ? (JSON.parse(output) as [string, string][]) : [];
  return { status, error: error?.message, failed: ends.filter(([, code]) => code !== "ok"), hung };
}

function rawServer(marker: string): object {
  return { command: process.execPath, args: [`${fixtures}raw.mjs`, JSON.stringify({ marker })] };
}

function modernServer(marker: string): object {
  return { command: process.execPath, args: [`${fixtures}modern.mjs`, "stdio", marker] };
}

/** Servers of HTTP are not the gate's children: they are killed, and started again on the same port. */
async function openWebServers(
  marker: string,
): Promise<
  { readonly servers: Record<string, object>; readonly victims: readonly Victim[] } & AsyncDisposable
> {
  const children = new Map<string, ChildProcess>();
  const start = async (name: string, port: number): Promise<number> => {
    const args = [`${fixtures}modern.mjs`, "http", String(port), `${marker}${name}.`];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.set(name, child);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return Number(line.toString());
  };
  const names = Array.from({ length: WEB }, (_, at) => `web${at}`);
  const ports = await Promise.all(names.map((name) => start(name, 0)));
  return {
    servers: Object.fromEntries(
      names.map((name, at) => [name, { url: `http://127.0.0.1:${ports[at] ?? 0}/mcp` }]),
    ),
    victims: names.map((name, at) => ({
      name,
      async kill() {
        const child = children.get(name);
        if (child === undefined) return false;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
        return true;
      },
      revive: async () => void (await start(name, ports[at] ?? 0)),
    })),
    async [Symbol.asyncDispose]() {
      for (const child of children.values()) child.kill("SIGKILL");
      await Promise.resolve();
    },
  };
}

async function killMarked(marker: string): Promise<boolean> {
  const pids = marked(marker);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself meanwhile.
    }
  }
  await Promise.resolve();
  return pids.length > 0;
}

/** Processes that live and have `marker` in their command line. */
function marked(marker: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(marker) && isAlive(pid);
      } catch {
        return false;
      }
    });
}
