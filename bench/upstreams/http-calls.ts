// Owns the comparison of calls to one HTTP server: a script through a gate, and the SDK's client alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Agent, fetch as undiciFetch } from "undici";
import { createCallgate } from "../../index.ts";

export interface Compared {
  /** Time of the gate ÷ time of the client, of each round. */
  readonly ratios: readonly number[];
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
    const script = `
      let left = ${calls};
      const work = async () => { while (left-- > 0) await remote.echo({ n: left }); };
      await Promise.all(Array.from({ length: ${width} }, work));
      return "done";`;
    const throughGate = async (): Promise<void> => {
      const { output, error } = await gate.run(script, { limits: { calls: calls + 1, wallMs: 120_000 } });
      if (output !== "done") throw new Error(`${error?.code}: ${error?.message}`);
    };
    const alone = async (): Promise<void> => {
      let left = calls;
      const work = async (): Promise<void> => {
        while (left-- > 0) await client.callTool({ name: "echo", arguments: { n: left } });
      };
      await Promise.all(Array.from({ length: width }, work));
    };
    await alone();
    await throughGate();
    const ratios: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const own = await timed(alone);
      bare.push(own);
      ratios.push((await timed(throughGate)) / own);
    }
    await client.close();
    await agent.close();
    return { ratios, bare };
  } finally {
    child.kill();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
