// Owns running one JSON Schema of a server over one value, in bounded time.
import { dereference, validate, type OutputUnit, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import type { JsonObject, JsonValue } from "../contract/json.ts";
import { isJsonObject } from "../contract/json.ts";
import type { DegradedSchema, Dialect } from "../contract/schema/degrade.ts";

/** Subschema evaluations spent on one value: a base, some for each part of it, and never more than the last. */
const STEPS = { base: 100_000, each: 50, most: 2_000_000 };
/** Longest text, in UTF-16 units, on which patterns are tried. */
const MAX_PATTERN_SUBJECT = 1_000;

const DRAFTS: Readonly<Record<Dialect, SchemaDraft>> = {
  "draft-04": "4",
  "draft-07": "7",
  "2019-09": "2019-09",
  "2020-12": "2020-12",
};

export interface CompiledSchema {
  readonly schema: Schema;
  readonly lookup: Record<string, Schema | boolean>;
  readonly draft: SchemaDraft;
}

export interface SchemaChecker {
  readonly full: CompiledSchema;
  /** Without patterns, for values with long texts. */
  readonly patternless: () => CompiledSchema;
}

/** Errors as the validator lists them; `unfinished` when the value needs too much work or cannot be walked. */
export type SchemaVerdict =
  | { readonly type: "valid" }
  | { readonly type: "invalid"; readonly errors: readonly OutputUnit[]; readonly by: CompiledSchema }
  | { readonly type: "unfinished" };

class StepLimit extends Error {}
let stepsLeft = 0;

/** Prepares a schema; `degrade` makes it safe and exact for its dialect. */
export function compileSchema(
  schema: JsonObject,
  degrade: (schema: JsonObject) => DegradedSchema,
): SchemaChecker {
  let patternless: CompiledSchema | undefined;
  const full = compile(degrade(schema));
  return {
    full,
    patternless: () => (patternless ??= compile(degrade(spoilPatterns(schema, false) as JsonObject))),
  };
}

/** Checks a value in at most two million steps; patterns are skipped when a text is longer than 1 000. */
export function checkValue(checker: SchemaChecker, value: JsonValue): SchemaVerdict {
  const { parts, hasLongText } = measure(value);
  const compiled = hasLongText ? checker.patternless() : checker.full;
  const budget = Math.min(STEPS.base + STEPS.each * parts, STEPS.most);
  try {
    const quick = run(compiled, value, budget, true);
    if (quick.length === 0) return { type: "valid" };
    return { type: "invalid", errors: runAgain(compiled, value, budget) ?? quick, by: compiled };
  } catch (error) {
    // A property name with half a surrogate pair cannot be written as a pointer.
    if (error instanceof StepLimit || error instanceof URIError || error instanceof RangeError) {
      return { type: "unfinished" };
    }
    throw error;
  }
}

// All errors instead of the first one; when that is too much, the first one has to do.
function runAgain(
  compiled: CompiledSchema,
  value: JsonValue,
  budget: number,
): readonly OutputUnit[] | undefined {
  try {
    return run(compiled, value, budget, false);
  } catch {
    return undefined;
  }
}

function run(
  { schema, lookup, draft }: CompiledSchema,
  value: JsonValue,
  budget: number,
  stopEarly: boolean,
): readonly OutputUnit[] {
  stepsLeft = budget;
  return validate(value, schema, draft, lookup, stopEarly).errors;
}

function compile({ schema, dialect }: DegradedSchema): CompiledSchema {
  const draft = DRAFTS[dialect];
  try {
    const lookup = dereference(schema as Schema);
    for (const part of new Set(Object.values(lookup))) if (typeof part === "object") instrument(part);
    return { schema: schema as Schema, lookup, draft };
  } catch {
    // A schema the validator cannot index takes anything; the server checks its arguments itself.
    return { schema: {}, lookup: dereference({}), draft };
  }
}

// The validator reads `type` of a schema each time it applies it: counting there bounds its work, which can be
// exponential in the depth of a value. Formats are annotations, and the validator would enforce them.
function instrument(part: Schema): void {
  if (typeof part.format === "string") delete part.format;
  const { type } = part;
  Object.defineProperty(part, "type", {
    enumerable: Object.hasOwn(part, "type"),
    get: () => {
      if (--stepsLeft < 0) throw new StepLimit();
      return type;
    },
  });
}

function measure(value: JsonValue): { readonly parts: number; readonly hasLongText: boolean } {
  const waiting = [value];
  let parts = 0;
  let longest = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    parts++;
    if (typeof next === "string") longest = Math.max(longest, next.length);
    else if (typeof next === "object" && next !== null) {
      for (const [name, member] of Object.entries(next) as [string, JsonValue][]) {
        longest = Math.max(longest, name.length);
        waiting.push(member);
      }
    }
  }
  return { parts, hasLongText: longest > MAX_PATTERN_SUBJECT };
}

const NAME_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

// Makes every pattern one that does not compile: `degrade` then leaves it out and widens what depended on it.
function spoilPatterns(value: JsonValue, isNameMap: boolean, isPatternMap: boolean = false): JsonValue {
  if (Array.isArray(value)) return value.map((member) => spoilPatterns(member as JsonValue, false));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (isNameMap) return [isPatternMap ? `(${key}` : key, spoilPatterns(member, false)];
      if (key === "pattern" && typeof member === "string") return [key, "("];
      if (DATA.has(key)) return [key, member];
      return [key, spoilPatterns(member, NAME_MAPS.has(key), key === "patternProperties")];
    }),
  );
}
