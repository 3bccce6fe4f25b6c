import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ABSENT_GLOBALS } from "../../../contract/absent.ts";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

/** The names in docs/globals.md: first cells of its first table, and the list of what is kept. */
const documented = ((): readonly string[] => {
  const text = readFileSync(new URL("../../../docs/globals.md", import.meta.url), "utf8");
  const section = (title: string): string =>
    text.split(`## ${title}\n`)[1]?.split(/\n## |\n\n`eval`/)[0] ?? "";
  const supplied = section("Supplied or replaced").matchAll(/^\| `(\w+)`/gm);
  const kept = section("Kept as V8 has them").matchAll(/`(\w+)`/g);
  return [...supplied, ...kept].map((match) => match[1] as string);
})();

const LAZY = [
  ...["DOMException", "TextEncoder", "TextDecoder", "Event", "EventTarget", "AbortController", "AbortSignal"],
  ...["URL", "URLSearchParams", "Intl"],
];

describe("absence", () => {
  test(
    verifies("guest:absent", "typeof of every absent global is undefined, and none is a property"),
    async () => {
      const names = Object.keys(ABSENT_GLOBALS);
      expect(names.length).toBeGreaterThan(40);
      const value = await guests.value(
        `return ${JSON.stringify(names)}.filter((n) => n in globalThis || (0, eval)("typeof " + n) !== "undefined");`,
      );
      expect(value).toEqual([]);
    },
  );

  test(
    verifies("guest:absent", "shared memory, weak references and WebAssembly are reachable in no other way"),
    async () => {
      const value = await guests.value(`
      const seen = new Set(), found = [];
      const walk = (v, path) => {
        if ((typeof v !== "object" && typeof v !== "function") || v === null || seen.has(v) || path.length > 12) return;
        seen.add(v);
        if (typeof v === "function" && ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Memory", "v8BreakIterator"].includes(v.name)) found.push(path.join("."));
        for (const key of Reflect.ownKeys(v)) {
          const d = Reflect.getOwnPropertyDescriptor(v, key);
          for (const part of [d.value, d.get, d.set]) walk(part, [...path, String(key)]);
          try { walk(v[key], [...path, String(key)]); } catch {}
        }
        walk(Object.getPrototypeOf(v), [...path, "__proto__"]);
      };
      walk(globalThis, []);
      return { found, walked: seen.size > 800 };`);
      expect(value).toEqual({ found: [], walked: true });
    },
  );

  test(verifies("guest:absent", "the list of globals is exactly the documented one"), async () => {
    const value = (await guests.value(`return Object.getOwnPropertyNames(globalThis).sort();`)) as string[];
    expect(value).toEqual([...documented].sort());
    expect(
      await guests.value(
        `return [Object.getOwnPropertySymbols(globalThis).length, Object.keys(globalThis)];`,
      ),
    ).toEqual([0, []]);
  });

  test(verifies("guest:absent", "the same globals are there with the JIT on"), async () => {
    await using withJit = await startGuests(true);
    const code = `return Object.getOwnPropertyNames(globalThis).sort();`;
    expect(await withJit.value(code)).toEqual(await guests.value(code));
  });

  test(verifies("guest:sealed", "stacks are bounded, whatever a script asks for"), async () => {
    const value = await guests.value(`
      let refused = false; try { Error.stackTraceLimit = Infinity; } catch { refused = true; }
      try { Object.defineProperty(Error, "stackTraceLimit", { value: 1e9 }); } catch {}
      let stack; (function f(n) { if (n === 0) stack = new Error("x").stack; else f(n - 1); })(500);
      return [refused, stack.split("\\n").length];`);
    expect(value).toEqual([true, 11]);
  });
});

describe("lazy globals", () => {
  test(
    verifies(
      "guest:lazy",
      "after use a lazy global is a plain property, before use it can be replaced or deleted",
    ),
    async () => {
      const value = await guests.value(`
      const names = ${JSON.stringify(LAZY)};
      const types = names.map((n) => typeof globalThis[n]);
      const plain = names.map((n) => { const d = Object.getOwnPropertyDescriptor(globalThis, n); return d.writable && d.configurable && !d.enumerable && d.value === globalThis[n]; });
      const named = names.every((n) => typeof globalThis[n] !== "function" || globalThis[n].name === n);
      return [types.every((t) => t === "function" || t === "object"), plain.every(Boolean), named,
        [setTimeout, sleep, atob, structuredClone, console.log, crypto.randomUUID, Date, Proxy].map((f) => f.name)];`);
      expect(value).toEqual([
        ...[true, true, true],
        ["setTimeout", "sleep", "atob", "structuredClone", "log", "randomUUID", "Date", "Proxy"],
      ]);
      const replaced = await guests.value(`
      globalThis.URL = 5; const own = [URL, typeof URLSearchParams, URL]; delete globalThis.TextEncoder;
      const Own = class URLSearchParams {}; globalThis.URLSearchParams = Own;
      return [...own, typeof TextEncoder, typeof TextDecoder, typeof TextEncoder, URLSearchParams === Own];`);
      expect(replaced).toEqual([5, "function", 5, "undefined", "function", "undefined", true]);
      const second = await guests.value(`
      const Own = class {}; globalThis.URLSearchParams = Own;
      return [new URL("https://a/?x=1").searchParams.get("x"), URLSearchParams === Own];`);
      expect(second).toEqual(["1", true]);
    },
  );

  test(verifies("guest:lazy", "first use changes no other property of any object"), async () => {
    const value = await guests.value(`
      const lazy = new Set(${JSON.stringify(LAZY)});
      const picture = () => {
        const seen = new Map();
        const visit = (v, path) => {
          if ((typeof v !== "object" && typeof v !== "function") || v === null || seen.has(v)) return;
          const own = []; seen.set(v, { path, own });
          for (const key of Reflect.ownKeys(v)) {
            if (v === globalThis && (lazy.has(key) || key === "__proto__")) continue;
            const d = Reflect.getOwnPropertyDescriptor(v, key);
            own.push([key, d]);
            for (const part of [d.value, d.get, d.set]) visit(part, path + "." + String(key));
          }
          visit(Object.getPrototypeOf(v), path + ".__proto__");
        };
        visit(globalThis, ""); return seen;
      };
      const before = picture();
      for (const name of lazy) void globalThis[name];
      new URL("https://a/?b=c").searchParams.sort();
      const changed = [];
      for (const [v, { path, own }] of before) {
        for (const [key, d] of own) {
          const now = Reflect.getOwnPropertyDescriptor(v, key);
          if (!now || ["value", "get", "set", "writable", "enumerable", "configurable"].some((p) => !Object.is(now[p], d[p]))) changed.push(path + "." + String(key));
        }
        const added = Reflect.ownKeys(v).filter((k) => !own.some(([o]) => o === k) && !(v === globalThis && lazy.has(k)));
        for (const key of added) changed.push("+" + path + "." + String(key));
      }
      return { changed, size: before.size > 500 };`);
    expect(value).toEqual({ changed: [], size: true });
  });

  test(
    verifies("guest:clock", "no failure while Intl is first used leaves the real clock within reach"),
    async () => {
      const value = await guests.value(
        `
      const years = new Set();
      const probe = () => { try { years.add(new Intl.DateTimeFormat("en-US", { year: "numeric" }).format()); return true; } catch { return false; } };
      // Each depth leaves a little more stack for the first use.
      let left = 0;
      const dive = () => { try { dive(); } catch (e) { if (left-- > 0) probe(); throw e; } };
      for (const levels of [1, 2, 4, 8, 16, 32, 64]) { left = levels; try { dive(); } catch {} }
      probe();
      return [...years];`,
        { at: 0 },
      );
      expect(value).toEqual(["1970"]);
    },
  );
});

describe("sealing", () => {
  const tamper = `
    const strange = [];
    const check = (frames) => { for (const c of frames) {
      const f = c.getFunction(), t = c.getThis();
      if (typeof f === "function" && !/OWNMARK/.test(Function.prototype.toString.call(f)) && !/native code/.test(Function.prototype.toString.call(f))) strange.push(String(f).slice(0, 60));
      if (t !== undefined && t !== null && t !== globalThis && !marks.has(t)) strange.push("this " + Object.prototype.toString.call(t));
    } return "stack"; };
    const marks = new WeakSet([globalThis]);
    Error.prepareStackTrace = (_e, frames) => check(frames);
    const look = () => { "OWNMARK"; void new Error("look").stack; };`;

  test(
    verifies("guest:sealed", "CallSites of bootstrap frames give out no function and no receiver"),
    async () => {
      const lines = await guests.output(`${tamper}
      setTimeout(look, 1); queueMicrotask(look); await sleep(2);
      for (const f of [() => setTimeout(5), () => atob("*"), () => new AbortSignal(), () => structuredClone(look), () => new TextDecoder("x"),
        () => new URL("nope"), () => Intl.PluralRules(), () => crypto.getRandomValues(1), () => new Proxy(1, 1), () => Proxy(), () => btoa({ toString: look })]) {
        try { "OWNMARK"; f(); } catch (e) { void e.stack; } }
      try { structuredClone({ get a() { "OWNMARK"; look(); return 1; } }); } catch {}
      const t = new EventTarget(); marks.add(t); t.addEventListener("e", look); t.dispatchEvent(new Event("e"));
      console.log("%j", { toJSON: look }); new Date({ [Symbol.toPrimitive]: look });
      try { new Intl.NumberFormat(["en", { toString: look }]); } catch {}
      setTimeout(() => {}, { valueOf: look }); [new Date()].toLocaleString(); new Date().toLocaleString("en", { get timeZone() { look(); } });
      const d = Object.defineProperty; Object.defineProperty = function (...a) { "OWNMARK"; look(); return d(...a); };
      new URLSearchParams("a=1").sort(); Object.defineProperty = d;
      console.log(JSON.stringify(strange));`);
      expect(lines.at(-1)).toBe("[]");
    },
  );

  test(verifies("guest:sealed", "sloppy code called back finds no caller and no arguments"), async () => {
    const value = await guests.value(`
      const seen = [];
      globalThis.note = (x) => seen.push(x);
      const sloppy = new Function("note(arguments.callee.caller === null || arguments.callee.caller === undefined); return 1;");
      setTimeout(sloppy, 1); queueMicrotask(sloppy); await sleep(2);
      console.log("%j", { toJSON: sloppy }); structuredClone(Object.defineProperty({}, "x", { get: sloppy, enumerable: true }));
      const t = new EventTarget(); t.addEventListener("e", sloppy); t.dispatchEvent(new Event("e"));
      const refused = [setTimeout, console.log, Date, structuredClone, atob, Proxy].map((f) => { try { return f.caller ?? "none"; } catch { return "none"; } });
      return [seen, refused];`);
    expect(value).toEqual([Array(5).fill(true), Array(6).fill("none")]);
  });

  test(
    verifies("guest:sealed", "no function of the bootstrap is on an object a script can walk to"),
    async () => {
      const value = await guests.value(`
      const seen = new Set(), names = new Set();
      const walk = (v) => {
        if ((typeof v !== "object" && typeof v !== "function") || v === null || seen.has(v)) return;
        seen.add(v); if (typeof v === "function") names.add(v.name);
        for (const key of Reflect.ownKeys(v)) { const d = Reflect.getOwnPropertyDescriptor(v, key); walk(d.value); walk(d.get); walk(d.set); }
        walk(Object.getPrototypeOf(v));
      };
      for (const n of Object.getOwnPropertyNames(globalThis)) void globalThis[n];
      walk(globalThis);
      return ["startTimer", "cancelTimer", "onStart", "installGlobals", "boot", "defineLazy", "formatValue", "SafeMap", "addKind", "run"].filter((n) => names.has(n));`);
      expect(value).toEqual([]);
    },
  );
});

describe("robustness", () => {
  // Loops by index: iterators are among the first things to go.
  const wreck = `
    const own = { log: console.log };
    const bomb = () => { throw new Error("replaced"); };
    const { defineProperty, getOwnPropertyDescriptor, ownKeys, getPrototypeOf } = Reflect;
    const targets = [Array.prototype, String.prototype, Number.prototype, Map.prototype, Set.prototype, Promise.prototype, RegExp.prototype,
      Function.prototype, WeakMap.prototype, Date.prototype, Error.prototype, getPrototypeOf(Uint8Array.prototype), getPrototypeOf([][Symbol.iterator]()),
      getPrototypeOf(new Map()[Symbol.iterator]()), Array, JSON, Math, Number, String, Symbol, Promise, Object, Reflect];
    const keysOf = []; for (let i = 0; i < targets.length; i++) keysOf[i] = ownKeys(targets[i]);
    for (let i = 0; i < targets.length; i++) for (let k = 0; k < keysOf[i].length; k++) {
      const key = keysOf[i][k], d = getOwnPropertyDescriptor(targets[i], key);
      if (!d.configurable || key === "constructor" || key === "prototype") continue;
      defineProperty(targets[i], key, typeof d.value === "function" ? { value: bomb, configurable: true } : { get: bomb, set: bomb, configurable: true });
    }
    const planted = ["0", "1", "2", "3", "depth", "then", "value", "get", "set", "writable", "enumerable", "configurable"];
    const descriptor = { __proto__: null, get: bomb, set: bomb, configurable: true };
    for (let i = 0; i < planted.length; i++) defineProperty(Object.prototype, planted[i], descriptor);
    const names = ["Object", "Array", "String", "Number", "Map", "WeakMap", "Promise", "Error", "TypeError", "RangeError", "Boolean", "Symbol",
      "JSON", "Reflect", "Math", "Uint8Array", "globalThis"];
    const real = globalThis;
    for (let i = 0; i < names.length; i++) real[names[i]] = undefined;`;

  test(
    verifies(
      "guest:robust",
      "console, the clock, randomness and timers work after every intrinsic was replaced",
    ),
    async () => {
      const { logs, end, unhandled } = await guests.run(`${wreck}
      own.log("plain %s %d", "text", 5, { a: [1, { b: "c" }], d: null }, -0, 10n, [1, , 2]);
      own.log(new Date(5), typeof Math);
      console.table([{ a: 1 }]); console.group("g"); console.log("in"); console.groupEnd(); console.count();
      setTimeout((x) => own.log("timer", x, Date.now()), 10, "arg"); const id = setInterval(() => { own.log("tick"); clearInterval(id); }, 5);
      queueMicrotask(() => own.log("micro")); atob("aGk="); btoa("hi"); crypto.randomUUID();
      setTimeout(() => own.log("last"), 20);`);
      expect({ end, unhandled }).toEqual({ end: "", unhandled: [] });
      expect(logs.map((line) => line.text)).toEqual([
        "plain text 5 { a: [ 1, { b: 'c' } ], d: null } -0 10n [ 1, <1 empty item>, 2 ]",
        "1970-01-01T00:00:00.005Z undefined",
        "┌─────────┬───┐\n│ (index) │ a │\n├─────────┼───┤\n│ 0       │ 1 │\n└─────────┴───┘",
        "g",
        "  in",
        "default: 1",
        "micro",
      ]);
    },
  );

  test(
    verifies("guest:robust", "first uses after that harm nothing but the script's own objects"),
    async () => {
      const { logs, end } = await guests.run(
        `${wreck}
      const attempt = (f) => { try { f(); } catch {} };
      attempt(() => new URL("https://a")); attempt(() => new TextEncoder().encode("é")); attempt(() => new AbortController().abort());
      attempt(() => structuredClone({ a: 1 })); attempt(() => new Intl.DateTimeFormat().format()); attempt(() => new DOMException("x"));
      own.log(typeof real.TextEncoder, typeof real.AbortController, typeof real.Intl, new Intl.DateTimeFormat("en").format !== undefined);
      own.log("alive", Date.now());`,
        { at: 5 },
      );
      expect(end).toBe("");
      expect(logs.map((line) => line.text)).toEqual(["function function object true", "alive 5"]);
    },
  );

  test(verifies("guest:robust", "a frozen or emptied global object does not stop the console"), async () => {
    const frozen = await guests.output(`
      Object.freeze(globalThis); const out = []; for (const n of ["URL", "TextEncoder", "AbortController", "Intl"]) { try { out.push(typeof globalThis[n]); } catch { out.push("threw"); } }
      console.log("frozen", out.length, typeof Intl, Math.random() < 1);`);
    expect(frozen).toEqual(["frozen 4 object true"]);
    const emptied = await guests.output(`
      const log = console.log; const { deleteProperty } = Reflect, real = globalThis; for (const n of Object.getOwnPropertyNames(real)) deleteProperty(real, n);
      log("emptied", { a: [1] }); `);
    expect(emptied).toEqual(["emptied { a: [ 1 ] }"]);
  });

  test(
    verifies("guest:robust", "species and then planted on Promise are not consulted by sleep and microtasks"),
    async () => {
      const lines = await guests.output(`
      let watched = 0;
      Object.defineProperty(Promise, Symbol.species, { get() { watched++; return Promise; } });
      Object.defineProperty(Promise.prototype, "constructor", { get() { watched++; return Promise; }, configurable: true });
      queueMicrotask(() => console.log("ran", watched));
      await new Promise((r) => setTimeout(r, 1));`);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^ran [0-2]$/);
    },
  );

  test(
    verifies(
      "guest:robust",
      "a console call at the end of the stack throws the script's RangeError, later ones work",
    ),
    async () => {
      const lines = await guests.output(`
      let caught; const dive = () => { try { dive(); } catch (e) { if (!caught) try { console.log({ a: [{ b: 1 }] }); } catch (x) { caught = x; } throw e; } };
      try { dive(); } catch (e) { caught ??= e; }
      console.log("after", caught instanceof RangeError, caught.constructor === RangeError);`);
      expect(lines.at(-1)).toBe("after true true");
    },
  );
});
