// Owns the repair of keywords that would turn a wider part into a narrower whole.
import type { JsonValue } from "../json.ts";
import { append } from "./graph.ts";
import type { Copy, SchemaWalk } from "./walk.ts";

/**
 * A part that accepts more than its source makes `not`, `if`, `oneOf` and the like refuse values that the
 * source accepts. Those keywords go, or turn into their wider form.
 */
export function repairInexact(walk: SchemaWalk): void {
  if (walk.inexact.size === 0) return;
  const holders = new Map<Copy, Copy[]>();
  for (const { from, to } of walk.edges) append(holders, to, from);
  const reached = [...walk.inexact];
  for (let copy = reached.pop(); copy !== undefined; copy = reached.pop()) {
    for (const holder of holders.get(copy) ?? []) {
      if (walk.inexact.has(holder)) continue;
      walk.inexact.add(holder);
      reached.push(holder);
    }
  }
  for (const copy of walk.inexact) repair(copy, walk.inexact);
  for (const copy of walk.opened) copy["additionalProperties"] = true;
}

function repair(copy: Copy, inexact: ReadonlySet<Copy>): void {
  const isInexact = (part: JsonValue | undefined): boolean => inexact.has(part as Copy);
  if (isInexact(copy["not"])) delete copy["not"];
  if (isInexact(copy["if"])) for (const keyword of ["if", "then", "else"]) delete copy[keyword];
  if (isInexact(copy["contains"])) delete copy["maxContains"];
  const oneOf = copy["oneOf"] as readonly JsonValue[] | undefined;
  if (oneOf?.some(isInexact) === true) {
    delete copy["oneOf"];
    if (copy["anyOf"] === undefined) copy["anyOf"] = oneOf;
    else copy["allOf"] = [...((copy["allOf"] as readonly JsonValue[] | undefined) ?? []), { anyOf: oneOf }];
  }
  for (const keyword of ["unevaluatedProperties", "unevaluatedItems"]) {
    if (copy[keyword] !== undefined && copy[keyword] !== true) delete copy[keyword];
  }
}
