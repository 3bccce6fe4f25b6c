// The law of determinism: a run is a function of its script, its start and its ordered events, and of nothing else.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createCallgate,
  defineTool,
  type Gate,
  type RunEvent,
  type RunResult,
  type RunStore,
} from "../../index.ts";
import { createMemoryStore } from "../../runtime/run/memory-store.ts";
import { verifies } from "../requirements.ts";
import { randomScript } from "./random-scripts.ts";

const RUNS = Number(process.env["CALLGATE_PROPERTY_RUNS"] ?? 60);
/** How a random script may end, besides well. */
const END = /^(?:SCRIPT_THREW|CALL_TOOL_ERROR|RUN_PENDING_CALLS)$/;
const anything = { type: "object" } as const;

type Change = (events: readonly RunEvent[]) => readonly RunEvent[];

let gate: Gate;
let toolCalls = 0;
/** Applied to what the store gives back. */
let change: Change = (events) => events;

beforeAll(async () => {
  const memory = createMemoryStore();
  const store: RunStore = {
    create: (start) => memory.create(start),
    append: (runId, event) => memory.append(runId, event),
    end: (runId) => memory.end(runId),
    async load(runId) {
      const record = await memory.load(runId);
      return record && { start: record.start, events: change(record.events) };
    },
  };
  gate = await createCallgate({
    policy: { default: "allow" },
    store,
    limits: { wallMs: 20_000 },
    tools: {
      own: {
        chance: defineTool({
          description: "Answers after a random time, sometimes with a failure.",
          input: anything,
          run: async ({ n, ms = 0 }: { n: number; ms?: number }) => {
            toolCalls += 1;
            await new Promise((resolve) => setTimeout(resolve, ms + Math.random() * 6));
            if (n % 7 === 0) throw new Error(`chance failed ${n}`);
            return { n, calls: toolCalls };
          },
        }),
      },
    },
  });
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
});

/** All of a result that is a function of the run. */
function essence({ status, output, error }: RunResult): string {
  return JSON.stringify({ status, output, error });
}

async function replayed(runId: string, changed: Change = (events) => events): Promise<RunResult> {
  change = changed;
  const before = toolCalls;
  const result = await gate.replay(runId);
  expect(toolCalls, "a replay called a tool").toBe(before);
  return result;
}

test(
  verifies("replay:same", "a replayed run gives the same output and error, byte for byte, and calls no tool"),
  async () => {
    await fc.assert(
      fc.asyncProperty(randomScript, async (script) => {
        const live = await gate.run(script, { check: "off" });
        expect(live.error?.code ?? "SCRIPT_THREW").toMatch(END);
        expect(essence(await replayed(live.runId))).toBe(essence(live));
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 45_000 + RUNS * 500, markInterruptAsFailure: true },
    );
  },
  60_000 + RUNS * 1_000,
);

test(
  verifies(["replay:same", "contain:moves"], "a run that lost its workers on the way is no exception"),
  async () => {
    let guilty = 0;
    await fc.assert(
      fc.asyncProperty(randomScript, async (script) => {
        const live = gate.run(script, { check: "off" });
        const killers = [1, 2].map(async (turn) => {
          await new Promise((resolve) => setTimeout(resolve, turn * 10));
          const { error } = await gate.run("for (;;);", { check: "off", limits: { cpuMs: 20 } });
          guilty += error?.code === "RUN_CPU_LIMIT" ? 1 : 0;
        });
        const result = await live;
        await Promise.all(killers);
        expect(result.error?.code ?? "SCRIPT_THREW").toMatch(END);
        expect(essence(await replayed(result.runId))).toBe(essence(result));
      }),
      {
        numRuns: Math.ceil(RUNS / 6),
        interruptAfterTimeLimit: 45_000 + RUNS * 500,
        markInterruptAsFailure: true,
      },
    );
    expect(guilty).toBeGreaterThan(0);
  },
  60_000 + RUNS * 1_000,
);

test(verifies("replay:same", "many replays of one run at once are all the same"), async () => {
  const script =
    "const all = Array.from({ length: 50 }, (_, n) => own.chance({ n }).catch((e) => e.message)); const first = await Promise.race(all); return JSON.stringify([first, await Promise.all(all), Math.random()]);";
  const live = await gate.run(script, { check: "off" });
  const again = await Promise.all(Array.from({ length: 6 }, () => replayed(live.runId)));
  for (const result of again) expect(essence(result)).toBe(essence(live));
});

test(
  verifies("replay:same", "two live runs differ in chance, so that sameness of replays means something"),
  async () => {
    const script = "return [Math.random(), crypto.randomUUID()].join();";
    const [one, two] = [await gate.run(script), await gate.run(script)];
    expect(one.output).not.toBe(two.output);
    expect((await replayed(one.runId)).output).toBe(one.output);
  },
);

const RACE =
  "const a = own.chance({ n: 1, ms: 1 }); const b = own.chance({ n: 2, ms: 60 }); console.log(await Promise.race([a, b])); console.log(await b, Date.now()); return (await own.chance({ n: 3 })).n;";
const swap =
  (one: number, two: number): Change =>
  (events) =>
    events.map((event) =>
      event.type === "request"
        ? event
        : { ...event, seq: event.seq === one ? two : event.seq === two ? one : event.seq },
    );
const CHANGES: Readonly<Record<string, Change>> = {
  "the order of results changed": swap(1, 2),
  "another result": (events) =>
    events.map((event) =>
      event.type === "call" && event.seq === 1
        ? { ...event, outcome: { ok: true, valueJson: '{"n":99}' } }
        : event,
    ),
  "another time": (events) =>
    events.map((event) => (event.type === "call" ? { ...event, at: event.at + 1_000 } : event)),
  "other arguments of a call": (events) =>
    events.map((event) =>
      event.type === "request" && event.seq === 3 ? { ...event, argumentsJson: '{"n":4}' } : event,
    ),
  "another tool in a call": (events) =>
    events.map((event) =>
      event.type === "request" && event.seq === 1 ? { ...event, tool: "other" } : event,
    ),
  "a call missing": (events) => events.filter((event) => !(event.type === "request" && event.seq === 3)),
  "no events": () => [],
};

for (const [what, changed] of Object.entries(CHANGES)) {
  test(
    verifies("replay:diverged", `a record with ${what} does not pass for the run; no tool is called`),
    async () => {
      const live = await gate.run(RACE, { check: "off" });
      expect(live.output).toMatch(/n: 1.*\n.*n: 2.*\n3$/);
      expect(essence(await replayed(live.runId))).toBe(essence(live));
      const other = await replayed(live.runId, changed);
      expect(essence(other)).not.toBe(essence(live));
      if (/other arguments|another tool|missing|no events/.test(what))
        expect(other.error?.code).toBe("RUN_DIVERGED");
    },
  );
}

test(
  verifies("replay:diverged", "a record cut off at its end ends at the wall limit, and no tool is called"),
  async () => {
    const live = await gate.run(RACE, { check: "off", limits: { wallMs: 1_500 } });
    const cut: Change = (events) => events.slice(0, -1);
    expect((await replayed(live.runId, cut)).error?.code).toBe("RUN_TIMEOUT");
  },
);

test(verifies("replay:diverged", "a run that is not on record is refused by name"), async () => {
  await expect(gate.replay("no-such-run")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test(
  verifies("replay:bounds", "a run that moves more than the store keeps is dropped from it whole"),
  async () => {
    const store = createMemoryStore(4 << 10);
    const start = {
      runId: "r",
      principal: "p",
      script: "",
      code: "",
      manifestJson: "",
      seed: "",
      at: 0,
      timeZone: "UTC",
      limits: {} as never,
    };
    await store.create(start);
    for (let seq = 1; seq <= 20; seq += 1)
      await store.append("r", {
        type: "request",
        seq,
        server: "s",
        tool: "t",
        argumentsJson: "x".repeat(200),
      });
    expect(await store.load("r")).toBeUndefined();
  },
);
