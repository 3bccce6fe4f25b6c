// Owns every use of isolated-vm: warm isolates, script compilation, deliveries. Nothing but text and numbers leaves it.
import { createRequire } from "node:module";
import type ivm from "isolated-vm";

export interface EngineOptions {
  /** Path of the native addon file; nothing else of the package is read. */
  readonly addonPath: string;
  readonly guestSource: string;
  /** Called when V8 runs out of memory in an isolate in a way that only the end of the process cures. */
  readonly onCatastrophe: (isolate: Isolate | undefined) => void;
}

/** The script's function, opaque outside its isolate. */
export type ScriptFunction = ivm.Dereference<unknown>;

export type GuestSend = (type: string, seq: number, a: string, b: string, c: string, n: number) => void;

/** One isolate with the guest bootstrap evaluated; serves one run. */
export interface Isolate {
  readonly memoryMb: number;
  /** Receives what the guest sends; set once per run. */
  onSend: GuestSend;
  /** Evaluates the script text to its function. Throws what V8 says of its syntax. */
  compile(code: string): Promise<ScriptFunction>;
  /** One task in the isolate, with a full microtask drain. Rejects with an unhandled rejection or when disposed. */
  deliver(
    kind: string,
    seq: number,
    at: number,
    payload: string | ScriptFunction,
    ok: boolean,
  ): Promise<void>;
  cpuMs(): number;
  heapMb(): number;
  readonly isDisposed: boolean;
  dispose(): void;
}

export interface Engine {
  createIsolate(memoryMb: number): Isolate;
}

const NS_PER_MS = 1_000_000;
const BYTES_PER_MB = 1 << 20;

export function createEngine(options: EngineOptions): Engine {
  const vm = (createRequire(options.addonPath)(options.addonPath) as { ivm: typeof ivm }).ivm;
  const source = `(function () { "use strict"; ${options.guestSource}\nreturn __callgateGuest.boot; })()`;
  let cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  return {
    createIsolate(memoryMb) {
      // Empty until the guest is booted: memory may run out before.
      const booted: { isolate?: Isolate } = {};
      const isolate = new vm.Isolate({
        memoryLimit: memoryMb,
        onCatastrophicError: () => options.onCatastrophe(booted.isolate),
      });
      const context = isolate.createContextSync();
      // Security: cachedData is machine code; it is only ever made here, in this process, from this very source.
      const bootstrap = isolate.compileScriptSync(source, {
        filename: "callgate",
        ...(cachedData === undefined ? { produceCachedData: true } : { cachedData }),
      });
      cachedData ??= (bootstrap as { cachedData?: ivm.ExternalCopy<ArrayBuffer> }).cachedData;
      const boot = bootstrap.runSync(context, { reference: true }) as ivm.Reference<
        (send: unknown) => unknown
      >;
      const send = new vm.Callback(
        (type: string, seq: number, a: string, b: string, c: string, n: number) =>
          booted.isolate?.onSend(type, seq, a, b, c, n),
        { ignored: true },
      );
      const deliver = boot.applySync(undefined, [send], { result: { reference: true } }) as ivm.Reference<
        (...args: unknown[]) => void
      >;
      const bootCpu = isolate.cpuTime;
      // A disposed isolate answers no more; what was last seen then stands.
      let spentMs = 0;
      const self: Isolate = {
        memoryMb,
        onSend: () => {},
        async compile(code) {
          const script = await isolate.compileScript(code, { filename: "script.ts" });
          const reference = (await script.run(context, { reference: true })) as ivm.Reference;
          return reference.derefInto();
        },
        async deliver(kind, seq, at, payload, ok) {
          await deliver.apply(undefined, [kind, seq, at, payload, ok]);
        },
        cpuMs() {
          if (!isolate.isDisposed) spentMs = Number(isolate.cpuTime - bootCpu) / NS_PER_MS;
          return spentMs;
        },
        heapMb: () => isolate.getHeapStatisticsSync().used_heap_size / BYTES_PER_MB,
        get isDisposed() {
          return isolate.isDisposed;
        },
        dispose: () => {
          if (!isolate.isDisposed) isolate.dispose();
        },
      };
      booted.isolate = self;
      return self;
    },
  };
}
