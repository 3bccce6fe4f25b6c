// Shows which globals a script is typed against, and what it is told of the others.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { useCompiler } from "./check-support.ts";

const { compile, one, places } = useCompiler();

test.each([
  "console.log(1); console.info(); console.warn('a', 2); console.error({}); console.debug(1); console.trace();",
  "console.table([{ a: 1 }], ['a']); console.dir({}); console.group('x'); console.groupCollapsed(); console.groupEnd();",
  "console.assert(true, 'x'); console.count(); console.countReset('x'); console.time(); console.timeLog('x', 1); console.timeEnd();",
  "const u = new URL('/a?b=1', 'https://example.com'); u.searchParams.append('c', '2'); return [u.href, URL.canParse('x'), ...u.searchParams.keys()];",
  "for (const [k, v] of new URLSearchParams({ a: '1' })) console.log(k, v); return new URLSearchParams('a=1').size;",
  "return new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode('é'));",
  "return structuredClone({ a: 1 }).a + atob(btoa('x')).length;",
  "const id = setTimeout((a: number) => console.log(a), 5, 1); clearTimeout(id); clearInterval(setInterval(() => {}, 1)); queueMicrotask(() => {});",
  "const c = new AbortController(); c.signal.addEventListener('abort', () => {}, { once: true }); c.abort('x'); c.signal.throwIfAborted(); return AbortSignal.any([c.signal, AbortSignal.timeout(5), AbortSignal.abort()]).aborted;",
  "const t = new EventTarget(); t.addEventListener('x', (e) => console.log(e.type)); t.dispatchEvent(new Event('x'));",
  "return new DOMException('m', 'AbortError').name;",
  "return [crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)), performance.now()];",
  "await sleep(5);",
  "const h: BinaryHandle = (await files.read_file({ path: 'a' }))[0]; emit(h); emit({ type: 'image', data: (await h.read({ offset: 1 })).subarray(1), mimeType: h.mimeType }); return [await h.text(), await h.base64(), h.bytes];",
  "try { await files.read_file({ path: 'a' }); } catch (e) { if (e instanceof ToolError) return [e.code, e.server, e.tool, e.message, e.content, e.structuredContent.x, e.retryable]; return e.anything; }",
  "const [hit] = await catalog.search('x', { limit: 3, server: 'files', detail: 'full' }); return [hit.call, hit.signature, await catalog.describe([hit.call]), await catalog.describe('a', { detail: 'name' })];",
  "return [Object.groupBy([1], (x) => x), [1].toSorted(), new Set([1]).union(new Set([2])), Promise.withResolvers<number>(), RegExp.escape('a'), Iterator.from([1]).toArray(), await Array.fromAsync([1]), Error.isError(1), /a/v.test('a'), 'x'.isWellFormed()];",
  "using a = { [Symbol.dispose]() {} }; await using b = { async [Symbol.asyncDispose]() {} }; return new DisposableStack().disposed;",
  "return new Intl.DateTimeFormat('en', { dateStyle: 'full' }).format(new Date()) + 10n ** 2n;",
  "const counts: Record<string, number> = {}; for (const x of ['a']) counts[x] = (counts[x] ?? 0) + 1; const rows = []; rows.push(1); return { counts, rows };",
])(verifies("check:globals", "%j is fine"), async (script) => {
  expect(await places(script)).toEqual([]);
});

test.each([
  ["await fetch('https://example.com');", "network"],
  ["new XMLHttpRequest();", "network"],
  ["new WebSocket('wss://x');", "network"],
  ["const fs = require('fs');", "modules"],
  ["module.exports = 1;", "modules"],
  ["process.env.HOME;", "environment"],
  ["Buffer.from('a', 'base64');", "atob"],
  ["fs.readFileSync('a');", "file"],
  ["new WebAssembly.Module();", "JavaScript"],
  ["new SharedArrayBuffer(4);", "deterministic"],
  ["Atomics.load;", "deterministic"],
  ["new WeakRef({});", "deterministic"],
  ["document.title;", "browser"],
  ["localStorage.getItem('a');", "between runs"],
  ["setImmediate(() => {});", "setTimeout"],
  ["global.x = 1;", "globalThis"],
  ["Temporal.Now;", "Date"],
])(verifies("check:absent", "%j is answered with what to use instead"), async (script, words) => {
  const { code, message, suggestion = "" } = await one(script);
  expect(code).toBe("SCRIPT_TYPE");
  expect(message).toMatch(/^`\w+` is not available in a script/);
  expect(message + suggestion).toContain(words);
  expect(message + suggestion).not.toMatch(/npm i|@types|tsconfig|target library|'lib'/);
});

test(verifies("check:absent", "a feature test may name what is absent"), async () => {
  const { diagnostics } = await compile("return typeof (globalThis as any).fetch;");
  expect(diagnostics).toEqual([]);
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
  verifies("check:absent", "the unknown name %s is only unknown"),
  async (name) => {
    const { diagnostics } = await compile(`x_${name}; return ${name}_x;`);
    expect(diagnostics.every(({ message }) => message.startsWith("Cannot find name"))).toBe(true);
  },
);
