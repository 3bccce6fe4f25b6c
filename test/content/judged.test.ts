// What is judged of a call that sends binary content, and what people and records see of it.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApprovalRequest, AuditEntry } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { answering, bytesOf, openContent, returned } from "./support.ts";

const SEND = "const [image] = await s.image({ bytes: 3_000 }); return await s.store({ data: image })";
const DATA = bytesOf(3_000).toString("base64");
const SHOWN = `<image/png, 3000 bytes from s.image, sha256 ${createHash("sha256").update(bytesOf(3_000)).digest("hex")}>`;

test(
  verifies("content:judged", "a person and the audit log are shown what is sent, not its data"),
  async () => {
    const asked: ApprovalRequest[] = [];
    const entries: AuditEntry[] = [];
    await using gate = await openContent({
      policy: { rules: [{ tools: "s.store", effect: "ask" }], default: "allow" },
      approve: (request) => {
        asked.push(request);
        return Promise.resolve({ decision: "allow" });
      },
      audit: { append: (entry) => void entries.push(entry) },
    });
    const result = await gate.run(SEND);
    expect(returned(result)).toMatchObject({ bytes: 3_000 });
    expect(asked[0]?.arguments).toEqual({ data: SHOWN });
    expect(JSON.stringify([asked, entries])).not.toContain(DATA.slice(0, 40));
    expect(entries.length).toBeGreaterThan(5);
  },
);

test(verifies("content:judged", "rules look at the data that would be sent"), async () => {
  const when = { data: { not: { maxBytes: 1_000 } } };
  await using gate = await openContent({
    policy: { rules: [{ tools: "s.store", effect: "deny", when }], default: "allow" },
  });
  expect((await gate.run(SEND)).error).toMatchObject({ code: "CALL_DENIED" });
  const other =
    "const [image] = await s.raw({ result: { content: [{ type: 'image', data: '/w==', mimeType: 'a/b' }] } }); return await s.store({ data: image })";
  expect(returned(await gate.run(other))).toMatchObject({ bytes: 1 });
});

test(verifies("content:judged", "a dry run plans the call with what it is, and sends nothing"), async () => {
  await using gate = await openContent({
    policy: { tools: { "s.image": { effect: "read" } }, default: "allow" },
  });
  const { calls } = await gate.run(SEND, { dryRun: true });
  expect(calls.at(-1)).toMatchObject({ status: "planned", planned: { arguments: { data: SHOWN } } });
});

test(
  verifies(
    ["content:unchanged", "content:hostile"],
    "any bytes under any media type go through a script unchanged",
  ),
  async () => {
    await using gate = await openContent();
    const mimeType = fc.stringMatching(/^[a-z]{1,9}\/[a-z0-9.+-]{1,20}$/);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), mimeType, async (bytes, type) => {
        const data = Buffer.from(bytes).toString("base64");
        const content = [{ type: "image", data, mimeType: type }];
        const script = answering(
          content,
          "emit(r[0]); return [await s.store_any({ r }), [...(await r[0].read())]]",
        );
        const result = await gate.run(script);
        expect(returned(result)).toEqual([{ r: content }, [...bytes]]);
        expect(result.content).toEqual([{ type: "image", mimeType: type, bytes: bytes.length, data }]);
      }),
      { numRuns: 60 },
    );
  },
  120_000,
);
