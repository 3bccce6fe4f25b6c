// Questions that end a request, and the requests that answer them (2026-07-28).
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ApprovalAnswer, ApprovalRequest } from "../../index.ts";
import { askThrough } from "../../server/put.ts";
import { createRounds, type RoundWork } from "../../server/rounds.ts";
import { verifies } from "../requirements.ts";
import { modernPost, openWorld, resultOf, served, type World } from "./support.ts";

let world: World;
let url: string;
beforeAll(async () => {
  world = await openWorld();
  url = await served(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const ADD = { name: "run_script", arguments: { script: 'return notes.add({ text: "round" });' } };
const allowed = { approval: { action: "accept", content: { answer: "allow once" } } };

async function ask(): Promise<{ readonly requestState: string; readonly result: Record<string, unknown> }> {
  const result = await resultOf(await modernPost(url, "tools/call", ADD));
  expect(result).toMatchObject({
    resultType: "input_required",
    inputRequests: { approval: { method: "elicitation/create" } },
  });
  return { requestState: String(result["requestState"]), result };
}

test(
  verifies("server:rounds", "the answer lets the run that asked go on; no second run begins"),
  async () => {
    const before = world.notes.added.length;
    const { requestState } = await ask();
    const told = await resultOf(
      await modernPost(url, "tools/call", { ...ADD, requestState, inputResponses: allowed }),
    );
    expect(told).toMatchObject({ isError: false, structuredContent: { status: "completed" } });
    expect(world.notes.added).toHaveLength(before + 1);
  },
);

test(verifies("server:rounds", "the same answer sent twice counts once"), async () => {
  const before = world.notes.added.length;
  const { requestState } = await ask();
  const again = { ...ADD, requestState, inputResponses: allowed };
  await resultOf(await modernPost(url, "tools/call", again));
  const late = await resultOf(await modernPost(url, "tools/call", again));
  expect(late).toMatchObject({ isError: true });
  expect(JSON.stringify(late)).toContain("Nothing was started by it");
  expect(world.notes.added).toHaveLength(before + 1);
});

test(verifies("server:rounds", "a continuation without an answer gets the same question again"), async () => {
  const { requestState, result } = await ask();
  const again = await resultOf(await modernPost(url, "tools/call", { ...ADD, requestState }));
  expect(again["inputRequests"]).toEqual(result["inputRequests"]);
});

test(verifies("server:rounds", "an answer without a state begins nothing"), async () => {
  const before = world.notes.added.length;
  const told = await resultOf(await modernPost(url, "tools/call", { ...ADD, inputResponses: allowed }));
  expect(told).toMatchObject({ isError: true });
  expect(world.notes.added).toHaveLength(before);
});

test(verifies("server:rounds", "a forged state reaches no run"), async () => {
  const { requestState } = await ask();
  const [version, body = "", mac] = requestState.split(".");
  const payload = JSON.parse(Buffer.from(body, "base64url").toString()) as { p: { question: number } };
  const forged = { ...payload, p: { ...payload.p, question: payload.p.question + 1 } };
  const forgedBody = Buffer.from(JSON.stringify(forged)).toString("base64url");
  for (const state of ["", "v1.e30.AAAA", `${version}.${forgedBody}.${mac}`, `${requestState}A`]) {
    const told = await resultOf(
      await modernPost(url, "tools/call", { ...ADD, requestState: state, inputResponses: allowed }),
    );
    expect(told["isError"] === true || "error" in told).toBe(true);
  }
});

const request: ApprovalRequest = {
  runId: "r",
  seq: 1,
  server: "s",
  tool: "t",
  arguments: {},
  reason: "",
  rules: [],
  calls: [],
};
const quiet = () => ({ signal: new AbortController().signal, onProgress: () => {} });

/** A run that asks as often as it is told to, and says how it was answered and how it ended. */
function asking(expiry: AbortSignal, times: number = 1) {
  const answers: ApprovalAnswer[] = [];
  const ended = Promise.withResolvers<unknown>();
  const work: RoundWork<string> = {
    asks: true,
    async run({ put, signal }) {
      const askClient = put && askThrough(put).approve;
      signal.addEventListener("abort", () => ended.resolve(signal.reason));
      for (let i = 0; i < times; i++)
        if (askClient !== undefined)
          answers.push(await askClient(request, { signal: AbortSignal.any([expiry, signal]) }));
      return "over";
    },
  };
  return { work, answers, ended: ended.promise };
}

test(verifies("server:abandoned", "a question that expires while nobody is there ends the run"), async () => {
  await using rounds = createRounds<string>();
  const expiry = new AbortController();
  const { work, answers, ended } = asking(expiry.signal);
  expect(await rounds.begin(work, quiet())).toMatchObject({ type: "question" });
  expiry.abort();
  expect(await ended).toMatchObject({ message: "nobody answered" });
  await expect
    .poll(() => answers)
    .toEqual([{ decision: "deny", reason: "the question was dismissed without an answer" }]);
});

test(verifies("server:rounds", "an answer to an earlier question does not answer a later one"), async () => {
  await using rounds = createRounds<string>();
  const { work, answers } = asking(new AbortController().signal, 2);
  const first = await rounds.begin(work, quiet());
  if (first.type !== "question") throw new Error("expected a question");
  const second = await rounds.resume(first.state, allowed, quiet());
  expect(second).toMatchObject({ type: "question", state: { question: 2 } });
  expect(await rounds.resume(first.state, allowed, quiet())).toEqual(second);
  expect(answers).toEqual([{ decision: "allow", scope: "once" }]);
});

test(
  verifies("server:cancel", "a request that is cancelled ends its run, and the request waits for that end"),
  async () => {
    await using rounds = createRounds<string>();
    const cancelled = new AbortController();
    const order: string[] = [];
    const step = rounds.begin(
      {
        asks: false,
        async run({ signal }) {
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          order.push("run");
          return "aborted";
        },
      },
      { signal: cancelled.signal, onProgress: () => {} },
    );
    cancelled.abort();
    expect(await step).toEqual({ type: "result", result: "aborted" });
    expect(order).toEqual(["run"]);
  },
);

test(verifies("server:close", "closing ends a run that waits for an answer"), async () => {
  const rounds = createRounds<string>();
  const { work, ended } = asking(new AbortController().signal);
  await rounds.begin(
    { ...work, run: (options) => Promise.race([work.run(options), ended.then(() => "ended")]) },
    quiet(),
  );
  await rounds[Symbol.asyncDispose]();
  expect(await ended).toMatchObject({ message: "Callgate is closing." });
});

test.each([
  ["completed", (): Promise<string> => Promise.resolve("done")],
  ["failed", (): Promise<string> => Promise.reject(new Error("broken"))],
])(verifies("server:rounds", "of a run that %s nothing is kept once it is told"), async (_how, run) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await using rounds = createRounds<string>();
    const request = { signal: new AbortController().signal, onProgress: () => {} };
    const told = await rounds.begin({ asks: false, run }, request).catch((error: unknown) => error);
    expect(told).toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
