// Owns captured copies of the intrinsics that the bootstrap needs once a script has started.
//
// Security: rules for every file of the guest. A script may replace any method of any prototype, so bootstrap code
// - names no global (not even `globalThis`) inside a function: they are captured here;
// - calls methods through these functions, never `value.method()` on a built-in;
// - never iterates or spreads (`for...of`, `[...x]`, `[a] = x`), and uses no RegExp: all of them look methods up;
// - appends to a `safeList()`, because `array[i] = x` and `push` meet setters planted on Array.prototype;
// - writes property descriptors and internal records with `__proto__: null`.

type Method<This, Args extends readonly unknown[], Result> = (self: This, ...args: Args) => Result;
type AnyFunction = Function;

const { bind, call } = Function.prototype;
const uncurryThis = bind.bind(call as never) as (method: AnyFunction) => never;

/** The global object. The name `globalThis` itself is a property that a script may replace. */
export const globalObject: typeof globalThis = globalThis;

// Constructors
export const ArrayCtor: ArrayConstructor = Array;
export const ArrayBufferCtor: ArrayBufferConstructor = ArrayBuffer;
export const DataViewCtor: DataViewConstructor = DataView;
export const DateCtor: DateConstructor = Date;
export const ErrorCtor: ErrorConstructor = Error;
export const MapCtor: MapConstructor = Map;
export const NumberCtor: NumberConstructor = Number;
export const ObjectCtor: ObjectConstructor = Object;
export const PromiseCtor: PromiseConstructor = Promise;
export const ProxyCtor: ProxyConstructor = Proxy;
export const RangeErrorCtor: RangeErrorConstructor = RangeError;
export const RegExpCtor: RegExpConstructor = RegExp;
export const SetCtor: SetConstructor = Set;
export const StringCtor: StringConstructor = String;
export const TypeErrorCtor: TypeErrorConstructor = TypeError;
export const Uint8ArrayCtor: Uint8ArrayConstructor = Uint8Array;
export const WeakMapCtor: WeakMapConstructor = WeakMap;

// Namespaces and prototypes
export const ArrayPrototype: object = Array.prototype;
export const FunctionPrototype: object = Function.prototype;
export const IntlNamespace: typeof Intl = Intl;
export const MathObject: Math = Math;
export const ObjectPrototype: object = Object.prototype;

// Statics
export const ArrayIsArray: (value: unknown) => value is readonly unknown[] = Array.isArray;
export const ArrayBufferIsView: (value: unknown) => value is ArrayBufferView = ArrayBuffer.isView;
export const ErrorCaptureStackTrace: (target: object, below: object) => void = (
  Error as unknown as { captureStackTrace: (target: object, below: object) => void }
).captureStackTrace;
export const ErrorIsError: (value: unknown) => boolean = (
  Error as unknown as { isError: (value: unknown) => boolean }
).isError;
export const JSONParse: (
  text: string,
  reviver?: (this: unknown, key: string, value: unknown) => unknown,
) => unknown = JSON.parse;
/** Looks up `toJSON` on objects and arrays: give it null-prototype records where a script must not interfere. */
export const JSONStringify: {
  (value: string | number | boolean | null): string;
  (value: unknown, replacer?: unknown, space?: string | number): string | undefined;
} = JSON.stringify as never;
export const MathTrunc: (x: number) => number = Math.trunc;
export const NumberIsFinite: (value: unknown) => boolean = Number.isFinite;
export const NumberParseFloat: (text: string) => number = parseFloat;
export const NumberParseInt: (text: string, radix?: number) => number = parseInt;
export const ObjectCreate: (prototype: object | null) => Record<PropertyKey, unknown> = Object.create;
export const ObjectDefineProperty: <T extends object>(
  target: T,
  key: PropertyKey,
  descriptor: PropertyDescriptor & { __proto__: null },
) => T = Object.defineProperty;
export const ObjectFreeze: <T extends object>(value: T) => Readonly<T> = Object.freeze;
export const ObjectGetOwnPropertyDescriptor: (
  target: object,
  key: PropertyKey,
) => PropertyDescriptor | undefined = Object.getOwnPropertyDescriptor;
export const ObjectGetPrototypeOf: (value: object) => object | null = Object.getPrototypeOf;
export const ObjectKeys: (value: object) => readonly string[] = Object.keys;
export const ObjectSetPrototypeOf: <T extends object>(value: T, prototype: object | null) => T =
  Object.setPrototypeOf;
export const ReflectApply: <Result = unknown>(
  target: (...args: never[]) => Result,
  self: unknown,
  args: ArrayLike<unknown>,
) => Result = Reflect.apply as never;
export const ReflectConstruct: (
  target: AnyFunction,
  args: ArrayLike<unknown>,
  newTarget?: AnyFunction,
) => object = Reflect.construct as never;
export const ReflectDefineProperty: (
  target: object,
  key: PropertyKey,
  descriptor: PropertyDescriptor & { __proto__: null },
) => boolean = Reflect.defineProperty;
export const ReflectDeleteProperty: (target: object, key: PropertyKey) => boolean = Reflect.deleteProperty;
export const ReflectOwnKeys: (target: object) => readonly (string | symbol)[] = Reflect.ownKeys;
export const StringFromCharCode: (...units: number[]) => string = String.fromCharCode;
export const SymbolToStringTag: typeof Symbol.toStringTag = Symbol.toStringTag;

// Methods, with the receiver as the first argument
export const ArraySlice: Method<ArrayLike<unknown>, [number?, number?], unknown[]> = uncurryThis(
  Array.prototype.slice,
);
export const BigIntToString: Method<bigint, [number?], string> = uncurryThis(BigInt.prototype.toString);
export const BigIntValueOf: Method<unknown, [], bigint> = uncurryThis(BigInt.prototype.valueOf);
export const BooleanValueOf: Method<unknown, [], boolean> = uncurryThis(Boolean.prototype.valueOf);
export const DateGetTime: Method<unknown, [], number> = uncurryThis(Date.prototype.getTime);
export const DateToString: Method<Date, [], string> = uncurryThis(Date.prototype.toString);
export const DateToISOString: Method<unknown, [], string> = uncurryThis(Date.prototype.toISOString);
export const FunctionToString: Method<unknown, [], string> = uncurryThis(Function.prototype.toString);
export const MapForEach: Method<unknown, [(value: unknown, key: unknown) => void], void> = uncurryThis(
  Map.prototype.forEach,
);
const MapGet: Method<Map<unknown, unknown>, [unknown], unknown> = uncurryThis(Map.prototype.get);
const MapHas: Method<unknown, [unknown], boolean> = uncurryThis(Map.prototype.has);
export const MapSet: Method<Map<unknown, unknown>, [unknown, unknown], unknown> = uncurryThis(
  Map.prototype.set,
);
const MapDelete: Method<Map<unknown, unknown>, [unknown], boolean> = uncurryThis(Map.prototype.delete);
const MapClear: Method<Map<unknown, unknown>, [], void> = uncurryThis(Map.prototype.clear);
export const NumberToString: Method<number, [number?], string> = uncurryThis(Number.prototype.toString);
export const NumberValueOf: Method<unknown, [], number> = uncurryThis(Number.prototype.valueOf);
export const ObjectHasOwnProperty: Method<unknown, [PropertyKey], boolean> = uncurryThis(
  Object.prototype.hasOwnProperty,
);
export const SetAdd: Method<Set<unknown>, [unknown], unknown> = uncurryThis(Set.prototype.add);
export const SetForEach: Method<unknown, [(value: unknown) => void], void> = uncurryThis(
  Set.prototype.forEach,
);
export const StringCharCodeAt: Method<string, [number], number> = uncurryThis(String.prototype.charCodeAt);
export const StringIndexOf: Method<string, [string, number?], number> = uncurryThis(String.prototype.indexOf);
export const StringPadStart: Method<string, [number, string?], string> = uncurryThis(
  String.prototype.padStart,
);
export const StringRepeat: Method<string, [number], string> = uncurryThis(String.prototype.repeat);
export const StringSlice: Method<string, [number?, number?], string> = uncurryThis(String.prototype.slice);
export const StringToLowerCase: Method<string, [], string> = uncurryThis(String.prototype.toLowerCase);
export const StringTrim: Method<string, [], string> = uncurryThis(String.prototype.trim);
export const StringValueOf: Method<unknown, [], string> = uncurryThis(String.prototype.valueOf);
export const SymbolToString: Method<unknown, [], string> = uncurryThis(Symbol.prototype.toString);
export const SymbolValueOf: Method<unknown, [], symbol> = uncurryThis(Symbol.prototype.valueOf);
export const WeakMapGet: Method<WeakMap<object, unknown>, [object], unknown> = uncurryThis(
  WeakMap.prototype.get,
);
export const WeakMapHas: Method<unknown, [unknown], boolean> = uncurryThis(WeakMap.prototype.has);
export const WeakMapSet: Method<WeakMap<object, unknown>, [object, unknown], unknown> = uncurryThis(
  WeakMap.prototype.set,
);

// Iterators, and getters as functions
interface Step {
  readonly done?: boolean;
  readonly value: unknown;
}
const getter = (prototype: unknown, name: PropertyKey): never =>
  uncurryThis(ObjectGetOwnPropertyDescriptor(prototype as object, name)?.get as AnyFunction);

/** An own getter of `prototype` as a function of the receiver. */
export const getterOf: (prototype: object, name: PropertyKey) => (self: never) => unknown = getter;
/** An own method of `prototype` as a function of the receiver. */
export const methodOf = (prototype: object, name: PropertyKey): ((self: never) => unknown) =>
  uncurryThis(ObjectGetOwnPropertyDescriptor(prototype, name)?.value as AnyFunction);
const next = (iterator: object): never =>
  uncurryThis((Object.getPrototypeOf(iterator) as Iterator<unknown>).next as AnyFunction);
const TypedArrayPrototype: unknown = Object.getPrototypeOf(Uint8Array.prototype);

export const ArrayBufferByteLength: Method<unknown, [], number> = getter(ArrayBuffer.prototype, "byteLength");
export const DataViewBuffer: Method<unknown, [], ArrayBuffer> = getter(DataView.prototype, "buffer");
export const DataViewByteLength: Method<unknown, [], number> = getter(DataView.prototype, "byteLength");
export const DataViewByteOffset: Method<unknown, [], number> = getter(DataView.prototype, "byteOffset");
export const MapEntries: Method<unknown, [], object> = uncurryThis(Map.prototype.entries);
export const MapIteratorNext: Method<object, [], Step> = next(new Map().entries());
export const MapSize: Method<unknown, [], number> = getter(Map.prototype, "size");
export const RegExpSource: Method<unknown, [], string> = getter(RegExp.prototype, "source");
export const SetIteratorNext: Method<object, [], Step> = next(new Set().values());
export const SetSize: Method<unknown, [], number> = getter(Set.prototype, "size");
export const SetValues: Method<unknown, [], object> = uncurryThis(Set.prototype.values);
export const ArrayBufferTransfer: Method<unknown, [], ArrayBuffer> = uncurryThis(
  ArrayBuffer.prototype.transfer,
);
export const TypedArraySet: Method<Uint8Array, [Uint8Array], void> = uncurryThis(Uint8Array.prototype.set);
export const TypedArrayBuffer: Method<unknown, [], ArrayBuffer> = getter(TypedArrayPrototype, "buffer");
export const TypedArrayByteLength: Method<unknown, [], number> = getter(TypedArrayPrototype, "byteLength");
export const TypedArrayByteOffset: Method<unknown, [], number> = getter(TypedArrayPrototype, "byteOffset");
export const TypedArrayLength: Method<unknown, [], number> = getter(TypedArrayPrototype, "length");
/** `"Uint8Array"` and so on; `undefined` for anything else. */
export const TypedArrayName: Method<unknown, [], string | undefined> = getter(
  TypedArrayPrototype,
  Symbol.toStringTag,
);

const flagGetters: readonly Method<unknown, [], boolean>[] = [
  getter(RegExp.prototype, "hasIndices"),
  getter(RegExp.prototype, "global"),
  getter(RegExp.prototype, "ignoreCase"),
  getter(RegExp.prototype, "multiline"),
  getter(RegExp.prototype, "dotAll"),
  getter(RegExp.prototype, "unicode"),
  getter(RegExp.prototype, "unicodeSets"),
  getter(RegExp.prototype, "sticky"),
];
const FLAG_LETTERS = "dgimsuvy";

/** The flags of a RegExp, read from its slots. */
export function RegExpFlags(value: unknown): string {
  let flags = "";
  for (let i = 0; i < flagGetters.length; i++) {
    if ((flagGetters[i] as Method<unknown, [], boolean>)(value)) flags += FLAG_LETTERS[i] as string;
  }
  return flags;
}

const nativeReject = Promise.reject;

/** A rejected promise. */
export function PromiseReject(reason: unknown): Promise<never> {
  return ReflectApply<Promise<never>>(nativeReject as never, PromiseCtor, [reason]);
}

const nativeThen: Method<unknown, [unknown, unknown], unknown> = uncurryThis(Promise.prototype.then);
const noConstructor = { __proto__: null, value: undefined, configurable: true } as const;

/**
 * `Promise.prototype.then` that no script can watch: the species look-up (`promise.constructor`), which a script can plant
 * on Promise.prototype, is hidden while the reactions are attached. Returns the derived native promise.
 */
export function PromiseThen(
  promise: Promise<unknown>,
  onFulfilled: ((value: unknown) => unknown) | undefined,
  onRejected?: (reason: unknown) => unknown,
): Promise<unknown> {
  const hidden = !ObjectHasOwnProperty(promise, "constructor");
  if (hidden) ReflectDefineProperty(promise, "constructor", noConstructor);
  try {
    return nativeThen(promise, onFulfilled, onRejected) as Promise<unknown>;
  } finally {
    if (hidden) ReflectDeleteProperty(promise, "constructor");
  }
}

const settled: Promise<void> = Promise.resolve();

/** Runs `task` as a microtask. What it throws is an unhandled rejection. */
export function enqueueMicrotask(task: () => void): void {
  void PromiseThen(settled, task);
}

/** Makes `error` an unhandled rejection of the current task. */
export function reportUnhandled(error: unknown): void {
  void new PromiseCtor((_resolve, reject) => reject(error));
}

/** An empty array without a prototype: index writes meet no planted setters. Nothing but `length` and indexes works on it. */
export function safeList<T>(): T[] {
  return ObjectSetPrototypeOf<T[]>([], null);
}

/** Appends to a `safeList`. */
export function append<T>(list: T[], value: T): void {
  list[list.length] = value;
}

/** A map whose methods a script cannot replace. */
export class SafeMap<Key, Value> {
  readonly #map: Map<unknown, unknown> = new MapCtor();

  get size(): number {
    return MapSize(this.#map);
  }
  get(key: Key): Value | undefined {
    return MapGet(this.#map, key) as Value | undefined;
  }
  has(key: Key): boolean {
    return MapHas(this.#map, key);
  }
  set(key: Key, value: Value): void {
    MapSet(this.#map, key, value);
  }
  delete(key: Key): boolean {
    return MapDelete(this.#map, key);
  }
  clear(): void {
    MapClear(this.#map);
  }
  forEach(visit: (value: Value, key: Key) => void): void {
    MapForEach(this.#map, visit as (value: unknown, key: unknown) => void);
  }
}
ObjectFreeze(SafeMap.prototype);

const errorCtors = new SafeMap<string, AnyFunction>();
errorCtors.set("EvalError", EvalError);
errorCtors.set("RangeError", RangeError);
errorCtors.set("ReferenceError", ReferenceError);
errorCtors.set("SyntaxError", SyntaxError);
errorCtors.set("TypeError", TypeError);
errorCtors.set("URIError", URIError);

/** The built-in error class of that name, else Error. */
export function errorCtorOf(name: string): AnyFunction {
  return errorCtors.get(name) ?? ErrorCtor;
}

const typedArrayCtors = new SafeMap<string, AnyFunction>();
typedArrayCtors.set("BigInt64Array", BigInt64Array);
typedArrayCtors.set("BigUint64Array", BigUint64Array);
typedArrayCtors.set("Float32Array", Float32Array);
typedArrayCtors.set("Float64Array", Float64Array);
typedArrayCtors.set("Int16Array", Int16Array);
typedArrayCtors.set("Int32Array", Int32Array);
typedArrayCtors.set("Int8Array", Int8Array);
typedArrayCtors.set("Uint16Array", Uint16Array);
typedArrayCtors.set("Uint32Array", Uint32Array);
typedArrayCtors.set("Uint8Array", Uint8Array);
typedArrayCtors.set("Uint8ClampedArray", Uint8ClampedArray);
const float16 = (globalObject as { Float16Array?: AnyFunction }).Float16Array;
if (float16 !== undefined) typedArrayCtors.set("Float16Array", float16);

/** The typed array class of that name. */
export function typedArrayCtorOf(name: string): AnyFunction {
  return typedArrayCtors.get(name) ?? Uint8ArrayCtor;
}
