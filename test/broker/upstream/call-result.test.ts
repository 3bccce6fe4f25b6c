// The reading of results: every shape servers send becomes one.
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../contract/json.ts";
import { readCallResult } from "../../../broker/upstream/call-result.ts";
import { verifies } from "../../requirements.ts";

const read = (raw: JsonValue, modern = false): ReturnType<typeof readCallResult> =>
  readCallResult(raw, modern);

test(verifies("upstream:result-kept", "a result as the specification has it is taken as it is"), () => {
  const content = [
    { type: "text", text: "a", annotations: { audience: ["user"] } },
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "audio", data: "AA==", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a", name: "a" },
    { type: "resource", resource: { uri: "file:///a", text: "x" } },
  ];
  expect(read({ content })).toEqual({ content, isError: false, notes: [] });
});

test(verifies("upstream:result-kept", "an unknown kind of content is kept and noted"), () => {
  const result = read({ content: [{ type: "hologram", depth: 3 }] });
  expect(result.content).toEqual([{ type: "hologram", depth: 3 }]);
  expect(result.notes).toEqual(['content[0] has the unknown type "hologram"']);
});

test.each<[string, JsonValue, JsonObject]>([
  ["plain text", "hi", { type: "text", text: "hi" }],
  ["a block without type", { text: "hi" }, { type: "text", text: '{"text":"hi"}' }],
  ["a number", 7, { type: "text", text: "7" }],
  ["null", null, { type: "text", text: "null" }],
  ["text that is no text", { type: "text", text: 5 }, { type: "text", text: '{"type":"text","text":5}' }],
  ["an image without data", { type: "image" }, { type: "text", text: '{"type":"image"}' }],
  ["a resource without one", { type: "resource" }, { type: "text", text: '{"type":"resource"}' }],
])(verifies("upstream:result-kept", "a faulty block becomes text: %s"), (_name, block, expected) => {
  const result = read({ content: [block] });
  expect(result.content).toEqual([expected]);
  expect(result.notes).toHaveLength(1);
});

test(verifies("upstream:result-kept", "missing, null and single content are read"), () => {
  expect(read({}).content).toEqual([]);
  expect(read({ content: null }).content).toEqual([]);
  expect(read({ content: "all of it" }).content).toEqual([{ type: "text", text: "all of it" }]);
  expect(read({ content: { type: "text", text: "one" } }).content).toEqual([{ type: "text", text: "one" }]);
});

test(verifies("upstream:result-kept", "a result that is no object is the value itself"), () => {
  expect(read("ok")).toMatchObject({ content: [], structuredContent: "ok", isError: false });
  expect(read([1])).toMatchObject({ structuredContent: [1] });
  expect(read(null)).toMatchObject({ structuredContent: null });
});

test(
  verifies("upstream:result-kept", "the form of the first revision is read when nothing else is there"),
  () => {
    expect(read({ toolResult: { a: 1 } }).structuredContent).toEqual({ a: 1 });
    const both = read({ toolResult: { a: 1 }, content: [{ type: "text", text: "x" }] });
    expect(both.structuredContent).toBeUndefined();
  },
);

test(verifies("upstream:is-error", "isError keeps content and structured content"), () => {
  const raw = { isError: true, content: [{ type: "text", text: "nope" }], structuredContent: { code: 7 } };
  expect(read(raw)).toEqual({ ...raw, notes: [] });
});

test(verifies("upstream:is-error", "an isError that is no boolean counts as a failure"), () => {
  for (const flag of ["true", 1, "no", {}]) expect(read({ isError: flag }).isError).toBe(true);
  for (const flag of [false, null]) expect(read({ isError: flag }).isError).toBe(false);
});

test(verifies("upstream:result-kept", "null as structured content is a value in the newer era only"), () => {
  expect(read({ structuredContent: null }, false)).not.toHaveProperty("structuredContent");
  expect(read({ structuredContent: null }, true)).toHaveProperty("structuredContent", null);
  expect(read({ structuredContent: [1, 2] }, false).structuredContent).toEqual([1, 2]);
  expect(read({ structuredContent: 0 }, true).structuredContent).toBe(0);
});

test(
  verifies("upstream:result-kept", "a result too deep to be written out is a failure that says so"),
  () => {
    let deep: JsonValue = 1;
    for (let at = 0; at < 20_000; at += 1) deep = [deep];
    const result = read({ structuredContent: deep });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.["text"]).toMatch(/nests deeper than 1000 levels/);
  },
);

test(verifies("upstream:result-kept", "notes are bounded however much is wrong"), () => {
  const result = read({ content: Array.from({ length: 500 }, () => 5) });
  expect(result.content).toHaveLength(500);
  expect(result.notes).toHaveLength(20);
});

test(verifies("upstream:messages", "an unknown type is named in one bounded, printable piece"), () => {
  const [note] = read({ content: [{ type: `\u001b[2Jx\n${"y".repeat(500)}` }] }).notes;
  expect(note?.length).toBeLessThan(120);
  expect(note).not.toMatch(/[\u0000-\u001f]/);
});
