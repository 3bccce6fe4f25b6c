// Shows that JavaScript without types, as models write it, is not rejected for TypeScript's own reasons.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { useCompiler } from "./check-support.ts";

const { compile, places } = useCompiler();

test.each([
  "const rows = []; rows.push({ a: 1 }); return rows.map((r) => r.a);",
  "const rows = []; [1, 2].forEach((n) => rows.push(n)); return rows.map((r) => r.x);",
  "let best = null; for (const x of [1, 2]) if (!best || x > best) best = x; return best;",
  "let best = null; [{ v: 1 }].forEach((x) => { if (!best || x.v > best.v) best = x; }); if (best) return best.v;",
  "let last: { v: number } | null = null; [{ v: 1 }].forEach((x) => { last = x; }); if (last) return last.v;",
  "let out; out = await files.read_file({ path: 'a' }); return out.x;",
  "const counts = {}; for (const w of ['a', 'b']) counts[w] = (counts[w] || 0) + 1; return Object.entries(counts).sort((a, b) => b[1] - a[1]);",
  "const result = {}; result.total = 1; result.items = []; return result.total;",
  "const result = { a: 1 }; result.b = 2; return result.b;",
  "const result = { stats: {} }; result.stats.n = 1; return result;",
  "return ['a', 'b'].reduce((acc, x) => { acc[x] = (acc[x] ?? 0) + 1; return acc; }, {});",
  "return [1, 2].reduce((acc, x) => { acc.push(x); return acc; }, []);",
  "return [1, 2].reduce((acc, x) => { (acc[x] ||= []).push(x); return acc; }, {});",
  "const byDate = [{ d: '2020' }].sort((a, b) => new Date(b.d) - new Date(a.d)); return byDate;",
  "const f = (x) => x.y; function g({ a, b }, ...rest) { return a + b + rest.length } return [f({ y: 1 }), g({ a: 1, b: 2 })];",
  "class Counter { n; constructor() { this.n = 0 } add() { this.n += 1; return this } } return new Counter().add().n;",
  "class Box { items: string[]; fill() { this.items = ['a'] } } return new Box();",
  "function Old() { this.a = 1 } return new Old().a;",
  "try { await files.read_file({ path: 'a' }) } catch (err) { console.error(err.message, err.code) }",
  "const all = await Promise.all(['a', 'b'].map((path) => files.read_file({ path }))); return all.flat().filter((x) => x.ok).length;",
  "const results = await Promise.allSettled([files.read_file({ path: 'a' })]); for (const r of results) if (r.status === 'fulfilled') console.log(r.value.x);",
  "var i = 0; while (i < 3) { i++ } do { i-- } while (i > 0); switch (i) { case 0: break; default: } return i;",
  "const key = 'a'; const o = { a: 1 }; return o[key] + o['a'] + o[String(key)];",
  "const { a, ...rest } = await files.read_file({ path: 'x' }); return [a, rest.b];",
  "const m = new Map(); m.set('a', []); m.get('a').push(1); return [...m.entries()];",
  "const s = new Set(); s.add(1); return Array.from(s).includes(1);",
  "unused: for (;;) break unused; function never() { return; console.log(1) } never();",
  "const text = `${[1, 2].join()} ${JSON.stringify({ a: undefined }, null, 2)}`; return text.split(/,\\s*/).map(Number);",
  "const wait = (ms) => new Promise((r) => setTimeout(r, ms)); await wait(1);",
  "for await (const x of [Promise.resolve(1)]) console.log(x); const gen = function* () { yield 1 }; return [...gen()];",
  "const handlers = { a: (x) => x, b() { return this.a(1) } }; return handlers['b']();",
  "let n; [1].forEach((x) => { n = x }); return n;",
  "return (await github.get_issue({ owner: 'a', repo: 'b', number: 1 })).body?.length ?? 0;",
])(verifies("check:modes", "%j is accepted"), async (script) => {
  expect(await places(script)).toEqual([]);
});

test.each([
  "let first; [{ v: 1 }].forEach((x) => { first = x }); return first.v;",
  "let text: string; try { text = 'a' } catch {} return text;",
])(verifies("check:modes", "%j may be wrong: a warning, and it runs"), async (script) => {
  const { code, diagnostics } = await compile(script);
  expect(code).toBeDefined();
  expect(diagnostics.every(({ severity }) => severity === "warning")).toBe(true);
});

test.each([
  "const issue = await github.get_issue({ owner: 'a', repo: 'b', number: 1 }); return issue.body.length;",
  "const o = { name: 'a' }; return o.nmae;",
  "return 'a' - 1;",
  "const n: number = 'a'; return n;",
  "if ('a' === 1) return 2;",
])(verifies("check:modes", "%j is still an error"), async (script) => {
  expect(await places(script)).toEqual([expect.stringMatching(/^error SCRIPT_TYPE/)]);
});
