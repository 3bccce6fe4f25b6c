// Owns the printed form of a value: bounded in depth, entries, length of strings and total, and free of the script's code.
import {
  ArrayIsArray,
  ErrorIsError,
  ObjectGetOwnPropertyDescriptor,
  ObjectHasOwnProperty,
  ObjectPrototype,
  ReflectOwnKeys,
  StringIndexOf,
  StringRepeat,
  SymbolToString,
  SymbolToStringTag,
  append,
  safeList,
} from "../primordials.ts";
import { MAX_ITEMS, findKind } from "./inspect-kinds.ts";
import { withoutProxy } from "./proxy.ts";
import { chainData, className, functionName, functionTitle, prototypeOf } from "./reflect.ts";
import { bigintText, cutText, isPlainName, moreItems, numberText, quote } from "./text-limits.ts";

const MAX_KEYS = 200;
const MAX_STRING = 10_000;
const MAX_MESSAGE = 16_384;
const MAX_NAME = 200;
const LINE_WIDTH = 76;
/** Properties beside the elements are looked for in arrays up to this long. */
const MAX_ARRAY_WITH_KEYS = 1_000;

/** One printing: carries what is left of the budget and the objects that are being printed. */
export class Inspection {
  readonly #ancestors: object[] = safeList<object>();
  readonly #maxDepth: number;
  #left: number;

  /** @param left UTF-16 units to spend. */
  constructor(maxDepth: number, left: number) {
    this.#maxDepth = maxDepth;
    this.#left = left;
  }

  /** The text of `value`, printed at nesting level `depth` and `indent` columns in. */
  value(value: unknown, depth: number, indent: number): string {
    if (this.#left <= 0) return "...";
    const text =
      (typeof value === "object" && value !== null) || typeof value === "function"
        ? this.#object(withoutProxy(value), depth, indent)
        : this.#primitive(value);
    this.#left -= 2;
    return text;
  }

  #spend(text: string): string {
    this.#left -= text.length;
    return text;
  }

  #primitive(value: unknown): string {
    switch (typeof value) {
      case "string":
        return this.#spend(quote(value, this.#left < MAX_STRING ? this.#left : MAX_STRING));
      case "number":
        return this.#spend(numberText(value));
      case "bigint":
        return this.#spend(bigintText(value));
      case "symbol":
        return this.#spend(cutText(SymbolToString(value), MAX_NAME));
      default:
        return this.#spend(
          value === null ? "null" : value === undefined ? "undefined" : value === true ? "true" : "false",
        );
    }
  }

  #object(value: object, depth: number, indent: number): string {
    for (let i = 0; i < this.#ancestors.length; i++) {
      if (this.#ancestors[i] === value) return this.#spend("[Circular]");
    }
    const name = cutText(className(value), MAX_NAME);
    if (depth > this.#maxDepth && typeof value !== "function" && !ErrorIsError(value)) {
      return this.#spend(`[${name === "" ? "Object: null prototype" : name}]`);
    }
    append(this.#ancestors, value);
    const text = this.#open(value, name, depth, indent);
    this.#ancestors.length -= 1;
    return text;
  }

  #open(value: object, name: string, depth: number, indent: number): string {
    const entries = safeList<string>();
    const inner = indent + 2;
    if (ArrayIsArray(value)) {
      const prefix =
        name === "Array" ? "" : `${name === "" ? "[Array: null prototype]" : name}(${value.length}) `;
      this.#elements(value, entries, depth, inner);
      if (value.length <= MAX_ARRAY_WITH_KEYS) this.#properties(value, entries, depth, inner, true);
      return this.#layout(prefix, "[", "]", entries, indent);
    }
    if (typeof value === "function") {
      const base = `[${functionTitle(value, cutText(functionName(value), MAX_NAME))}]`;
      if (depth > this.#maxDepth) return this.#spend(base);
      this.#properties(value, entries, depth, inner, false);
      return entries.length === 0 ? this.#spend(base) : this.#layout(`${base} `, "{", "}", entries, indent);
    }
    if (ErrorIsError(value)) return this.#error(value, name, entries, depth, indent);
    const prototype = prototypeOf(value);
    const kind = prototype === null || prototype === ObjectPrototype ? undefined : findKind(value);
    let prefix = name === "Object" ? "" : name === "" ? "[Object: null prototype] " : `${name} `;
    if (kind === undefined) {
      const tag = chainData(value, SymbolToStringTag);
      if (typeof tag === "string" && tag !== "" && tag !== name) {
        prefix = `${name === "" ? "[Object: null prototype]" : name} [${cutText(tag, MAX_NAME)}] `;
      }
      this.#properties(value, entries, depth, inner, false);
      return this.#layout(prefix, "{", "}", entries, indent);
    }
    if (kind.fill !== undefined) kind.fill(value, entries, (item) => this.value(item, depth + 1, inner));
    const indexed = kind.indexed === true;
    const size = kind.size === undefined ? 0 : kind.size(value);
    const withKeys = !indexed || size <= MAX_ARRAY_WITH_KEYS;
    if (kind.base !== undefined) {
      const base = kind.base(value, name);
      if (withKeys) this.#properties(value, entries, depth, inner, indexed);
      if (entries.length === 0) return this.#spend(base);
      return this.#layout(`${base} `, "{", "}", entries, indent);
    }
    if (kind.size !== undefined) prefix = `${name}(${size}) `;
    if (withKeys) this.#properties(value, entries, depth, inner, indexed);
    return this.#layout(prefix, indexed ? "[" : "{", indexed ? "]" : "}", entries, indent);
  }

  #error(value: object, name: string, entries: string[], depth: number, indent: number): string {
    const own = chainData(value, "name");
    const message = chainData(value, "message");
    let title = typeof own === "string" && own !== "" ? cutText(own, MAX_NAME) : "Error";
    if (title === "Error" && name !== "" && name !== "Object") title = name;
    if (typeof message === "string" && message !== "") title += `: ${cutText(message, MAX_MESSAGE)}`;
    const inner = indent + 2;
    if (depth <= this.#maxDepth) {
      this.#hidden(value, "cause", entries, depth, inner);
      this.#hidden(value, "errors", entries, depth, inner);
      this.#properties(value, entries, depth, inner, false, "name");
    }
    const base = depth > 0 ? `[${title}]` : title;
    return entries.length === 0 ? this.#spend(base) : this.#layout(`${base} `, "{", "}", entries, indent);
  }

  #hidden(value: object, key: string, entries: string[], depth: number, indent: number): void {
    const descriptor = ObjectGetOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || descriptor.enumerable === true) return;
    append(entries, `[${key}]: ${this.#described(descriptor, depth, indent)}`);
  }

  #elements(list: readonly unknown[], entries: string[], depth: number, indent: number): void {
    let index = 0;
    for (; index < list.length && entries.length < MAX_ITEMS && this.#left > 0;) {
      let holes = 0;
      while (
        index + holes < list.length &&
        holes < MAX_ARRAY_WITH_KEYS &&
        !ObjectHasOwnProperty(list, index + holes)
      ) {
        holes += 1;
      }
      if (holes > 0) {
        append(entries, this.#spend(`<${holes} empty item${holes > 1 ? "s" : ""}>`));
        index += holes;
        if (holes === MAX_ARRAY_WITH_KEYS) break;
        continue;
      }
      const descriptor = ObjectGetOwnPropertyDescriptor(list, index) as PropertyDescriptor;
      append(entries, this.#described(descriptor, depth, indent));
      index += 1;
    }
    if (index < list.length) append(entries, moreItems(list.length - index));
  }

  #properties(
    value: object,
    entries: string[],
    depth: number,
    indent: number,
    skipIndexes: boolean,
    skip?: string,
  ): void {
    const keys = ReflectOwnKeys(value);
    this.#left -= keys.length >> 4;
    let shown = 0;
    let i = 0;
    for (; i < keys.length && shown < MAX_KEYS && this.#left > 0; i++) {
      const key = keys[i] as string | symbol;
      if (key === skip || (skipIndexes && typeof key === "string" && isIndex(key))) continue;
      const descriptor = ObjectGetOwnPropertyDescriptor(value, key);
      if (descriptor === undefined || descriptor.enumerable !== true) continue;
      const name = this.#spend(keyText(key));
      append(entries, `${name}: ${this.#described(descriptor, depth, indent)}`);
      shown += 1;
    }
    if (i < keys.length) append(entries, `... ${keys.length - i} more properties`);
  }

  #described(descriptor: PropertyDescriptor, depth: number, indent: number): string {
    if (ObjectHasOwnProperty(descriptor, "value")) return this.value(descriptor.value, depth + 1, indent);
    const readable = descriptor.get !== undefined;
    return this.#spend(
      !readable ? "[Setter]" : descriptor.set === undefined ? "[Getter]" : "[Getter/Setter]",
    );
  }

  #layout(prefix: string, open: string, close: string, entries: string[], indent: number): string {
    this.#left -= prefix.length + 2 + entries.length * 2;
    if (entries.length === 0) return `${prefix}${open}${close}`;
    let total = prefix.length + indent + entries.length;
    let lined = true;
    let short = true;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as string;
      total += entry.length + 1;
      if (entry.length > 16 && !(i === entries.length - 1 && i >= MAX_ITEMS)) short = false;
      if (total > LINE_WIDTH || (lined && StringIndexOf(entry, "\n") !== -1)) lined = false;
    }
    if (lined) return `${prefix}${open} ${join(entries, ", ")} ${close}`;
    const edge = `\n${StringRepeat(" ", indent)}`;
    // Many short elements of a list share lines; everything else gets a line each.
    const body =
      open === "[" && short && entries.length > 6 ? fill(entries, `,${edge}  `) : join(entries, `,${edge}  `);
    return `${prefix}${open}${edge}  ${body}${edge}${close}`;
  }
}

function join(entries: readonly string[], separator: string): string {
  let out = "";
  for (let i = 0; i < entries.length; i++) out += (i === 0 ? "" : separator) + (entries[i] as string);
  return out;
}

function fill(entries: readonly string[], separator: string): string {
  let out = "";
  let width = 0;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as string;
    const fits = width + entry.length + 2 <= LINE_WIDTH;
    out += i === 0 ? entry : (fits ? ", " : separator) + entry;
    width = fits ? width + entry.length + 2 : entry.length;
  }
  return out;
}

function keyText(key: string | symbol): string {
  if (typeof key === "symbol") return `[${cutText(SymbolToString(key), MAX_NAME)}]`;
  if (key === "__proto__") return "['__proto__']";
  return isPlainName(key) ? key : quote(key, MAX_NAME);
}

function isIndex(key: string): boolean {
  if (key.length === 0 || key.length > 10) return false;
  for (let i = 0; i < key.length; i++) {
    const digit = key[i] as string;
    if (digit < "0" || digit > "9") return false;
  }
  return true;
}
