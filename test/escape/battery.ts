// Owns how a hostile script is run beside innocent ones, and everything that must hold afterwards.
import {
  createCallgate,
  defineTool,
  type Gate,
  type LocalTool,
  type RunLimits,
  type RunResult,
} from "../../index.ts";
import type { HostileCase } from "../fixtures/hostile/case.ts";
import { childrenOf, eventually, isAlive, isRunning } from "./children.ts";

export interface Battery extends AsyncDisposable {
  /** Sentences of what went wrong; empty when the case is contained. */
  attack(hostile: HostileCase): Promise<readonly string[]>;
}

/** Ends after which a worker must be killed. */
const UNCLEAN = /^(?:RUN_(?!PENDING_CALLS)|WORKER_)/;
const GRACE_MS = 2_000;
/** Other users of a busy machine may keep a reply waiting; a hang is far beyond it. */
const SLACK_MS = 15_000;
const STOPPED_MS = 3_000;

const anything = { type: "object" } as const;

/** The local tools of the namespace `probe`. */
function probeTools(counter: { calls: number }, secret: string): Record<string, LocalTool> {
  return {
    echo: defineTool({ description: "Returns its input.", input: anything, run: (input: unknown) => input }),
    fail: defineTool({
      description: "Always fails.",
      input: anything,
      run: () => {
        throw Object.assign(new Error("upstream failed"), { secret });
      },
    }),
    sink: defineTool({
      description: "Copies its input on the host, carelessly.",
      input: anything,
      run: (input: Record<string, unknown>) => {
        const copy: Record<string, unknown> = {};
        for (const key in input) copy[key] = input[key];
        return { keys: Object.keys(copy).length };
      },
    }),
    count: defineTool({ description: "Counts.", input: anything, run: () => (counter.calls += 1) }),
  };
}

/**
 * Two workers: one serves the hostile principal, the other a long innocent run and short ones beside it. A battery
 * stays below the number of clean runs at which a worker retires, so that its processes can be told apart.
 */
export async function openBattery(limits: Partial<RunLimits>): Promise<Battery> {
  const others = new Set(childrenOf());
  const workers = (): readonly number[] => childrenOf().filter((pid) => !others.has(pid));
  const counter = { calls: 0 };
  const innocentCounter = { calls: 0 };
  let over = false;
  const gate = await createCallgate({
    tools: {
      probe: probeTools(counter, "hunter2"),
      own: {
        ...probeTools(innocentCounter, ""),
        over: defineTool({ description: "Whether to stop.", input: anything, run: () => over }),
      },
    },
    policy: { default: "allow" },
    limits,
    sandbox: { workers: 2 },
  });
  const watch = gate.run(
    "let turns = 0; while (!(await own.over({}))) { await sleep(25); turns += 1; } return 'watched ' + (turns > 0);",
    {
      check: "off",
      principal: "innocent",
      limits: { wallMs: 3_600_000, cpuMs: 3_600_000, calls: 1_000_000, timers: 1_000_000 },
    },
  );
  await eventually(() => workers().length === 1, SLACK_MS);
  const [innocentPid] = workers();

  async function attack(hostile: HostileCase): Promise<readonly string[]> {
    const problems: string[] = [];
    const ready = await answer(gate, "hostile");
    if (ready !== "42") problems.push(`before it, a plain run gave ${ready}`);
    const pids = workers().filter((pid) => pid !== innocentPid);

    const wall = limits.wallMs ?? 60_000;
    const attacked = gate.run(hostile.script, { check: "off", principal: "hostile" });
    const beside = answer(gate, "innocent");
    const result = await within(attacked, wall + GRACE_MS + SLACK_MS);
    if (result === undefined) return [...problems, "no answer within the wall limit"];
    problems.push(...judge(hostile, result));
    const innocent = await beside;
    if (innocent !== "42") problems.push(`beside it, an innocent run gave ${innocent}`);

    if (result.error !== undefined && UNCLEAN.test(result.error.code)) {
      const gone = await eventually(() => !pids.some(isAlive), STOPPED_MS);
      if (!gone) problems.push(`its worker lived on after ${result.error.code}`);
    }
    const next = await answer(gate, "hostile");
    if (next !== "42") problems.push(`after it, the next run gave ${next}`);
    if (innocentPid !== undefined && !isAlive(innocentPid)) problems.push("the innocent worker died");
    for (const pid of workers()) {
      if (!(await eventually(() => !isRunning(pid), STOPPED_MS))) problems.push("a child keeps burning CPU");
    }
    if (({} as { polluted?: unknown }).polluted !== undefined)
      problems.push("the host's prototypes are polluted");
    return problems;
  }

  return {
    attack,
    async [Symbol.asyncDispose]() {
      over = true;
      const watched = await within(watch, SLACK_MS);
      await gate[Symbol.asyncDispose]();
      const left = workers();
      if (watched?.output !== "watched true") {
        throw new Error(
          `the innocent run beside all cases ended with ${JSON.stringify(watched?.error ?? watched?.output)}`,
        );
      }
      if (left.length > 0) throw new Error(`${left.length} children are left`);
    },
  };
}

async function answer(gate: Gate, principal: string): Promise<string> {
  const result = await within(gate.run("return 6 * 7;", { check: "off", principal }), SLACK_MS);
  return result?.error?.code ?? result?.output ?? "no answer";
}

function judge({ expect }: HostileCase, result: RunResult): readonly string[] {
  const problems: string[] = [];
  const { status, error, output } = result;
  if (!(expect.status as readonly string[]).includes(status)) {
    problems.push(`ended ${status} ${error?.code ?? ""}: ${(error?.message ?? output).slice(0, 200)}`);
  } else if (error !== undefined && !expect.codes.includes(error.code)) {
    problems.push(`failed with ${error.code}: ${error.message.slice(0, 200)}`);
  }
  // What the caller is told besides the output may show no more than the output.
  const told = [output, error?.message, error?.stack, ...result.warnings.map(({ message }) => message)].join(
    "\n",
  );
  if (expect.outputMatches !== undefined && !new RegExp(expect.outputMatches).test(output)) {
    problems.push(`output ${JSON.stringify(output.slice(0, 300))} does not match ${expect.outputMatches}`);
  }
  if (expect.outputNotMatches !== undefined && new RegExp(expect.outputNotMatches).test(output)) {
    problems.push(`output ${JSON.stringify(output.slice(0, 300))} matches ${expect.outputNotMatches}`);
  }
  if (/hunter2|node_modules|\/dist\//.test(told))
    problems.push(`the result tells ${JSON.stringify(told.slice(0, 300))}`);
  return problems;
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
