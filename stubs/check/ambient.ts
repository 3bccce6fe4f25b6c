// Owns the declarations of the guest's globals that are not part of ECMAScript; runtime/guest provides them.

/** A `.d.ts` text. What it leaves out (`fetch`, `process`, …) is absent from the sandbox. */
export const AMBIENT = `
/** Every failed tool call throws one. */
declare class ToolError extends Error {
  /** "CALL_TOOL_ERROR", "CALL_DENIED", "CALL_INVALID_ARGUMENTS", "CALL_TIMEOUT", ... */
  readonly code: string;
  readonly server: string;
  readonly tool: string;
  readonly content: any[];
  readonly structuredContent: any;
  readonly retryable: boolean;
  constructor(message?: string, options?: any);
}

/** Images, audio and binary resources in results. The data is elsewhere: pass the handle itself as an argument. */
interface BinaryHandle {
  readonly type: "image" | "audio" | "resource";
  readonly mimeType: string;
  /** Size of the data. */
  readonly bytes: number;
  readonly id: string;
  readonly uri?: string;
  readonly name?: string;
  read(part?: { offset?: number; length?: number }): Promise<Uint8Array<ArrayBuffer>>;
  base64(part?: { offset?: number; length?: number }): Promise<string>;
  /** The data as UTF-8. */
  text(): Promise<string>;
}
/** Shows content to whoever reads the result of the script. Throws RangeError over 100 of them or the limit emitBytes. */
declare function emit(content: BinaryHandle | { type: "image" | "audio" | "resource"; data: string | ArrayBuffer | ArrayBufferView; mimeType: string; uri?: string; name?: string }): void;

interface CatalogHit {
  server: string;
  tool: string;
  namespace: string;
  identifier: string;
  /** namespace.identifier */
  call: string;
  signature: string;
  description: string;
  score: number;
}
interface ToolCatalog {
  search(query: string, options?: { limit?: number; server?: string; detail?: "name" | "summary" | "full" }): Promise<CatalogHit[]>;
  describe(names: string | readonly string[], options?: { detail?: "name" | "summary" | "full" }): Promise<any[]>;
}
declare const catalog: ToolCatalog;
declare function sleep(ms: number): Promise<void>;

interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  debug(...data: any[]): void;
  trace(...data: any[]): void;
  table(data?: any, columns?: readonly string[]): void;
  dir(item?: any, options?: any): void;
  dirxml(...data: any[]): void;
  clear(): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  assert(condition?: boolean, ...data: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
}
declare var console: Console;

declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(id: number | undefined | null): void;
declare function clearInterval(id: number | undefined | null): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T = any>(value: T, options?: { transfer?: any[] }): T;
declare function atob(data: string): string;
declare function btoa(data: string): string;

interface URL {
  hash: string; host: string; hostname: string; href: string; readonly origin: string; password: string;
  pathname: string; port: string; protocol: string; search: string; readonly searchParams: URLSearchParams; username: string;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};
interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, key: string, parent: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: Iterable<readonly [string, string]> | readonly (readonly string[])[] | Record<string, string> | string | URLSearchParams): URLSearchParams;
};

interface TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array<ArrayBuffer>;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };
interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: { prototype: TextDecoder; new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder };

interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
interface EventInit { bubbles?: boolean; cancelable?: boolean; composed?: boolean }
declare var Event: { prototype: Event; new (type: string, init?: EventInit): Event };
type EventListenerLike = ((event: any) => void) | { handleEvent(event: any): void };
interface EventTarget {
  addEventListener(type: string, listener: EventListenerLike | null, options?: boolean | { once?: boolean; capture?: boolean; passive?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: EventListenerLike | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: { prototype: EventTarget; new (): EventTarget };

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => any) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: any): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
  timeout(ms: number): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };

interface DOMException extends Error { readonly code: number }
declare var DOMException: { prototype: DOMException; new (message?: string, name?: string): DOMException };

interface Crypto {
  randomUUID(): \`\${string}-\${string}-\${string}-\${string}-\${string}\`;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
}
declare var crypto: Crypto;
interface Performance { now(): number }
declare var performance: Performance;
`;
