// Owns the degraded form of a schema that a server sent: what the stub and the validator both go by.
import type { JsonObject } from "../json.ts";
import { own } from "../json.ts";
import { repairInexact } from "./exact.ts";
import { dialectOf, type Dialect } from "./keywords.ts";
import { cutCycles, linkReferences } from "./references.ts";
import { SchemaWalk } from "./walk.ts";

export type { Dialect } from "./keywords.ts";

export interface DegradedSchema {
  /** Only keywords that may be trusted: standard, well formed, local references in normal form. */
  readonly schema: JsonObject;
  readonly dialect: Dialect;
  /** What was dropped or widened and why, at most 24 sentences, showable. */
  readonly notes: readonly string[];
}

/**
 * Drops what must be ignored: references that are not local or point nowhere, unsafe or uncompilable
 * patterns, malformed keywords, extensions. Accepts every value the schema accepts, never fewer. Picks
 * the dialect from `$schema` (default 2020-12). Never throws, never mutates, never fetches; at most
 * 20,000 schemas, 200 levels.
 */
export function degradeSchema(schema: JsonObject): DegradedSchema {
  const { dialect, known } = dialectOf(schema);
  const walk = new SchemaWalk(schema, dialect);
  if (!known) walk.note("#", "names a dialect that is not supported, read as 2020-12");
  const root = walk.start();
  linkReferences(walk, root);
  cutCycles(walk);
  repairInexact(walk);
  return { schema: root, dialect, notes: walk.notes };
}

/**
 * `degradeSchema` for tool arguments: always an object, and a top-level property that has a default need
 * not be given although it is listed as required (the server fills it in).
 */
export function degradeInputSchema(schema: JsonObject): DegradedSchema {
  const degraded = degradeSchema(schema);
  const { required, properties } = degraded.schema;
  if (!Array.isArray(required) || properties === undefined) return degraded;
  const needed = (required as readonly string[]).filter((name) => {
    const property = own(properties as JsonObject, name);
    return typeof property !== "object" || property === null || !Object.hasOwn(property, "default");
  });
  return { ...degraded, schema: { ...degraded.schema, required: needed } };
}
