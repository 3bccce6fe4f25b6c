// Owns the names that no tool and no namespace may take: reserved words, and every global a script may use.

const WORDS =
  "break case catch class const continue debugger default delete do else enum export extends false finally for " +
  "function if import in instanceof new null return super switch this throw true try typeof var void while with " +
  "let static yield await implements interface package private protected public eval arguments undefined";

// A namespace object with a `then` member is taken for a promise by `await`.
const MEMBERS = "then constructor __proto__ prototype";

const ECMASCRIPT =
  "globalThis Infinity NaN isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI " +
  "encodeURIComponent escape unescape Object Function Boolean Symbol Error AggregateError EvalError RangeError " +
  "ReferenceError SyntaxError TypeError URIError SuppressedError DisposableStack AsyncDisposableStack Number BigInt " +
  "Math Date Temporal String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array " +
  "Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array Map Set WeakMap WeakSet WeakRef " +
  "FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics JSON Iterator AsyncIterator Promise " +
  "GeneratorFunction AsyncFunction AsyncGeneratorFunction Reflect Proxy Intl WebAssembly";

const WEB_AND_HOST =
  "console setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask " +
  "structuredClone atob btoa URL URLSearchParams URLPattern TextEncoder TextDecoder AbortController AbortSignal " +
  "Event EventTarget CustomEvent MessageEvent DOMException MessageChannel MessagePort BroadcastChannel Blob File FormData Headers " +
  "Request Response WebSocket ReadableStream WritableStream TransformStream CompressionStream DecompressionStream " +
  "crypto Crypto CryptoKey SubtleCrypto performance self global require module exports Buffer";

const CALLGATE =
  "ToolError BinaryHandle catalog emit sleep __main search_tools get_tool_details run_script callgate";

// Types of the standard library that generated declarations use or scripts name.
const TYPES =
  "Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Awaited Parameters ReturnType " +
  "ReadonlyArray PromiseLike ArrayLike any unknown never string number boolean object symbol bigint type namespace " +
  "declare";

const split = (text: string): string[] => text.split(" ");

/** Names a tool cannot have inside its namespace. */
export const RESERVED_MEMBERS: ReadonlySet<string> = new Set(split(`${WORDS} ${MEMBERS}`));

/** Names a namespace cannot have: it would hide a global, or a global would hide it. */
export const RESERVED_GLOBALS: ReadonlySet<string> = new Set([
  ...RESERVED_MEMBERS,
  ...Object.getOwnPropertyNames(Object.prototype),
  ...split(`${ECMASCRIPT} ${WEB_AND_HOST} ${CALLGATE} ${TYPES}`),
]);

/** Names a generated type cannot have. */
export const RESERVED_TYPES: ReadonlySet<string> = RESERVED_GLOBALS;
