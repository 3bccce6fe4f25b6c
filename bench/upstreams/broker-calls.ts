// Owns calls on the path of the broker alone: validated, decided, recorded and sent, without a script around them.
import { openBrokerSide, type BrokerSide } from "../../broker/broker-side.ts";
import { DEFAULT_LIMITS } from "../../index.ts";

export interface BrokerCalls extends AsyncDisposable {
  /** Calls `remote.echo` so often, `width` at a time. */
  make(calls: number, width: number): Promise<void>;
}

export async function openBrokerCalls(url: string): Promise<BrokerCalls> {
  const side: BrokerSide = await openBrokerSide({
    servers: { remote: { url, type: "http" } },
    tools: undefined,
    env: undefined,
    auth: undefined,
    policy: [{ source: "bench", value: { default: "allow" } }],
    approve: undefined,
    elicit: undefined,
    audit: undefined,
    pins: undefined,
    telemetry: undefined,
    catalogCache: undefined,
    reserved: "callgate",
  });
  await side.broker.lists.load({});
  const facts = { runId: "bench", principal: "bench", labels: [], script: "" };
  const slot = { tryTake: () => true, take: () => Promise.resolve(), giveBack: () => {} };
  const { signal } = new AbortController();
  const options = { signal, holdWall: () => () => {}, slot, rest: () => Promise.resolve(false) };
  return {
    async make(calls, width) {
      await side.witness.run({ ...facts, policy: side.policyHash }, async (witness) => {
        const run = side.broker.openRun({ ...facts, limits: { ...DEFAULT_LIMITS, calls }, witness });
        let seq = 0;
        const work = async (): Promise<void> => {
          while (seq < calls) {
            seq += 1;
            const request = {
              runId: "bench",
              seq,
              server: "remote",
              tool: "echo",
              argumentsJson: `{"n":${seq}}`,
            };
            const outcome = await run.call(request, options);
            if (!outcome.ok) throw new Error(outcome.error.message);
          }
        };
        await Promise.all(Array.from({ length: width }, work));
        run.end();
        return { status: "completed", calls: [] } as never;
      });
    },
    [Symbol.asyncDispose]: () => side[Symbol.asyncDispose](),
  };
}
