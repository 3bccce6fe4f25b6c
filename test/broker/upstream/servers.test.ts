// Servers that people run, and the newer era, over every transport.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toCallValue } from "../../../broker/upstream/value.ts";
import type { McpServerConfig } from "../../../broker/upstream/config.ts";
import { verifies } from "../../requirements.ts";
import {
  ask,
  listening,
  modernHttpServer,
  modernServer,
  names,
  never,
  open,
  packageServer,
  rawServer,
  said,
  thrown,
  toolOf,
} from "./support.ts";

test(
  verifies("upstream:eras", "server-everything over stdio: text, structure, images, errors, progress"),
  async () => {
    const upstream = open(packageServer("server-everything"));
    const tools = await upstream.tools({ signal: never });
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]),
    );
    expect(upstream.status()).toMatchObject({ state: "ready", protocolVersion: "2025-11-25" });
    expect(await said(ask(upstream, "echo", { message: "hi" }))).toBe("Echo: hi");
    const weather = await ask(upstream, "get-structured-content", { location: "New York" });
    expect(toCallValue(weather)).toMatchObject({ temperature: expect.any(Number) });
    const image = await ask(upstream, "get-tiny-image");
    expect(image.content.map(({ type }) => type)).toContain("image");
    const wrong = await ask(upstream, "echo", {});
    expect(wrong.isError).toBe(true);
    const steps: number[] = [];
    await upstream.call(
      toolOf("trigger-long-running-operation"),
      { duration: 0.4, steps: 4 },
      { signal: never, timeoutMs: 20_000, onProgress: ({ progress }) => steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3, 4]);
  },
);

test(
  verifies("upstream:eras", "server-filesystem reads a file in its root and refuses one outside"),
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "upstream-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "a.txt"), "hello");
    const upstream = open(packageServer("server-filesystem", folder));
    expect(await names(upstream)).toHaveLength(14);
    const read = await ask(upstream, "read_text_file", { path: join(folder, "a.txt") });
    expect(toCallValue(read)).toEqual({ content: "hello" });
    const outside = await ask(upstream, "read_text_file", { path: "/etc/passwd" });
    expect(outside.isError).toBe(true);
  },
);

test(verifies("upstream:eras", "server-memory keeps what it is told"), async () => {
  const folder = mkdtempSync(join(tmpdir(), "upstream-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const upstream = open({
    ...packageServer("server-memory"),
    env: { MEMORY_FILE_PATH: join(folder, "memory.json") },
  });
  const entity = { name: "callgate", entityType: "project", observations: ["works"] };
  await ask(upstream, "create_entities", { entities: [entity] });
  expect(toCallValue(await ask(upstream, "read_graph"))).toEqual({ entities: [entity], relations: [] });
});

test(verifies("upstream:eras", "server-sequential-thinking answers"), async () => {
  const upstream = open(packageServer("server-sequential-thinking"));
  const thought = { thought: "first", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  expect(toCallValue(await ask(upstream, "sequentialthinking", thought))).toMatchObject({ thoughtNumber: 1 });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function everythingOver(
  kind: "streamableHttp" | "sse",
): Promise<{ port: number; stop(): Promise<void> }> {
  const PORT = String(await freePort());
  return listening(packageServer("server-everything", kind), { PORT });
}

test(
  verifies("upstream:eras", "server-everything over Streamable HTTP, with and without its type named"),
  async () => {
    const { port } = await everythingOver("streamableHttp");
    for (const type of [undefined, "http", "streamable-http"] as const) {
      const upstream = open({ url: `http://127.0.0.1:${port}/mcp`, ...(type === undefined ? {} : { type }) });
      expect(await names(upstream)).toContain("echo");
      expect(await said(ask(upstream, "echo", { message: "http" }))).toBe("Echo: http");
    }
  },
);

test(
  verifies("upstream:session", "an HTTP server that was restarted is used again without a word"),
  async () => {
    const PORT = String(await freePort());
    const first = await listening(packageServer("server-everything", "streamableHttp"), { PORT });
    const upstream = open({ url: `http://127.0.0.1:${PORT}/mcp` });
    await names(upstream);
    await first.stop();
    expect(await thrown(ask(upstream, "echo", { message: "x" }))).toMatchObject({
      code: "CALL_UPSTREAM_UNAVAILABLE",
      data: { sent: false },
    });
    expect(upstream.status().error).toMatch(/nothing listens/);
    await listening(packageServer("server-everything", "streamableHttp"), { PORT });
    const answers = await Promise.all(
      [1, 2, 3].map((n) => said(ask(upstream, "echo", { message: String(n) }))),
    );
    expect(answers).toEqual(["Echo: 1", "Echo: 2", "Echo: 3"]);
    expect(upstream.status()).not.toHaveProperty("error");
  },
);

test(verifies("upstream:eras", "an SSE server is found by its URL alone, or by its type"), async () => {
  const { port } = await everythingOver("sse");
  for (const type of [undefined, "sse"] as const) {
    const upstream = open({ url: `http://127.0.0.1:${port}/sse`, ...(type === undefined ? {} : { type }) });
    expect(await said(ask(upstream, "echo", { message: "sse" }))).toBe("Echo: sse");
    await upstream[Symbol.asyncDispose]();
  }
});

const modern: [string, () => Promise<McpServerConfig>][] = [
  ["stdio", async () => modernServer()],
  ["HTTP", async () => ({ url: `http://127.0.0.1:${(await listening(modernHttpServer())).port}/mcp` })],
];

test.each(modern)(
  verifies("upstream:eras", "a server of the newer era is spoken to in its own: %s"),
  async (_n, start) => {
    const upstream = open(await start());
    expect(await names(upstream)).toEqual(["echo", "meta", "list", "fail", "region", "hang", "ask", "grow"]);
    expect(upstream.status()).toMatchObject({ protocolVersion: "2026-07-28", notes: [] });
    expect(await said(ask(upstream, "echo", { a: [1] }))).toBe('{"a":[1]}');
    expect(toCallValue(await ask(upstream, "list"))).toEqual([1, 2, 3]);
    expect(await ask(upstream, "fail")).toMatchObject({ isError: true, content: [{ text: "nope" }] });
  },
);

test.each(modern)(
  verifies("upstream:eras", "headers that a schema asks for are sent along: %s"),
  async (_n, start) => {
    const upstream = open(await start());
    const region = (await upstream.tools({ signal: never })).find(({ name }) => name === "region");
    const options = { signal: never, timeoutMs: 10_000 };
    expect(await said(upstream.call(region ?? toolOf("region"), { region: "eu ü" }, options))).toBe("eu ü");
  },
);

test.each(modern)(
  verifies("upstream:unknown-tool", "a tool unknown to a newer server is a tool error: %s"),
  async (_n, start) => {
    const upstream = open(await start());
    let told = 0;
    upstream.onToolsChanged(() => (told += 1));
    await names(upstream);
    expect(await thrown(ask(upstream, "missing"))).toMatchObject({
      code: "CALL_TOOL_ERROR",
      data: { unknownTool: true, tool: "missing", server: "srv" },
    });
    expect(told).toBe(1);
  },
);

test.each(modern)(
  verifies("upstream:cancel", "a call to a newer server can be cancelled: %s"),
  async (_n, start) => {
    const upstream = open(await start());
    const abort = new AbortController();
    await names(upstream);
    setTimeout(() => abort.abort(), 100);
    const failure = await thrown(ask(upstream, "hang", {}, { signal: abort.signal }));
    expect(failure).toMatchObject({ code: "CALL_CANCELLED", data: { sent: true } });
    expect((await thrown(ask(upstream, "hang", {}, { timeoutMs: 100 }))).code).toBe("CALL_TIMEOUT");
    expect(await said(ask(upstream, "echo", { still: "here" }))).toContain("here");
  },
);

test(
  verifies("upstream:list-cached", "a newer server says that its list changed, and it is read again"),
  async () => {
    const upstream = open(modernServer());
    const changed = new Promise<void>((resolve) => upstream.onToolsChanged(resolve));
    await names(upstream);
    await ask(upstream, "grow");
    await changed;
    expect(await names(upstream)).toContain("grown");
  },
);

test.each(modern)(
  verifies("upstream:eras", "a tool that asks a person in the middle of a call fails plainly: %s"),
  async (_n, start) => {
    const failure = await thrown(ask(open(await start()), "ask"));
    expect(failure).toMatchObject({ code: "CALL_TOOL_ERROR", data: { sent: true } });
    expect(failure.message).toMatch(/nobody is there to ask|capabilit/i);
  },
);

test(verifies("upstream:eras", "the era can be fixed by the configuration"), async () => {
  const older = open({ ...modernServer(), protocolEra: "legacy" });
  await names(older);
  expect(older.status().protocolVersion).toBe("2025-11-25");
  const newer = open({ ...modernServer(), protocolEra: "modern" });
  await names(newer);
  expect(newer.status().protocolVersion).toBe("2026-07-28");
  const failure = await thrown(names(open({ ...rawServer(), protocolEra: "modern" })));
  expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE" });
  expect(failure.message).toMatch(/2026-07-28/);
});
