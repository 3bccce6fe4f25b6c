import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

// Builds random values of every hostile kind, on the guest's own seeded generator. `ran` counts code of the values that ran.
const generator = `
  let ran = 0;
  const trap = () => { ran++; throw new Error("ran"); };
  const traps = new Proxy({}, { get: () => trap });
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const words = ["", "a", "__proto__", "constructor", "then", "length", "0", "name", "message", "stack", "cause", "toString", "\\ud800", "x\\ny", "it's"];
  const made = [];
  const primitive = () => pick([null, undefined, true, 0, -0, NaN, 1.5, 10n, Symbol("s"), Symbol.iterator, ...words, "z".repeat(20_000)]);
  const value = (depth) => {
    if (depth <= 0 || Math.random() < 0.2) return Math.random() < 0.2 && made.length > 0 ? pick(made) : primitive();
    const sub = () => value(depth - 1);
    let v = pick([
      () => ({}), () => [], () => [sub(), sub()], () => new Array(1e6), () => Object.create(null), () => new Map([[sub(), sub()]]), () => new Set([sub()]),
      () => new Date(NaN), () => /a/y, () => new Error("e", { cause: sub() }), () => new AggregateError([sub()]), () => new Uint8Array(3), () => new ArrayBuffer(2),
      () => new WeakMap(), () => Promise.resolve(1), () => function named() {}, () => class A extends Map {}, () => Object(pick(["s", 1, true, 1n, Symbol("b")])),
      () => Object.create(pick([Map.prototype, Date.prototype, Error.prototype, RegExp.prototype, Uint8Array.prototype, Array.prototype, Promise.prototype])),
      () => (function () { return arguments; })(sub(), sub()), () => (function* () {})(), () => new Event("e"), () => new URL("https://a/?b"),
      () => new SuppressedError(sub(), sub()),
    ])();
    made.push(v);
    for (let i = Math.floor(Math.random() * 4); i > 0; i--) {
      const key = pick([...words, Symbol.toStringTag, Symbol.iterator, Symbol.toPrimitive, "size", "flags", "source", "byteLength", "buffer", "href"]);
      try {
        Object.defineProperty(v, key, Math.random() < 0.4 ? { get: trap, set: trap, enumerable: Math.random() < 0.7, configurable: true }
          : { value: Math.random() < 0.3 ? trap : sub(), enumerable: Math.random() < 0.7, writable: true, configurable: true });
      } catch {}
    }
    if (Math.random() < 0.1) try { Object.setPrototypeOf(v, pick([null, Map.prototype, traps, class Odd { get [Symbol.toStringTag]() { return trap(); } }.prototype])); } catch {}
    if (Math.random() < 0.2) v = new Proxy(v, traps);
    made.push(v);
    return v;
  };`;

test(
  verifies(
    ["guest:inspect-inert", "guest:inspect-bounds"],
    "whatever is printed, printing ends, is bounded, throws nothing and runs none of it",
  ),
  async () => {
    for (const seed of fc.sample(fc.stringMatching(/^[0-9a-f]{32}$/), 8)) {
      const value = await guests.value(
        `${generator}
         const failed = []; const longest = { length: 0 };
         for (let i = 0; i < 150; i++) {
           const v = value(5);
           const before = ran;
           try { console.log(v); console.log("%s %o", v, v); console.table([v, v]); console.group(v); console.groupEnd(); } catch (e) { failed.push(String(e && e.message)); }
           if (ran !== before) failed.push("ran");
           made.length = 0;
         }
         return failed;`,
        { seed, maxLines: 5_000 },
      );
      expect(value, seed).toEqual([]);
    }
  },
);

test(verifies("guest:inspect-bounds", "no line of such values is longer than its bound"), async () => {
  const { logs, end } = await guests.run(
    `${generator}\nfor (let i = 0; i < 300; i++) { console.log(value(6)); console.table(value(4)); made.length = 0; }`,
    { maxLines: 5_000 },
  );
  expect(end).toBe("");
  for (const { text } of logs) expect(text.length).toBeLessThan(400_000);
});

test(
  verifies(
    "guest:web",
    "structuredClone of such values gives a copy or a DataCloneError, or what their code throws",
  ),
  async () => {
    const value = await guests.value(
      `${generator}
       const odd = new Set();
       for (let i = 0; i < 500; i++) {
         const v = value(4);
         try { structuredClone(v); } catch (e) { if (e.name !== "DataCloneError" && e.message !== "ran") odd.add(e.name + ": " + e.message); }
         made.length = 0;
       }
       return [...odd];`,
      { seed: "5eed".repeat(8) },
    );
    expect(value).toEqual([]);
  },
);
