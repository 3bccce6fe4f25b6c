// Owns the degraded form of a schema that a server sent: what the stub and the validator both go by.
import { isJsonObject, own, type JsonObject } from "../json.ts";
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
  // A server can send anything in the place of a schema.
  const source = isJsonObject(schema) ? schema : {};
  const { dialect, known } = dialectOf(source);
  const walk = new SchemaWalk(source, dialect);
  if (source !== schema) walk.note("#", "is not a schema, so it accepts anything");
  if (!known) walk.note("#", "names a dialect that is not supported, read as 2020-12");
  const root = walk.start();
  linkReferences(walk, root);
  cutCycles(walk);
  repairInexact(walk);
  return { schema: root, dialect, notes: walk.notes };
}

/**
 * `degradeSchema` for tool arguments: a top-level argument that has a default need not be given although it
 * is listed as required, since the server fills it in. A choice from a list stays required: it is worth making.
 */
export function degradeInputSchema(schema: JsonObject): DegradedSchema {
  const degraded = degradeSchema(schema);
  const { required, properties } = degraded.schema;
  if (!Array.isArray(required) || !isJsonObject(properties)) return degraded;
  const needed = (required as readonly string[]).filter((name) => !isFilledIn(own(properties, name)));
  return { ...degraded, schema: { ...degraded.schema, required: needed } };
}

function isFilledIn(property: unknown): boolean {
  return isJsonObject(property) && Object.hasOwn(property, "default") && !Object.hasOwn(property, "enum");
}
