// Owns the names that models expect in a script and that are not there, each with what to do instead.

const noNetwork = "a script has no network: call a tool that fetches it";
const noFiles = "a script has no file system: call a tool that reads or writes files";
const noModules = "a script has no modules: the tools and the globals are already in scope";
const noPage = "a script runs in no browser";
const noThreads = "a script has one thread: run calls at the same time with Promise.all";
const noStorage = "a script keeps nothing between runs: use variables, or a tool that stores values";
const noUser = "a script cannot ask a user: return what you need to know, or call a tool that asks";
const notDeterministic = "it is not deterministic, so a run could not be replayed";

/**
 * Names of globals that a script does not have → what to do instead. A clause without capital and full stop, to follow
 * "`fetch` is not available in a script:". `typeof` of each is "undefined", so that feature tests take the right branch.
 * Look names up with `Object.hasOwn`.
 */
export const ABSENT_GLOBALS: Readonly<Record<string, string>> = {
  Atomics: notDeterministic,
  Blob: "use strings and typed arrays",
  BroadcastChannel: noThreads,
  Buffer: "use TextEncoder and TextDecoder for bytes, btoa and atob for base64",
  Bun: "a script runs in no Bun process: use the tools and the web globals",
  CompressionStream: "call a tool that compresses",
  Deno: "a script runs in no Deno process: use the tools and the web globals",
  EventSource: noNetwork,
  File: noFiles,
  FileReader: noFiles,
  FinalizationRegistry: notDeterministic,
  FormData: noNetwork,
  Headers: noNetwork,
  MessageChannel: noThreads,
  ReadableStream: "results arrive whole: use them as they are",
  Request: noNetwork,
  Response: noNetwork,
  SharedArrayBuffer: notDeterministic,
  SharedWorker: noThreads,
  Temporal: "use Date and Intl.DateTimeFormat",
  TransformStream: "results arrive whole: use them as they are",
  WeakRef: notDeterministic,
  WebAssembly: "write it in JavaScript",
  WebSocket: noNetwork,
  Worker: noThreads,
  WritableStream: "print with console.log",
  XMLHttpRequest: noNetwork,
  __dirname: noFiles,
  __filename: noFiles,
  alert: "print with console.log",
  axios: noNetwork,
  cancelAnimationFrame: "use clearTimeout",
  child_process: "a script starts no programs: call a tool that runs commands",
  clearImmediate: "use clearTimeout",
  confirm: noUser,
  document: noPage,
  exports: noModules,
  fetch: noNetwork,
  fs: noFiles,
  global: "use globalThis",
  http: noNetwork,
  https: noNetwork,
  importScripts: noModules,
  indexedDB: noStorage,
  localStorage: noStorage,
  location: noPage,
  module: noModules,
  navigator: noPage,
  os: "a script knows nothing of the machine",
  path: "join paths with template strings",
  process:
    "a script has no process, arguments or environment: write the values into the script, print with console.log",
  prompt: noUser,
  reportError: "throw the error, or print it with console.error",
  require: noModules,
  requestAnimationFrame: "use setTimeout",
  self: "use globalThis",
  sessionStorage: noStorage,
  setImmediate: "use setTimeout",
  window: "use globalThis",
};
