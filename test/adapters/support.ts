// What a scripted model says in the adapter tests, and the gates it says it to.
import { z } from "zod";
import { createCallgate, defineTool, type CallgateOptions, type Gate } from "../../index.ts";

export { openShop } from "../gate/support.ts";

/** `itm` is no property of shop.sell. */
export const WRONG_SCRIPT = 'const { total } = await shop.sell({ itm: "tea" });\nreturn `sold ${total}`;';
export const RIGHT_SCRIPT: string = WRONG_SCRIPT.replace("itm", "item");

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, or what a model sends instead of it. */
  readonly input: string;
}

/** One turn of a model: tools it calls, or the text it ends with. */
export type Turn = readonly ScriptedCall[] | string;

let calls = 0;

export function says(name: string, input: unknown): ScriptedCall {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { id: `call_${(calls += 1)}`, name, input: text };
}

export const runs = (script: string): ScriptedCall => says("run_script", { script });

/** Discovers, fails, repairs, succeeds. */
export const TALE: readonly Turn[] = [
  [says("search_tools", { query: "sell an item" })],
  [runs(WRONG_SCRIPT)],
  [runs(RIGHT_SCRIPT)],
  "Sold one tea.",
];

/** `bell.wait` never answers; `rung` resolves when it was called, `silenced` when its call was cancelled. */
export interface Bell extends AsyncDisposable {
  readonly gate: Gate;
  readonly rung: Promise<void>;
  readonly silenced: Promise<void>;
}

export async function openBell(options: CallgateOptions = {}): Promise<Bell> {
  const rung = Promise.withResolvers<void>();
  const silenced = Promise.withResolvers<void>();
  const wait = defineTool({
    description: "Waits for ever.",
    input: z.object({}),
    run: (_input, { signal }) => {
      rung.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => (silenced.resolve(), reject(new Error("cancelled")))),
      );
    },
  });
  const gate = await createCallgate({ tools: { bell: { wait } }, policy: { default: "allow" }, ...options });
  const dispose = (): PromiseLike<void> => gate[Symbol.asyncDispose]();
  return {
    gate,
    rung: rung.promise,
    silenced: silenced.promise,
    [Symbol.asyncDispose]: async () => dispose(),
  };
}

export interface Meeting extends AsyncDisposable {
  readonly gate: Gate;
}

/** `meet.come` answers once `guests` calls of it are open: only calls that run at the same time get an answer. */
export async function openMeeting(guests: number): Promise<Meeting> {
  const all = Promise.withResolvers<void>();
  let here = 0;
  const come = defineTool({
    description: "Waits for the others.",
    input: z.object({ name: z.string() }),
    run: async ({ name }) => {
      if ((here += 1) === guests) all.resolve();
      await all.promise;
      return name;
    },
  });
  const gate = await createCallgate({ tools: { meet: { come } }, policy: { default: "allow" } });
  return { gate, [Symbol.asyncDispose]: async () => gate[Symbol.asyncDispose]() };
}

export const comes = (name: string): ScriptedCall => runs(`return await meet.come({ name: "${name}" });`);
