// What a script emits: handles and data of its own, limits, replay.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCallgate, type Gate, type RunOptions, type RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { answering, bytesOf, openContent } from "./support.ts";

let gate: Gate;
beforeAll(async () => {
  gate = await openContent();
}, 60_000);
afterAll(() => gate[Symbol.asyncDispose]());

const run = (script: string, options: RunOptions = {}): Promise<RunResult> => gate.run(script, options);
const base64 = (count: number): string => bytesOf(count).toString("base64");

describe("what comes back", () => {
  test(
    verifies(["content:emit", "content:unchanged"], "handles and data of the script come back in order"),
    async () => {
      const { content, output, status } = await run(`const all = await s.mixed({});
      emit(all[3]);
      emit({ type: "image", data: new Uint8Array([1, 2, 3, 4]), mimeType: "image/gif", name: "dot" });
      emit({ type: "audio", data: "${base64(5)}", mimeType: "audio/wav" });
      emit(all[1]);`);
      expect({ output, status }).toEqual({ output: "", status: "completed" });
      expect(content).toEqual([
        { type: "resource", uri: "file:///a.bin", mimeType: "application/zip", bytes: 9, data: base64(9) },
        { type: "image", mimeType: "image/gif", bytes: 4, data: "AQIDBA==", name: "dot" },
        { type: "audio", mimeType: "audio/wav", bytes: 5, data: base64(5) },
        { type: "image", mimeType: "image/jpeg", bytes: 12, data: base64(12) },
      ]);
    },
  );

  test(
    verifies("content:emit", "a run that fails keeps what it emitted; one that emits nothing has no content"),
    async () => {
      const failed = await run("emit((await s.image({}))[0]); throw new Error('x')");
      expect(failed).toMatchObject({ status: "failed", content: [{ bytes: 10 }] });
      expect(await run("return 1")).not.toHaveProperty("content");
    },
  );

  test(
    verifies(
      ["content:emit", "content:outside"],
      "what a server sent is emitted without entering the script",
    ),
    async () => {
      const { content, usage } = await run("emit((await s.image({ bytes: 12_000_000 }))[0])", {
        limits: { memoryMb: 16 },
      });
      expect(content).toMatchObject([{ bytes: 12_000_000 }]);
      expect(Buffer.from(content?.[0]?.data ?? "", "base64").equals(bytesOf(12_000_000))).toBe(true);
      expect(usage.heapMb).toBeLessThan(8);
    },
    60_000,
  );
});

describe("what does not", () => {
  test.each([
    ["undefined"],
    ["'text'"],
    ["{ type: 'text', text: 'x' }"],
    ["{ type: 'image', mimeType: 'image/png' }"],
    ["{ type: 'image', data: 'not base64', mimeType: 'image/png' }"],
    ["{ type: 'image', data: 'AB==', mimeType: 'image/png' }"],
    ["{ type: 'image', data: 'AAAA', mimeType: 7 }"],
    ["{ type: 'image', data: 'AAAA', mimeType: 'x'.repeat(5000) }"],
    ["[]"],
  ])(verifies("content:emit", "emit(%s) throws a TypeError where it is called"), async (argument) => {
    const script = `try { emit(${argument} as any) } catch (e) { return e.name + ": " + e.message }`;
    const { output, content } = await run(script, { check: "off" });
    expect(output).toMatch(/^TypeError: /);
    expect(content).toBeUndefined();
  });

  test(
    verifies("content:emit", "over emitBytes and over 100 it throws a RangeError, and the run goes on"),
    async () => {
      const script = `const messages = new Set();
      for (let i = 0; i < 120; i++) try { emit({ type: "image", data: "AAAA", mimeType: "image/png" }) } catch (e) { messages.add(e.name + ": " + e.message) }
      return [...messages].join()`;
      const many = await run(script);
      expect(many.output).toBe("RangeError: emit: a run emits at most 100 images or other content");
      expect(many.content).toHaveLength(100);
      const small = await run(script, { limits: { emitBytes: 7 } });
      expect(small.output).toBe(
        "RangeError: emit: 3 bytes are more than the run may still emit (1, limit emitBytes)",
      );
      expect(small.content).toHaveLength(2);
    },
  );

  test(
    verifies("content:emit", "a script may have an emit of its own, and a server may be called emit"),
    async () => {
      expect((await run("const emit = (x: number) => x + 1; return emit(1)")).output).toBe("2");
      await using other = await createCallgate({ tools: { emit: {} } });
      expect(other.catalog).toBeDefined();
    },
  );
});

test(
  verifies(
    ["content:replay", "content:read", "content:emit"],
    "a replay emits the same and reads what was read, without the server's data",
  ),
  async () => {
    const script = `const [image] = await s.image({ bytes: 9 });
    emit(image);
    emit({ type: "image", data: (await image.read()).subarray(0, 3), mimeType: "image/gif" });
    return [...(await image.read())].join()`;
    const first = await run(script);
    const again = await gate.replay(first.runId);
    expect(again).toMatchObject({ status: "completed", output: first.output });
    expect(first.content).toEqual([
      { type: "image", mimeType: "image/png", bytes: 9, data: base64(9) },
      { type: "image", mimeType: "image/gif", bytes: 3, data: base64(3) },
    ]);
    const [{ data: _data, ...known } = { data: "" }, made] = first.content ?? [];
    expect(again.content).toEqual([known, made]);
  },
);

describe("long names", () => {
  test(
    verifies("content:emit", "the longest texts that a script may give content come back with it"),
    async () => {
      const text = "\u0001".repeat(4_000);
      const { status, content, error } = await run(`const text = "\\u0001".repeat(4_000);
      emit({ type: "resource", data: "AAAA", mimeType: text, uri: text, name: text });`);
      expect({ status, error }).toEqual({ status: "completed", error: undefined });
      expect(content).toMatchObject([{ mimeType: "application/octet-stream", uri: text, name: text }]);
    },
  );

  test(
    verifies("content:emit", "a handle is emitted whatever the length of the URI it came with"),
    async () => {
      const uri = `file:///${"a".repeat(7_900)}`;
      const resource = { uri, mimeType: "image/png", blob: "AAAA" };
      const { status, content, error } = await run(
        answering([{ type: "resource", resource }], "emit(r[0]);"),
      );
      expect({ status, error }).toEqual({ status: "completed", error: undefined });
      expect(content).toMatchObject([{ uri, data: "AAAA" }]);
    },
  );
});
