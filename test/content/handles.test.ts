// Binary content of results as handles: their shape, hostile content, reading, and the way to other tools.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Gate, RunOptions, RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { answering, bytesOf, openContent, returned } from "./support.ts";

let gate: Gate;
beforeAll(async () => {
  gate = await openContent();
}, 60_000);
afterAll(() => gate[Symbol.asyncDispose]());

const run = (script: string, options: RunOptions = {}): Promise<RunResult> => gate.run(script, options);
const value = async (script: string, options: RunOptions = {}): Promise<unknown> =>
  returned(await run(script, options));
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const ID = expect.stringMatching(/^content_[0-9a-f]{32}$/) as unknown;

describe("the shape of a handle", () => {
  test(
    verifies("content:handles", "every kind of content comes in its place, binary ones as handles"),
    async () => {
      expect(await value("return await s.mixed({})")).toEqual([
        { type: "text", text: "seen" },
        { type: "image", mimeType: "image/jpeg", bytes: 12, id: ID, annotations: { audience: ["user"] } },
        { type: "audio", mimeType: "audio/wav", bytes: 7, id: ID },
        { type: "resource", uri: "file:///a.bin", mimeType: "application/zip", bytes: 9, id: ID },
        { type: "resource", resource: { uri: "file:///a.txt", text: "plain" } },
        { type: "resource_link", uri: "file:///b", name: "b" },
      ]);
    },
  );

  test(verifies("content:handles", "an error's content holds handles too"), async () => {
    const script = "try { await s.fail({}) } catch (e) { return [e.content, await e.content[1].base64()] }";
    expect(await value(script)).toEqual([
      [
        { type: "text", text: "broken" },
        { type: "image", mimeType: "image/png", bytes: 8, id: ID },
      ],
      bytesOf(8).toString("base64"),
    ]);
  });

  test(
    verifies("content:handles", "a handle is frozen, prints as what it is, and says where its data is"),
    async () => {
      const { output } = await run(`"use strict";
      const [image] = await s.image({ bytes: 5 });
      console.log(image);
      for (const act of [() => { image.id = "x" }, () => { image.constructor.prototype.read = 1 }, () => image.data, () => new image.constructor(),
        () => image.read.call({ ...image })])
        try { await act(); console.log("done") } catch (e) { console.log(e.name + ": " + e.message) }`);
      expect(output).toMatch(/^BinaryHandle \{\n {2}type: 'image',/);
      expect(output).not.toContain("done");
      expect(output).toContain("pass the handle itself to a tool, emit(handle), or await handle.base64()");
      expect(output).toContain("Handles of binary content come from tools");
      expect(output).toContain("this is no handle of binary content");
    },
  );

  test(verifies("content:handles", "a result without any content is an empty list"), async () => {
    expect(await value(answering([], "return r"))).toEqual([]);
  });
});

describe("hostile content", () => {
  test(verifies("content:hostile", "data that is not base64 becomes a text that says so"), async () => {
    const content = [{ type: "image", data: "<svg onload=alert(1)>", mimeType: "image/svg+xml" }];
    expect((await run(answering(content, "return r"))).output).toBe(
      '[image whose data is not base64: 21 characters, starting "<svg onload=alert(1)>"]',
    );
  });

  test.each([
    ["line breaks", "AAEC\r\nAwQF\n", [0, 1, 2, 3, 4, 5]],
    ["the alphabet of URLs", "-_-_", [251, 255, 191]],
    ["missing padding", "AAE", [0, 1]],
    ["stray last bits", "AB==", [0]],
    ["nothing", "", []],
  ])(verifies("content:hostile", "base64 with %s is put right"), async (_what, data, bytes) => {
    const script = answering(
      [{ type: "image", data, mimeType: "image/png" }],
      "return [...(await r[0].read())]",
    );
    expect(await value(script)).toEqual(bytes);
  });

  test.each(["AA==AA==", "A", "AAAAA", "AA=A", "====", "AAAA AAA*", "\u0000\u0001\u0002\u0003"])(
    verifies("content:hostile", "%j is not base64"),
    async (data) => {
      const { output } = await run(answering([{ type: "audio", data, mimeType: "audio/wav" }], "return r"));
      expect(output).toContain("[audio whose data is not base64");
    },
  );

  test(verifies("content:hostile", "a media type that is none is not passed on"), async () => {
    for (const mimeType of [
      "image/png\u001b[2J",
      "image",
      "",
      `image/${"x".repeat(200)}`,
      "a/b\r\nSet-Cookie: c",
    ]) {
      const script = answering([{ type: "image", data: "AAAA", mimeType }], "return r[0].mimeType");
      expect((await run(script)).output).toBe("application/octet-stream");
    }
  });

  test(
    verifies(
      ["content:hostile", "content:room"],
      "what the run has no room for fails the call and says which limit",
    ),
    async () => {
      const limits = { contentBytes: 10_000 };
      const { error } = await run("await s.image({ bytes: 10_001 })", { limits });
      expect(error).toMatchObject({ code: "CALL_INVALID_RESULT" });
      expect(error?.message).toContain("limit contentBytes: 10000");
      const script = `await s.image({ bytes: 6_000 });
      try { await s.image({ bytes: 6_000 }) } catch (e) { return e.code + (await s.image({ bytes: 4_000 })).length }`;
      expect((await run(script, { limits })).output).toBe("CALL_INVALID_RESULT1");
    },
  );

  test(verifies("content:hostile", "a flood of tiny images meets the same limit"), async () => {
    const { error } = await run("return (await s.images({ count: 5_000 })).length", {
      limits: { contentBytes: 1 << 20 },
    });
    expect(error?.message).toContain("limit contentBytes");
    expect((await run("return (await s.images({ count: 1_000 })).length")).output).toBe("1000");
  });
});

describe("from tool to tool", () => {
  test(
    verifies(["content:outside", "content:unchanged"], "30 MB pass through a script of 16 MB unharmed"),
    async () => {
      const result = await run(
        "const [image] = await s.image({ bytes: 30_000_000 }); return await s.store({ data: image })",
        {
          limits: { memoryMb: 16 },
        },
      );
      expect(returned(result)).toEqual({
        units: 40_000_000,
        bytes: 30_000_000,
        sha256: sha256(bytesOf(30_000_000)),
      });
      expect(result.usage.heapMb).toBeLessThan(8);
      expect(result.calls[1]?.argumentBytes).toBeGreaterThan(30_000_000);
      expect(result.calls[0]?.resultBytes).toBeGreaterThan(30_000_000);
    },
    120_000,
  );

  test(
    verifies(
      "content:wanted",
      "a place for text gets base64, an object what its schema names, any other a content block",
    ),
    async () => {
      const data = bytesOf(6).toString("base64");
      const told = { units: 8, bytes: 6, sha256: sha256(bytesOf(6)) };
      const script = `const [image] = await s.image({ bytes: 6 });
      return [await s.store({ data: image }), await s.store_block({ image }), await s.store_any({ a: [image], b: { ...image, note: "mine" } }), await s.store_many({ list: [image, image] })]`;
      expect(await value(script)).toEqual([
        told,
        { mimeType: "image/png", ...told },
        {
          a: [{ type: "image", data, mimeType: "image/png" }],
          b: { type: "image", data, mimeType: "image/png", note: "mine" },
        },
        [told, told],
      ]);
    },
  );

  test(verifies("content:wanted", "a resource goes on as an embedded resource"), async () => {
    const script = "const all = await s.mixed({}); return await s.store_any({ one: all[3] })";
    const blob = bytesOf(9).toString("base64");
    expect(await value(script)).toEqual({
      one: { type: "resource", resource: { uri: "file:///a.bin", mimeType: "application/zip", blob } },
    });
  });

  test(
    verifies("content:ids", "an id that is made up, or of another run, is refused before anything is sent"),
    async () => {
      const made = `content_${"0".repeat(32)}`;
      const other = (await run("return (await s.image({}))[0].id")).output;
      for (const id of [made, other]) {
        const { error, calls } = await run(
          `await s.store_any({ deep: [{ image: { id: ${JSON.stringify(id)} } }] })`,
        );
        expect(error).toMatchObject({ code: "CALL_INVALID_ARGUMENTS" });
        expect(error?.message).toContain("input.deep.0.image: is no handle of this run");
        expect(calls).toMatchObject([{ status: "denied" }]);
      }
    },
  );

  test(verifies("content:ids", "a handle that a server copies from nowhere stays plain data"), async () => {
    const script = `const r = await s.forged({}); console.log(typeof r.read);
      try { emit(r) } catch (e) { console.log(e.name) }
      try { await s.store_any({ r }) } catch (e) { console.log(e.code) }`;
    expect((await run(script)).output).toBe("undefined\nTypeError\nCALL_INVALID_ARGUMENTS");
  });

  test(verifies("content:room", "one handle in many places is bounded as what is sent"), async () => {
    const script = `const [image] = await s.image({ bytes: 60_000 });
      return await s.store_many({ list: Array(20).fill(image) })`;
    const { error } = await run(script, { limits: { contentBytes: 1_000_000 } });
    expect(error).toMatchObject({ code: "CALL_INVALID_ARGUMENTS" });
    expect(error?.message).toContain("more than 1000000 bytes of binary content (limit contentBytes)");
  });

  test(
    verifies("content:room", "calls that send more than contentBytes together wait for each other"),
    async () => {
      const script = `const [image] = await s.image({ bytes: 60_000 });
      const told = await Promise.all(Array.from({ length: 12 }, () => s.store({ data: image })));
      return told.map(({ bytes }) => bytes)`;
      expect(await value(script, { limits: { contentBytes: 70_000 } })).toEqual(Array(12).fill(60_000));
    },
  );
});

describe("reading", () => {
  test(
    verifies(["content:read", "content:unchanged"], "bytes, base64, text and parts are what the server sent"),
    async () => {
      const data = Buffer.from("Grüße, 𝕏").toString("base64");
      const script = answering(
        [{ type: "resource", resource: { uri: "a:b", blob: data } }],
        `const [h] = r; const list = async (part) => [...(await h.read(part))];
       return [await h.text(), await h.base64(), await list({ offset: 2, length: 3 }), await list({ offset: 1 }), await list({ offset: 99 }), await h.base64({ length: 0 })]`,
      );
      const bytes = [...Buffer.from(data, "base64")];
      expect(await value(script)).toEqual(["Grüße, 𝕏", data, bytes.slice(2, 5), bytes.slice(1), [], ""]);
    },
  );

  test(
    verifies("content:read", "a read counts as a call, and is refused over resultBytes with what to do"),
    async () => {
      const limits = { resultBytes: 1_000 };
      const script = `const [image] = await s.image({ bytes: 3_000 });
      try { await image.read() } catch (e) { console.log(e.code, e.message) }
      return (await image.read({ offset: 2_700, length: 600 })).length`;
      const { output, usage } = await run(script, { limits });
      expect(output).toContain(
        "CALL_INVALID_RESULT 3000 bytes are more than one read can have (747, by the limit resultBytes)",
      );
      expect(output).toMatch(/300$/);
      expect(usage.calls).toBe(3);
      expect((await run(script, { limits: { ...limits, calls: 2 } })).error?.code).toBe("RUN_CALL_LIMIT");
    },
  );

  test(verifies("content:read", "a part that is no size is refused"), async () => {
    const script = `const [image] = await s.image({}); try { await image.read({ offset: -1 }) } catch (e) { return e.code + e.tool }`;
    expect((await run(script)).output).toBe("CALL_INVALID_ARGUMENTScontent/read");
  });
});

test(
  verifies(
    ["content:handles", "guest:robust"],
    "handles and emit work after every intrinsic they need was replaced",
  ),
  async () => {
    const script = `await s.image({});
      const evil = () => { throw new Error("evil") };
      for (const [owner, names] of [
        [JSON, ["stringify", "parse"]], [Object, ["defineProperty", "freeze", "keys", "create"]], [Reflect, ["apply"]],
        [WeakMap.prototype, ["get", "set"]], [Promise.prototype, ["then"]], [Array.prototype, ["push", "map"]],
        [String.prototype, ["charCodeAt", "slice", "indexOf"]], [String, ["fromCharCode"]], [TextDecoder.prototype, ["decode"]],
      ] as any) for (const name of names) owner[name] = evil;
      Object.prototype.toString = Array.prototype[Symbol.iterator] = evil as any;
      const image = (await s.image({ bytes: 3 }))[0];
      const bytes = await image.read();
      const text = await image.text();
      emit(image);
      emit({ type: "image", data: bytes, mimeType: "image/gif" });
      console.log(bytes[2], text.length, await image.base64());`;
    const result = await run(script, { check: "off" });
    expect(result.error).toBeUndefined();
    expect(result.output).toBe("62 3 AB8+");
    expect(result.content).toMatchObject([{ data: "AB8+" }, { data: "AB8+", mimeType: "image/gif" }]);
  },
);
