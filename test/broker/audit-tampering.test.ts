// Laws of the chain: whatever is done to a log, the first wrong line is named.
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatLine, NO_LINE } from "../../broker/audit/line.ts";
import { verifyAudit } from "../../broker/audit/verify.ts";
import { verifies } from "../requirements.ts";
import { entry, fileOf, hashOf } from "./audit-support.ts";

const COUNT = 8;
const RUNS = 150;
let path = "";
const index = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** A log of eight lines. */
const lines: readonly string[] = Array.from({ length: COUNT }).reduce<string[]>((before, _, at) => {
  const last = before.at(-1);
  const line = formatLine(at + 1, last === undefined ? NO_LINE : hashOf(last), entry(at + 1));
  return [...before, line];
}, []);

const textOf = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

async function verdictOf(content: string | Buffer, head?: string): ReturnType<typeof verifyAudit> {
  writeFileSync(path, content);
  return await verifyAudit(path, { head });
}

function law(claim: string, property: fc.IAsyncProperty<unknown>): void {
  test(claim, async () => {
    path = fileOf("");
    await fc.assert(property as fc.IAsyncProperty<[unknown]>, { numRuns: RUNS });
  });
}

describe("tampering", () => {
  law(
    verifies("audit:chain", "any byte changed in any line is found, and that line is named"),
    fc.asyncProperty(
      index(0, COUNT - 1),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      index(1, 255),
      async (line, where, by) => {
        const bytes = Buffer.from(textOf(lines));
        const start = Buffer.byteLength(textOf(lines.slice(0, line)));
        const at = start + Math.floor(where * lines[line]!.length);
        bytes[at] = bytes[at]! ^ by;
        const verdict = await verdictOf(bytes);
        expect(verdict).toMatchObject({ ok: false, lines: line, broken: { line: line + 1 } });
      },
    ),
  );

  law(
    verifies("audit:chain", "a missing line is found, wherever but at the end"),
    fc.asyncProperty(index(0, COUNT - 2), index(1, 3), async (from, count) => {
      fc.pre(from + count < COUNT);
      const verdict = await verdictOf(textOf(lines.toSpliced(from, count)));
      expect(verdict).toMatchObject({ ok: false, lines: from, broken: { line: from + 1 } });
      expect(verdict.broken?.reason).toMatch(/missing/);
    }),
  );

  law(
    verifies("audit:chain", "any other order is found"),
    fc.asyncProperty(
      fc.shuffledSubarray(
        Array.from({ length: COUNT }, (_, at) => at),
        { minLength: COUNT },
      ),
      async (order) => {
        const first = order.findIndex((line, at) => line !== at);
        const verdict = await verdictOf(textOf(order.map((at) => lines[at]!)));
        expect(verdict.ok).toBe(first === -1);
        if (first !== -1) expect(verdict.broken?.line).toBe(first + 1);
      },
    ),
  );

  law(
    verifies("audit:chain", "a line that stands there twice is found"),
    fc.asyncProperty(index(0, COUNT - 1), index(0, COUNT - 1), async (line, after) => {
      const verdict = await verdictOf(textOf(lines.toSpliced(after + 1, 0, lines[line]!)));
      // Next to itself, the second of the two is the wrong one.
      const wrong = line === after + 1 ? after + 3 : after + 2;
      expect(verdict).toMatchObject({ ok: false, broken: { line: wrong } });
    }),
  );

  law(
    verifies("audit:chain", "a line cut in the middle of the log is found"),
    fc.asyncProperty(index(0, COUNT - 2), index(1, 100), async (line, cut) => {
      const shorter = lines.with(line, lines[line]!.slice(0, -cut));
      expect(await verdictOf(textOf(shorter))).toMatchObject({ ok: false, broken: { line: line + 1 } });
    }),
  );

  law(
    verifies("audit:chain", "a text put between two lines is found"),
    fc.asyncProperty(index(0, COUNT - 1), fc.string({ minLength: 1 }), async (after, text) => {
      const added = lines.toSpliced(after + 1, 0, text);
      const verdict = await verdictOf(textOf(added));
      expect(verdict).toMatchObject({ ok: false, broken: { line: after + 2 } });
    }),
  );

  law(
    verifies("audit:head", "a cut end is found with a head from before, and only with it"),
    fc.asyncProperty(index(0, COUNT - 1), async (kept) => {
      const head = hashOf(lines.at(-1)!);
      const text = textOf(lines.slice(0, kept));
      expect(await verdictOf(text)).toMatchObject({ ok: true, lines: kept });
      expect(await verdictOf(text, head)).toMatchObject({ ok: false, broken: { line: kept + 1 } });
      expect(await verdictOf(textOf(lines), head.toUpperCase())).toMatchObject({ ok: true, lines: COUNT });
    }),
  );

  law(
    verifies("audit:head", "a log that grew since the head was noted is unbroken"),
    fc.asyncProperty(index(0, COUNT - 1), async (line) => {
      expect(await verdictOf(textOf(lines), hashOf(lines[line]!))).toMatchObject({ ok: true, lines: COUNT });
    }),
  );
});

test(
  verifies("audit:chain", "a line made anew with the sum of its own text breaks the chain after it"),
  async () => {
    const {
      n,
      prev,
      sum: _,
      ...facts
    } = JSON.parse(lines[3]!) as { n: number; prev: string; sum: string; at: string };
    const forged = formatLine(n, prev, { ...facts, reason: "another" } as { at: string });
    const verdict = await verifyAudit(fileOf(textOf(lines.with(3, forged))));
    expect(verdict).toMatchObject({ ok: false, lines: 4, broken: { line: 5 } });
    expect(verdict.broken?.reason).toMatch(/one of the two was replaced/);
  },
);
