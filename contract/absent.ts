// Owns what to say about globals that other runtimes have and the sandbox has not.

const NETWORK = 'There is no network in the sandbox: call a tool instead; `catalog.search("...")` finds one.';
const FILES = "There is no file system in the sandbox: call a tool of a file server instead.";
const MODULES =
  "Modules cannot be loaded in the sandbox: the tools and the ECMAScript built-ins are in scope already.";
const PROCESS =
  "There is no process in the sandbox, nor environment variables or credentials: write values into the script.";
const BUFFER = "Use `Uint8Array` with `TextEncoder`, `TextDecoder`, `atob` and `btoa`.";
const BROWSER = "The sandbox is not a browser: there is no page and no storage.";
const SHARED = "The sandbox has one thread and no shared memory: use ordinary arrays and promises.";
const THREADS = "The sandbox has one thread: run calls side by side with `await Promise.all([...])`.";
const WEAK = "Garbage collection cannot be observed in the sandbox: use `Map` or `WeakMap`.";

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ...each(
    NETWORK,
    "fetch XMLHttpRequest WebSocket EventSource Headers Request Response FormData axios http https net dns tls",
  ),
  ...each(FILES, "fs fsPromises path os Blob File FileReader"),
  ...each(MODULES, "require module exports importScripts"),
  ...each(PROCESS, "process child_process exec spawn Deno Bun __dirname __filename"),
  ...each(BUFFER, "Buffer"),
  ...each(BROWSER, "window document navigator location localStorage sessionStorage alert prompt confirm"),
  ...each(SHARED, "SharedArrayBuffer Atomics"),
  ...each(THREADS, "Worker worker_threads"),
  ...each(WEAK, "WeakRef FinalizationRegistry"),
  ["WebAssembly", "WebAssembly is absent from the sandbox: write the computation in the script."],
  ["global", "Write `globalThis`."],
  ["self", "Write `globalThis`."],
  ["setImmediate", "Use `setTimeout(callback, 0)` or `queueMicrotask`."],
  ["Temporal", "Use `Date` and `Intl.DateTimeFormat`."],
]);

/** What to use instead of a global that is absent; undefined for a name that no runtime is known to have. */
export function adviceForAbsent(name: string): string | undefined {
  return SENTENCES.get(name);
}

function each(sentence: string, names: string): [string, string][] {
  return names.split(" ").map((name) => [name, sentence]);
}
