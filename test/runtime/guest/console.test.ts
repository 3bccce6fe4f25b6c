import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

test(verifies("guest:console", "each level is reported with its text"), async () => {
  const { logs } = await guests.run(`
    console.log("a"); console.info("b"); console.warn("c"); console.error("d"); console.debug("e");
    console.dirxml("f"); console.trace("g"); console.trace();`);
  expect(logs.map((line) => `${line.level}:${line.text}`)).toEqual([
    "log:a",
    "info:b",
    "warn:c",
    "error:d",
    "debug:e",
    "log:f",
    "debug:Trace: g",
    "debug:Trace",
  ]);
});

test(verifies("guest:console", "groups indent every line, and end"), async () => {
  const lines = await guests.output(`
    console.group("outer"); console.log("a\\nb"); console.groupCollapsed("inner"); console.log("c");
    console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("d");`);
  expect(lines).toEqual(["outer", "  a\n  b", "  inner", "    c", "d"]);
});

test(verifies("guest:console", "count, assert and dir"), async () => {
  const lines = await guests.output(`
    console.count(); console.count("x"); console.count("x"); console.countReset("x"); console.count("x");
    console.assert(true, "no"); console.assert(0, "value %d", 5); console.assert(false);
    console.dir({ a: { b: { c: 1 } } }, { depth: 0 }); console.dir({ a: 1 }); console.dir("s"); console.clear();`);
  expect(lines).toEqual([
    "default: 1",
    "x: 1",
    "x: 2",
    "x: 1",
    "Assertion failed: value 5",
    "Assertion failed",
    "{ a: [Object] }",
    "{ a: 1 }",
    "'s'",
  ]);
});

test(verifies("guest:console", "time is measured on the run's clock"), async () => {
  const lines = await guests.output(`
    console.time("t"); await sleep(250); console.timeLog("t", "so far", 1); await sleep(50); console.timeEnd("t");
    console.timeEnd("t"); console.time("u"); console.time("u");`);
  expect(lines).toEqual([
    "t: 250ms so far 1",
    "t: 300ms",
    "No such label 't' for console.time()",
    "Label 'u' already exists for console.time()",
  ]);
});

test(verifies("guest:console", "table prints rows of objects, arrays, maps and primitives"), async () => {
  const lines = await guests.output(`
    console.table([{ a: 1, b: "x" }, { a: 2, c: true }, 5]);
    console.table([[1, 2], [3, 4]]);
    console.table({ k: { v: 1 } });
    console.table(new Map([["m", 1]]));
    console.table([{ a: 1, b: 2 }], ["b"]);
    console.table("not a table"); console.table([]);`);
  expect(lines[0]).toBe(
    [
      "┌─────────┬───┬─────┬──────┬────────┐",
      "│ (index) │ a │ b   │ c    │ Values │",
      "├─────────┼───┼─────┼──────┼────────┤",
      "│ 0       │ 1 │ 'x' │      │        │",
      "│ 1       │ 2 │     │ true │        │",
      "│ 2       │   │     │      │ 5      │",
      "└─────────┴───┴─────┴──────┴────────┘",
    ].join("\n"),
  );
  expect(lines[1]).toContain("│ 1       │ 3 │ 4 │");
  expect(lines[2]).toContain("│ k       │ 1 │");
  expect(lines[3]).toContain("│ 'm'     │ 1      │");
  expect(lines[4]).toContain("│ (index) │ b │");
  expect(lines[4]).not.toContain("│ a │");
  expect(lines[5]).toBe("not a table");
});

test(verifies("guest:inspect-bounds", "tables are bounded in rows, columns and width of cells"), async () => {
  const lines = await guests.output(`
    console.table(Array.from({ length: 1e5 }, (_, i) => ({ i })));
    console.table([Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ["c" + i, "v".repeat(1e4)]))]);
    console.table([new Uint8Array(1e7)]); console.table(new Uint8Array(1e7)); console.table({ ["k".repeat(1e6)]: 1 });
    console.table(new Set(Array.from({ length: 1e5 }, (_, i) => i)));`);
  expect(lines[0]).toContain("... 99900 more rows");
  for (const line of lines) expect(line.length).toBeLessThan(20_000);
});

test(verifies("guest:inspect-bounds", "indenting cannot multiply a line without end"), async () => {
  const [line] = await guests.output(
    `for (let i = 0; i < 50; i++) console.group(); console.log("\\n".repeat(1_000_000));`,
  );
  expect(line?.length).toBeLessThan(2_200_000);
});

test(
  verifies("guest:console", "methods work detached, and console can be replaced by the script"),
  async () => {
    const lines = await guests.output(`
    const { log, group } = console; group(); log("in"); console.groupEnd();
    const original = console.log; console.log = (x) => original("mine:", x); console.log("x");`);
    expect(lines).toEqual(["  in", "mine: x"]);
  },
);
