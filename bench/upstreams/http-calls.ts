// Owns the comparison of calls to one HTTP server: a script through a gate, the broker without one, and the SDK's client alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Agent, fetch as undiciFetch } from "undici";
import { createCallgate } from "../../index.ts";
import { openBrokerCalls } from "./broker-calls.ts";

export interface Compared {
  /** Time of a script through the gate ÷ time of the client, of each round. */
  readonly script: readonly number[];
  /** Time of the broker's path, without a script, ÷ time of the client, of each round. */
  readonly broker: readonly number[];
  /** ms of the client alone, of each round. */
  readonly bare: readonly number[];
}

/** Both in turn, so that both meet the same machine; `width` calls at a time. */
export async function compareCalls(options: {
  readonly calls: number;
  readonly width: number;
  readonly rounds: number;
}): Promise<Compared> {
  const { calls, width, rounds } = options;
  const child = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url)), "http"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const url = `http://127.0.0.1:${said.toString().trim()}/mcp`;
    const client = new Client(
      { name: "bare", version: "1" },
      { versionNegotiation: { mode: "auto", probe: { timeoutMs: 10_000 } } },
    );
    // The HTTP client that the gate uses, which is faster than the one of Node: what is compared is the gate.
    const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
    const viaAgent = (input: unknown, init: unknown): unknown =>
      undiciFetch(input as string, { ...(init as object), dispatcher: agent });
    const fetch = viaAgent as typeof globalThis.fetch;
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
    await client.listTools();
    await using gate = await createCallgate({
      servers: { remote: { url, type: "http" } },
      policy: { default: "allow" },
    });
    const text = `
      let left = ${calls};
      const work = async () => { while (left-- > 0) await remote.echo({ n: left }); };
      await Promise.all(Array.from({ length: ${width} }, work));
      return "done";`;
    const throughGate = async (): Promise<void> => {
      const { output, error } = await gate.run(text, { limits: { calls: calls + 1, wallMs: 120_000 } });
      if (output !== "done") throw new Error(`${error?.code}: ${error?.message}`);
    };
    const alone = async (): Promise<void> => {
      let left = calls;
      const work = async (): Promise<void> => {
        while (left-- > 0) await client.callTool({ name: "echo", arguments: { n: left } });
      };
      await Promise.all(Array.from({ length: width }, work));
    };
    await using brokerCalls = await openBrokerCalls(url);
    const throughBroker = (): Promise<void> => brokerCalls.make(calls, width);
    await alone();
    await throughGate();
    await throughBroker();
    const script: number[] = [];
    const broker: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const own = await timed(alone);
      bare.push(own);
      script.push((await timed(throughGate)) / own);
      broker.push((await timed(throughBroker)) / own);
    }
    await client.close();
    await agent.close();
    return { script, broker, bare };
  } finally {
    child.kill();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
