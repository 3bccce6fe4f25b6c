// Frames of a worker, however they are cut, and those that must not be read.
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrame, MAX_FRAME_BYTES } from "../../contract/frame.ts";
import { createFramesOfWorker } from "../../runtime/process/frames-of-worker.ts";
import { verifies } from "../requirements.ts";

function readAll(chunks: readonly Buffer[]): unknown[] {
  const frames = createFramesOfWorker();
  return chunks.flatMap((chunk) => [...frames.read(chunk)]);
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test(verifies("contain:frames", "frames are read the same however they are cut"), () => {
  const message = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string({ maxLength: 200 }), fc.integer(), fc.constant(null)),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), sizes, (messages, parts) => {
      const plain = messages.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
      expect(readAll(cut(Buffer.concat(messages.map(encodeFrame)), parts))).toEqual(plain);
    }),
  );
});

test(verifies("contain:frames", "a frame of the largest honest size is read"), () => {
  const text = '"\\\u0001'.repeat(3 << 20);
  const bytes = encodeFrame({ text });
  expect(bytes.length).toBeGreaterThan(30 << 20);
  expect(readAll(cut(bytes, [65_536]))).toEqual([{ text }]);
});

test(verifies("contain:frames", "whatever comes before a malformed frame is read"), () => {
  const seen: unknown[] = [];
  const frames = createFramesOfWorker();
  const chunk = Buffer.concat([encodeFrame({ first: 1 }), Buffer.from([1, 0, 0, 0, 0x7b])]);
  expect(() => {
    for (const value of frames.read(chunk)) seen.push(value);
  }).toThrow(SyntaxError);
  expect(seen).toEqual([{ first: 1 }]);
});

test(verifies("contain:frames", "a size over the limit is refused by its header"), () => {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(MAX_FRAME_BYTES + 1, 0);
  expect(() => readAll([header])).toThrow(`frame of ${MAX_FRAME_BYTES + 1} bytes`);
});

test(
  verifies(["contain:frames", "contain:back-pressure"], "a large frame of many parts is not parsed"),
  () => {
    for (const part of ["{},", "[],", "0,", '"",', '"\\"",']) {
      const body = Buffer.from(`[${part.repeat(100_000)}0]`);
      const header = Buffer.alloc(4);
      header.writeUInt32LE(body.length, 0);
      expect(() => readAll([Buffer.concat([header, body])])).toThrow("too many parts");
    }
  },
);

test(verifies("contain:frames", "brackets and commas inside a text do not count"), () => {
  const text = '[{,"\\"'.repeat(50_000);
  expect(readAll([encodeFrame({ text })])).toEqual([{ text }]);
});
