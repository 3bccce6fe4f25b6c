// Owns the derived forms of the arguments of one call, each worked out once per decision.
import type { JsonObject } from "../../contract/json.ts";
import { fold } from "./fold.ts";
import { readUrl, type ReadUrl } from "./host.ts";
import type { LiteralSet } from "./literals.ts";
import { readPath, type ReadPath } from "./under.ts";

const NONE: readonly string[] = [];

/** The arguments as the matchers of many rules see them. */
export class Reading {
  readonly arguments: JsonObject;
  readonly literals: LiteralSet | undefined;
  readonly folded: (text: string) => string = once(fold);
  readonly path: (text: string) => ReadPath | undefined = once(readPath);
  readonly url: (text: string) => ReadUrl | undefined = once(readUrl);

  readonly #names: WeakMap<JsonObject, ReadonlyMap<string, readonly string[]>> = new WeakMap();

  constructor(args: JsonObject, literals: LiteralSet | undefined) {
    this.arguments = args;
    this.literals = literals;
  }

  /** Other names of the object that a person or a server may take for this one. */
  readonly twins = (object: JsonObject, name: string): readonly string[] => {
    let names = this.#names.get(object);
    if (names === undefined) {
      names = Map.groupBy(Object.keys(object), this.folded);
      this.#names.set(object, names);
    }
    return (names.get(this.folded(name)) ?? NONE).filter((other) => other !== name);
  };
}

function once<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (known.has(text)) return known.get(text) as T;
    const result = work(text);
    known.set(text, result);
    return result;
  };
}
