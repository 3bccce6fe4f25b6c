// Owns a gate with local tools for tests of the runtime: counting, waiting, echoing, failing.
import { setTimeout } from "node:timers/promises";
import { createCallgate, defineTool, type CallgateOptions, type Gate } from "../../index.ts";

const anything = { type: "object" } as const;

export interface Opened extends AsyncDisposable {
  readonly gate: Gate;
  /** How often each `own.mark({ name })` was called. */
  readonly marks: ReadonlyMap<string, number>;
  /** Most calls of `own.wait` at one time. */
  readonly maxWaiting: () => number;
  /** Lets all waiting calls of `own.held` go on. */
  release(): void;
}

export async function openGate(options: CallgateOptions = {}): Promise<Opened> {
  const marks = new Map<string, number>();
  let held = Promise.withResolvers<void>();
  let waiting = 0;
  let maxWaiting = 0;
  const gate = await createCallgate({
    policy: { default: "allow" },
    ...options,
    tools: {
      own: {
        mark: defineTool({
          description: "Counts a name.",
          input: anything,
          run: ({ name }: { name: string }) => {
            marks.set(name, (marks.get(name) ?? 0) + 1);
            return marks.get(name);
          },
        }),
        wait: defineTool({
          description: "Answers after some time.",
          input: anything,
          run: async ({ ms }: { ms: number }, { signal }) => {
            waiting += 1;
            maxWaiting = Math.max(maxWaiting, waiting);
            await setTimeout(ms, undefined, { signal }).finally(() => (waiting -= 1));
            return ms;
          },
        }),
        held: defineTool({
          description: "Answers when the test says so.",
          input: anything,
          run: async (input: unknown) => {
            await held.promise;
            return input;
          },
        }),
        echo: defineTool({ description: "Echo.", input: anything, run: (input: unknown) => input }),
        fail: defineTool({
          description: "Fails.",
          input: anything,
          run: ({ message }: { message: string }) => {
            throw new Error(message);
          },
        }),
      },
      ...options.tools,
    },
  });
  return {
    gate,
    marks,
    maxWaiting: () => maxWaiting,
    release() {
      held.resolve();
      held = Promise.withResolvers<void>();
    },
    [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose](),
  };
}
