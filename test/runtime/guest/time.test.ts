import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

const AT = 1_700_000_000_123;

describe("clock", () => {
  test(verifies("guest:clock", "every way to ask the time gives the time of the last delivery"), async () => {
    const value = await guests.value(
      `const times = () => [
         Date.now(), new Date().getTime(), +new (class extends Date {})(), Date.parse(Date()),
         Reflect.construct(Date, []).getTime(), new (new Date().constructor)().getTime(), new Date(0).constructor.now(),
         performance.timeOrigin + performance.now(), new Event("e").timeStamp];
       const first = times(); for (let i = 0; i < 1e5; i++);
       const second = times(); await sleep(1_500);
       return { first, second, third: times(), now: performance.now() };`,
      { at: AT },
    );
    const whole = AT - (AT % 1_000);
    const later = AT + 1_500;
    expect(value).toEqual({
      first: [AT, AT, AT, whole, AT, AT, AT, AT, AT],
      second: [AT, AT, AT, whole, AT, AT, AT, AT, AT],
      third: [later, later, later, later - (later % 1_000), later, later, later, later, later],
      now: 1_500,
    });
  });

  test(verifies("guest:clock", "Intl.DateTimeFormat without a date formats the run's now"), async () => {
    const value = await guests.value(
      `const f = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "2-digit", day: "2-digit" });
       return [f.format(), f.format(undefined), f.formatToParts().find((p) => p.type === "year").value,
         Intl.DateTimeFormat().format(), f.format(0), f.format === f.format, [new Date(0)].map(f.format)];`,
      { at: AT },
    );
    expect(value).toEqual([
      "11/14/2023",
      "11/14/2023",
      "2023",
      "11/14/2023",
      "01/01/1970",
      true,
      ["01/01/1970"],
    ]);
  });

  test(verifies("guest:clock", "Date is otherwise V8's own: subclasses, parsing, parts, names"), async () => {
    const value = await guests.value(`
      class Day extends Date { label() { return this.toISOString().slice(0, 10); } }
      const day = new Day(2024, 1, 29);
      return [day.label(), day instanceof Day, day instanceof Date, new Date("2024-02-29T12:00:00Z").getUTCHours(),
        Date.UTC(2024, 0), Date.parse("2024-01-01"), Date.name, Date.length, typeof Date(), String(new Date(0)),
        new Date(undefined).getTime(), new Date(2024, 0, 31).getTimezoneOffset(), JSON.stringify(new Date(5)),
        Object.getOwnPropertyNames(Date).sort().join(), new Date(new Date(7)).getTime(), Object.keys(Date).length];`);
    expect(value).toEqual([
      "2024-02-29",
      true,
      true,
      12,
      1_704_067_200_000,
      1_704_067_200_000,
      "Date",
      7,
      "string",
      "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)",
      null,
      0,
      '"1970-01-01T00:00:00.005Z"',
      "UTC,length,name,now,parse,prototype",
      7,
      0,
    ]);
  });
});

describe("randomness", () => {
  const draw = `return [Math.random(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(9))], Math.random()];`;
  const seed = "00112233445566778899aabbccddeeff";

  test(verifies("guest:random", "the same seed gives the same values, another seed others"), async () => {
    const [one, two, other, zero] = await Promise.all([
      guests.value(draw, { seed }),
      guests.value(draw, { seed }),
      guests.value(draw, { seed: "00112233445566778899aabbccddeefe" }),
      guests.value(draw, { seed: "0".repeat(32) }),
    ]);
    expect(two).toEqual(one);
    expect(other).not.toEqual(one);
    expect(zero).not.toEqual(one);
  });

  test(verifies("guest:random", "crypto and URL do not move the sequence of Math.random"), async () => {
    const plain = await guests.value(`return [Math.random(), Math.random()];`, { seed });
    const mixed = await guests.value(
      `const a = Math.random(); crypto.randomUUID(); new URL("https://a"); structuredClone({}); return [a, Math.random()];`,
      { seed },
    );
    expect(mixed).toEqual(plain);
  });

  test(verifies("guest:random", "Math.random is evenly spread in [0, 1), whatever the seed"), async () => {
    for (const each of [seed, "0".repeat(32), "f".repeat(32), "00000000000000000000000000000001"]) {
      const buckets = (await guests.value(
        `const buckets = Array(10).fill(0);
         for (let i = 0; i < 20_000; i++) buckets[Math.floor(Math.random() * 10)]++;
         return buckets;`,
        { seed: each },
      )) as number[];
      expect(buckets).toHaveLength(10);
      for (const count of buckets) expect(Math.abs(count - 2_000)).toBeLessThan(250);
    }
  });

  test(verifies("guest:random", "UUIDs are version 4, and differ"), async () => {
    const value = (await guests.value(
      `return Array.from({ length: 1_000 }, () => crypto.randomUUID());`,
    )) as string[];
    for (const uuid of value)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(value).size).toBe(1_000);
  });

  test(
    verifies("guest:random", "getRandomValues fills any integer array in place, within its quota"),
    async () => {
      const value = await guests.value(`
      const name = (f) => { try { f(); return "no error"; } catch (e) { return e.name; } };
      const part = new Uint8Array(new ArrayBuffer(8), 4, 2); crypto.getRandomValues(part);
      const same = new Int32Array(4);
      return [crypto.getRandomValues(same) === same, same.some((n) => n !== 0),
        [...new Uint8Array(part.buffer)].map((n, i) => i === 4 || i === 5 || n === 0).every(Boolean),
        typeof crypto.getRandomValues(new BigUint64Array(1))[0],
        name(() => crypto.getRandomValues(new Uint8Array(65_537))), name(() => crypto.getRandomValues(new Float64Array(1))),
        name(() => crypto.getRandomValues([])), name(() => crypto.getRandomValues(new Uint8Array(65_536)))];`);
      expect(value).toEqual([
        true,
        true,
        true,
        "bigint",
        "QuotaExceededError",
        "TypeMismatchError",
        "TypeError",
        "no error",
      ]);
    },
  );

  test(verifies("guest:absent", "crypto.subtle explains itself"), async () => {
    const { end } = await guests.run(`await crypto.subtle.digest("SHA-256", new Uint8Array());`);
    expect(end).toContain("crypto.subtle.digest is not available in a script");
  });
});

describe("timers", () => {
  test(verifies("guest:timers", "timers fire in order of time, with their arguments"), async () => {
    const lines = await guests.output(`
      setTimeout((a, b) => console.log("late", a, b), 20, 1, "two"); setTimeout(() => console.log("soon"), 5);
      setTimeout(() => console.log("now")); queueMicrotask(() => console.log("microtask"));
      console.log("sync"); await sleep(30);`);
    expect(lines).toEqual(["sync", "microtask", "now", "soon", "late 1 two"]);
  });

  test(
    verifies("guest:timers", "clearing works before, within and after; ids are positive numbers"),
    async () => {
      const lines = await guests.output(`
      const a = setTimeout(() => console.log("never"), 5); clearTimeout(a); clearTimeout(a); clearTimeout();
      clearTimeout("x"); clearTimeout({}); clearInterval(null);
      let ticks = 0; const b = setInterval(() => { if (++ticks === 3) clearInterval(b); }, 10);
      await sleep(200); console.log(ticks, typeof a, a > 0, b > a);
      const c = setInterval(() => {}, 1); clearTimeout(c); setTimeout(() => setTimeout(() => console.log("nested"), 1), 1);
      await sleep(10);`);
      expect(lines).toEqual(["3 number true true", "nested"]);
    },
  );

  test(verifies("guest:timers", "odd delays count as 0, endless ones are cut"), async () => {
    const lines = await guests.output(`
      const start = Date.now();
      for (const delay of [NaN, -5, undefined, "7", null, "x", 0.9]) await new Promise((r) => setTimeout(r, delay));
      console.log(Date.now() - start); await sleep(-1); await sleep(); console.log(Date.now() - start);
      await new Promise((r) => setTimeout(r, Infinity)); console.log(Date.now() - start);`);
    expect(lines).toEqual(["7", "7", "2147483654"]);
  });

  test(verifies("guest:timers", "text is refused as a handler, and so is too many timers"), async () => {
    const value = await guests.value(
      `const name = (f) => { try { f(); return "no error"; } catch (e) { return e.name; } };
       return [name(() => setTimeout("alert(1)")), name(() => setInterval()), name(() => queueMicrotask("x")),
         name(() => setTimeout(() => {}, 1)), name(() => setTimeout(() => {}, 1)), name(() => setTimeout(() => {}, 1))];`,
      { maxTimers: 2 },
    );
    expect(value).toEqual(["TypeError", "TypeError", "TypeError", "no error", "no error", "RangeError"]);
  });

  test(
    verifies("guest:unhandled", "what a timer or a microtask throws is unhandled, and the rest goes on"),
    async () => {
      const result = await guests.run(`
      let n = 0; const id = setInterval(() => { if (++n === 3) clearInterval(id); throw new Error("tick " + n); }, 1);
      await sleep(10);
      console.log("went on", n);`);
      expect(result.end).toBe("");
      expect(result.unhandled).toEqual(["tick 1", "tick 2", "tick 3"]);
      expect(result.logs.map((line) => line.text)).toEqual(["went on 3"]);
      const microtask = await guests.run(
        `queueMicrotask(() => { throw new Error("micro"); }); await sleep(1);`,
      );
      expect(microtask.unhandled).toEqual(["micro"]);
    },
  );
});
