import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

const print = async (...expressions: string[]): Promise<readonly string[]> =>
  guests.output(expressions.map((expression) => `console.log(${expression});`).join("\n"));

describe("formatValue", () => {
  test(verifies("guest:inspect", "small JSON values print exactly as Node prints them"), async () => {
    const leaf = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ maxLength: 8, unit: "grapheme" }),
      fc.string({ maxLength: 8, unit: "binary" }),
    );
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 6 }), leaf, { maxKeys: 3 }),
      fc.array(fc.dictionary(fc.constantFrom("a", "b_1", "a-b"), leaf, { maxKeys: 1 }), { maxLength: 2 }),
    );
    const samples = fc.sample(value, 300).map((sample) => [sample]);
    const guest = await guests.output(
      `for (const text of ${JSON.stringify(samples.map((sample) => JSON.stringify(sample)))}) console.log(JSON.parse(text));`,
    );
    expect(guest).toHaveLength(300);
    samples.forEach((sample, index) => {
      const parsed: unknown = JSON.parse(JSON.stringify(sample));
      const node = inspect(parsed, { breakLength: Infinity, compact: 3, depth: 10 });
      if (node.length <= 60) expect(guest[index]).toBe(node);
    });
  });

  test(verifies("guest:inspect", "built-in objects print with their contents"), async () => {
    const lines = await print(
      "new Map([['a', { b: 1 }]]), new Set([1, 'x'])",
      "new Date(0), new Date(NaN), /a+/gi",
      "new Uint8Array([1, 2]), new ArrayBuffer(8), new DataView(new ArrayBuffer(4))",
      "[function f() {}, () => {}, class A {}, class B extends Map {}, async () => {}]",
      "Symbol('s'), 10n, -0, [undefined, null, NaN]",
      "Object(1), Object('s'), Object(true), Object(1n)",
      "new Error('boom'), new TypeError('bad', { cause: 'why' })",
      "[new RangeError('x')], new AggregateError([new Error('a')], 'many')",
      "Object.create(null), new (class Point { x = 1; })(), { __proto__: { constructor: 5 } }",
      "[1, , 3], [, ,], Object.assign([1], { extra: true })",
      "{ 'a-b': 1, 2: 2, [Symbol('k')]: 3, ['__proto__']: 4 }",
      "{ get a() { return 1; }, set b(v) {}, get c() { return 1; }, set c(v) {} }",
      "new WeakMap(), new WeakSet(), Promise.resolve(1)",
      "(function* () {})(), Math, JSON, new (class extends Map {})()",
    );
    expect(lines).toEqual([
      "Map(1) { 'a' => { b: 1 } } Set(2) { 1, 'x' }",
      "1970-01-01T00:00:00.000Z Invalid Date /a+/gi",
      "Uint8Array(2) [ 1, 2 ] ArrayBuffer { byteLength: 8 } DataView { byteLength: 4 }",
      "[\n  [Function: f],\n  [Function (anonymous)],\n  [class A],\n  [class B extends Map],\n  [AsyncFunction (anonymous)]\n]",
      "Symbol(s) 10n -0 [ undefined, null, NaN ]",
      "[Number: 1] [String: 's'] [Boolean: true] [BigInt: 1n]",
      "Error: boom TypeError: bad { [cause]: 'why' }",
      "[ [RangeError: x] ] AggregateError: many { [errors]: [ [Error: a] ] }",
      "[Object: null prototype] {} Point { x: 1 } {}",
      "[ 1, <1 empty item>, 3 ] [ <2 empty items> ] [ 1, extra: true ]",
      "{ '2': 2, 'a-b': 1, ['__proto__']: 4, [Symbol(k)]: 3 }",
      "{ a: [Getter], b: [Setter], c: [Getter/Setter] }",
      "WeakMap { items unknown } WeakSet { items unknown } Promise { not awaited }",
      "Object [Generator] {} Object [Math] {} Object [JSON] {} Map(0) {}",
    ]);
  });

  test(
    verifies("guest:inspect", "a thrown class of the script prints its name, message and fields"),
    async () => {
      const [line] = await guests.output(`
      class QuotaError extends Error { constructor(m) { super(m); this.name = "QuotaError"; this.left = 0; } }
      console.log(new QuotaError("none left"));`);
      expect(line).toBe("QuotaError: none left { left: 0 }");
    },
  );

  test(verifies("guest:inspect", "cycles are named, shared objects are printed each time"), async () => {
    const [cycle, shared] = await guests.output(`
      const a = { name: "a" }; a.self = a; a.list = [a]; console.log(a);
      const s = { v: 1 }; console.log([s, s]);`);
    expect(cycle).toBe("{ name: 'a', self: [Circular], list: [ [Circular] ] }");
    expect(shared).toBe("[ { v: 1 }, { v: 1 } ]");
  });

  test(
    verifies("guest:inspect", "wide structures break into indented lines, numbers share lines"),
    async () => {
      const [object, numbers] = await print(
        "{ one: 'x'.repeat(40), two: { three: 'y'.repeat(40), four: [1] } }",
        "Array.from({ length: 60 }, (_, i) => i)",
      );
      expect(object).toBe(
        `{\n  one: '${"x".repeat(40)}',\n  two: { three: '${"y".repeat(40)}', four: [ 1 ] }\n}`,
      );
      expect(numbers?.split("\n").length).toBeLessThan(8);
    },
  );

  test(verifies("guest:inspect-bounds", "depth, entries, keys and strings are cut with a note"), async () => {
    const lines = await guests.output(`
      let deep = {}; for (let i = 0; i < 1e4; i++) deep = { deep }; console.log(deep);
      console.log(Array.from({ length: 1e5 }, () => 0));
      console.log(Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ["k" + i, i])));
      console.log(new Map(Array.from({ length: 1e4 }, (_, i) => [i, i])));
      console.log(["x".repeat(20_000)]);
      console.log("y".repeat(3_000_000));
      console.log([2n ** 100_000n]);
      let f = () => 1; for (let i = 0; i < 1e4; i++) f = Object.assign(() => 1, { f }); console.log(f);
      let e = new Error("e"); for (let i = 0; i < 1e4; i++) e = new Error("e", { cause: e }); console.log(e);
      console.log(new Uint8Array(1e7)); console.log(new String("z".repeat(1e6)));
      console.log(new Array(2 ** 32 - 1)); console.log({ ["k".repeat(1e5)]: 1 });`);
    expect(lines).toHaveLength(13);
    expect(lines[0]).toContain("[Object]");
    expect(lines[1]).toContain("... 99900 more items");
    expect(lines[2]).toContain("... 9800 more properties");
    expect(lines[3]).toContain("... 9900 more items");
    expect(lines[4]).toContain("... 10000 more characters");
    expect(lines[5]).toContain("more characters");
    expect(lines[6]).toBe("[ [BigInt of more than 1233 digits] ]");
    expect(lines[9]).toContain("... 9999900 more items");
    for (const [index, line] of lines.entries()) expect(line.length, `line ${index}`).toBeLessThan(1_100_000);
    for (const index of [0, 6, 7, 8, 9, 10, 11, 12]) expect(lines[index]?.length).toBeLessThan(4_000);
  });

  test(verifies("guest:inspect-bounds", "a structure that fans out ends at the total budget"), async () => {
    const [line] = await guests.output(`
      let wide = { text: "v".repeat(50) };
      for (let i = 0; i < 6; i++) wide = Array.from({ length: 90 }, () => wide);
      console.log(wide);`);
    expect(line?.length).toBeLessThan(1_000_000);
    expect(line).toContain("...");
  });

  test(verifies("guest:inspect-bounds", "a string too long to touch is described, not copied"), async () => {
    const [whole, part] = await print("'a'.repeat(2 ** 29 - 30)", "['a'.repeat(2 ** 28)]");
    expect(whole).toBe("[string of 536870882 characters, too long to print]");
    expect(part).toContain("[string of 268435456 characters, too long to print]");
  });

  test(verifies("guest:inspect-bounds", "text is never cut inside a surrogate pair"), async () => {
    const [line] = await print("'x' + '😀'.repeat(600_000)");
    expect(line?.isWellFormed()).toBe(true);
  });

  test(
    verifies("guest:inspect-inert", "no getter, trap, toString, iterator or hook of a printed value runs"),
    async () => {
      const lines = await guests.output(`
      const ran = [];
      const note = (name) => () => { ran.push(name); throw new Error(name); };
      const traps = new Proxy({}, { get: (_, trap) => note("trap " + String(trap)) });
      class Sneaky {
        get value() { return note("getter")(); }
        get [Symbol.toStringTag]() { return note("tag")(); }
        [Symbol.toPrimitive]() { return note("primitive")(); }
        toString() { return note("toString")(); }
        toJSON() { return note("toJSON")(); }
        valueOf() { return note("valueOf")(); }
        inspect() { return note("inspect")(); }
        [Symbol.for("nodejs.util.inspect.custom")]() { return note("custom")(); }
      }
      const map = new Map([[1, 2]]); map[Symbol.iterator] = map.entries = map.forEach = note("map");
      Object.defineProperty(map, "size", { get: note("size") });
      const list = [1, 2]; list[Symbol.iterator] = list.map = list.join = note("array");
      const error = new Error("e"); Object.defineProperty(error, "message", { get: note("message"), enumerable: true });
      Object.defineProperty(error, "name", { get: note("name") });
      const pattern = /x/; Object.defineProperty(pattern, "flags", { get: note("flags") });
      const date = new Date(0); date.toISOString = date.getTime = note("date");
      const named = () => 1; Object.defineProperty(named, "name", { get: note("function name") });
      console.log(new Proxy({ a: 1 }, traps), new Proxy(new Proxy([1], traps), traps), new Proxy(() => 1, traps));
      console.log(Object.create(new Proxy({}, traps)), new Sneaky(), map, list, error, pattern, date, named);
      console.log("%s %d %i %f %o %O", new Sneaky(), new Sneaky(), new Sneaky(), new Sneaky(), new Sneaky(), new Sneaky());
      console.table([new Proxy({ a: 1 }, traps), new Sneaky(), { get b() { return note("cell")(); } }]);
      const { proxy, revoke } = Proxy.revocable({ r: 1 }, {}); revoke(); console.log(proxy);
      console.log(ran.join() || "nothing ran");`);
      expect(lines.at(-1)).toBe("nothing ran");
      expect(lines[0]).toBe("{ a: 1 } [ 1 ] [Function (anonymous)]");
    },
  );

  test(
    verifies(
      "guest:inspect-inert",
      "only %j, which asks for JSON, runs toJSON; what that throws is contained",
    ),
    async () => {
      const lines = await guests.output(`
      console.log("%j", { toJSON: () => "mine" });
      console.log("%j", { toJSON() { throw 1; } });
      const loop = {}; loop.loop = loop; console.log("%j", loop);`);
      expect(lines).toEqual(['"mine"', "[not JSON]", "[not JSON]"]);
    },
  );
});

describe("formatArguments", () => {
  test(verifies("guest:inspect", "format letters work as in Node"), async () => {
    const lines = await print(
      "'%s is %d years and %i, %f', 'Bob', 42, '42.9px', '1.50'",
      "'%o %O', { a: 1 }, [1]",
      "'%j', { a: [1] }",
      "'%c styled', 'color: red'",
      "'100%', 5",
      "'%% %s', 'x'",
      "'%s'",
      "'%s %s', 'only'",
      "'%x %s', 1",
      "'a', 'b', { c: 'd' }, 'e'",
      "1, '%s', 2",
      "'%d %d', 5n, Symbol.iterator",
      "'%s %s', { a: { b: { c: 1 } } }, -0",
      "",
    );
    expect(lines).toEqual([
      "Bob is 42 years and 42, 1.5",
      "{ a: 1 } [ 1 ]",
      '{"a":[1]}',
      " styled",
      "100% 5",
      "% x",
      "%s",
      "only %s",
      "%x 1",
      "a b { c: 'd' } e",
      "1 %s 2",
      "5n NaN",
      "{ a: { b: [Object] } } -0",
      "",
    ]);
  });
});
