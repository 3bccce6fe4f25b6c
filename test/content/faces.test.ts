// What a script emitted, as clients of the server, models behind an adapter and users of the command line get it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateText, isStepCount, type LanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aiSdkTools } from "../../adapters/ai-sdk.ts";
import type { Gate, RunResult } from "../../index.ts";
import { callgate, folder } from "../cli/support.ts";
import { verifies } from "../requirements.ts";
import { connect, ERAS, openWorld, served, type World } from "../server/support.ts";
import { bytesOf, openContent, server } from "./support.ts";

const EMITS = `const all = await s.mixed({});
for (const one of all) if (one.base64) emit(one);
emit({ type: "image", data: "AAAA", mimeType: "text/html", name: "../x y" });
return "seen";`;
const base64 = (count: number): string => bytesOf(count).toString("base64");
const PICTURE = { contents: [{ uri: "a", mimeType: "image/png", blob: "AAAA" }] };
const answers = JSON.stringify({ resources: { "resources/read": { result: PICTURE } } });
const servers = { s: { command: process.execPath, args: [server, answers] } };

describe("the server", () => {
  let world: World;
  let url: string;
  beforeAll(async () => {
    const gate = { servers, policy: { default: "allow" } };
    world = await openWorld({ asks: false, gate, server: { tools: ["run_script", "call_tool"] } });
    url = await served(world);
  }, 60_000);
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(ERAS)(
    verifies("content:faces", "%s: run_script returns content blocks after its text"),
    async (era) => {
      const client = await connect(url, era);
      const { content } = await client.callTool({ name: "run_script", arguments: { script: EMITS } });
      expect(content).toEqual([
        {
          type: "text",
          text: "seen\n\nEmitted: image/jpeg (12 bytes), audio/wav (7 bytes), application/zip (9 bytes), text/html (3 bytes).",
        },
        { type: "image", data: base64(12), mimeType: "image/jpeg" },
        { type: "audio", data: base64(7), mimeType: "audio/wav" },
        {
          type: "resource",
          resource: { uri: "file:///a.bin", mimeType: "application/zip", blob: base64(9) },
        },
        // What is no image must not be shown as one.
        {
          type: "resource",
          resource: { uri: "callgate://content/4/..%2Fx%20y", mimeType: "text/html", blob: "AAAA" },
        },
      ]);
    },
  );

  test(verifies("content:faces", "a name that is no text of Unicode costs nobody the result"), async () => {
    const script =
      'emit({ type: "resource", data: "AAAA", mimeType: "text/plain", name: "a\\ud800" }); return "done"';
    const client = await connect(url, "modern");
    const { content, isError } = await client.callTool({ name: "run_script", arguments: { script } });
    expect(isError).not.toBe(true);
    expect(content).toMatchObject([
      { type: "text", text: expect.stringContaining("done") as string },
      { type: "resource", resource: { uri: "callgate://content/1/a%EF%BF%BD", blob: "AAAA" } },
    ]);
  });

  test(verifies("content:faces", "call_tool gives the images of the tool's result"), async () => {
    const client = await connect(url, "modern");
    const call = { server: "s", tool: "image", arguments: { bytes: 30 } };
    const { content, isError } = await client.callTool({ name: "call_tool", arguments: call });
    expect(isError).not.toBe(true);
    expect(content).toMatchObject([
      { type: "text" },
      { type: "image", data: base64(30), mimeType: "image/png" },
    ]);
    const read = { server: "s", tool: "resources/read", arguments: { uri: "a" } };
    const resource = await client.callTool({ name: "call_tool", arguments: read });
    expect(resource.content[1]).toEqual({
      type: "resource",
      resource: { uri: "a", mimeType: "image/png", blob: "AAAA" },
    });
  });
});

describe("the command line", () => {
  const config = JSON.stringify({ mcpServers: servers, policy: { default: "allow" } });
  const run = (cwd: string, ...more: readonly string[]): ReturnType<typeof callgate> =>
    callgate(["run", "-e", EMITS, ...more], { cwd });

  test(
    verifies(
      "content:faces",
      "stdout has the output only, stderr names what was emitted, --emit-dir writes it",
    ),
    async () => {
      const cwd = folder({ "callgate.json": config });
      const { code, stdout, stderr } = await run(cwd, "--emit-dir", "out/pictures");
      expect({ code, stdout }).toEqual({ code: 0, stdout: "seen\n" });
      expect(stderr).toMatch(/emitted image\/jpeg, 12 B: out\/pictures\/[0-9a-f]{8}-1\.jpg\n/);
      const files = readdirSync(join(cwd, "out/pictures")).toSorted();
      expect(files.map((name) => name.slice(8))).toEqual(["-1.jpg", "-2.wav", "-3.zip", "-4.html"]);
      expect(readFileSync(join(cwd, "out/pictures", files[0] ?? "")).equals(bytesOf(12))).toBe(true);
    },
    60_000,
  );

  test(
    verifies("content:faces", "--json has the content; without --emit-dir nothing is written"),
    async () => {
      const cwd = folder({ "callgate.json": config });
      const { stdout } = await run(cwd, "--json", "-q");
      const { content } = JSON.parse(stdout) as RunResult;
      expect(content?.[0]).toEqual({ type: "image", mimeType: "image/jpeg", bytes: 12, data: base64(12) });
      expect(readdirSync(cwd).filter((name) => !name.startsWith("callgate"))).toEqual([]);
    },
    60_000,
  );

  test(
    verifies("content:faces", "a folder that cannot be made is told before anything runs"),
    async () => {
      const cwd = folder({ "callgate.json": config, file: "" });
      const { code, stdout, stderr } = await run(cwd, "--emit-dir", "file/x");
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("cannot use --emit-dir file/x: a part of the path is not a folder");
    },
    60_000,
  );
});

describe("the adapter of the AI SDK", () => {
  let gate: Gate;
  beforeAll(async () => {
    gate = await openContent();
  }, 60_000);
  afterAll(() => gate[Symbol.asyncDispose]());

  test(
    verifies("content:faces", "images are files of the tool's result, other content is named in its text"),
    async () => {
      const usage = { inputTokens: {}, outputTokens: {} };
      const call = {
        type: "tool-call",
        toolCallId: "1",
        toolName: "run_script",
        input: JSON.stringify({ script: EMITS }),
      };
      const turns = [
        { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] },
        { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] },
      ];
      const model = new MockLanguageModelV4({ doGenerate: turns as never });
      await generateText({
        model: model as LanguageModel,
        tools: aiSdkTools(gate),
        stopWhen: isStepCount(2),
        prompt: "Look.",
      });
      const results = model.doGenerateCalls[1]?.prompt.find(({ role }) => role === "tool")?.content;
      expect(results).toMatchObject([
        {
          output: {
            type: "content",
            value: [
              { type: "text", text: expect.stringContaining("audio/wav (7 bytes)") as string },
              { type: "file", mediaType: "image/jpeg", data: { type: "data", data: base64(12) } },
            ],
          },
        },
      ]);
    },
  );
});
