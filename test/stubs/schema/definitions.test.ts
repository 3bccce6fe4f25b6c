import { expect, test } from "vitest";
import type { JsonObject } from "../../../contract/json.ts";
import { Definitions } from "../../../stubs/schema/definitions.ts";
import { verifies } from "../../requirements.ts";

const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

function kindsOf(
  root: JsonObject,
  taken: ReadonlySet<string> = new Set(),
): Readonly<Record<string, string | undefined>> {
  const definitions = new Definitions(root, "Input", taken);
  const names = Object.keys((root["$defs"] ?? {}) as JsonObject);
  return Object.fromEntries(
    names.map((name) => {
      const found = definitions.find(`#/$defs/${name}`);
      return [name, found?.kind === "named" ? found.name : found?.kind];
    }),
  );
}

test(
  verifies("stubs:references", "once and scalars inline, twice and recursive by name, unused not at all"),
  () => {
    const $defs = {
      once: object({ a: true }),
      twice: object({ a: true }),
      scalar: { type: "string" },
      loop: object({ next: ref("loop") }),
      unused: object({ a: true }),
    };
    const root = object({
      a: ref("once"),
      b: ref("twice"),
      c: ref("twice"),
      d: ref("scalar"),
      e: ref("scalar"),
      f: ref("loop"),
    });
    expect(kindsOf({ ...root, $defs })).toEqual({
      once: "inline",
      twice: "twice",
      scalar: "inline",
      loop: "loop",
      unused: undefined,
    });
  },
);

test(
  verifies(
    "stubs:references",
    "names are identifiers, apart from globals, from each other and from those taken",
  ),
  () => {
    const loop = (name: string): JsonObject => object({ next: ref(name) });
    const $defs = { Promise: loop("Promise"), "a-b": loop("a-b"), a_b: loop("a_b"), Node: loop("Node") };
    const root = { ...object({ p: ref("Promise"), q: ref("a-b"), r: ref("a_b"), s: ref("Node") }), $defs };
    const kinds = kindsOf(root, new Set(["Node"]));
    expect(kinds["Promise"]).toBe("Promise_");
    expect(new Set(Object.values(kinds)).size).toBe(4);
    expect(kinds["Node"]).toMatch(/^Node_[0-9a-f]{8}$/);
    for (const name of Object.values(kinds)) expect(name).toMatch(/^[A-Za-z_]\w*$/);
  },
);

test(
  verifies("stubs:deterministic", "a name does not depend on the order in which definitions are asked for"),
  () => {
    const $defs = { a: object({ x: ref("b"), y: ref("a") }), b: object({ x: ref("a") }) };
    const root = { ...object({ a: ref("a"), b: ref("b") }), $defs };
    const forward = new Definitions(root, "Input", new Set());
    const backward = new Definitions(root, "Input", new Set());
    const [a, b] = [forward.find("#/$defs/a"), forward.find("#/$defs/b")];
    expect([backward.find("#/$defs/b"), backward.find("#/$defs/a")]).toEqual([b, a]);
    expect([forward.next()?.name, forward.next()?.name, forward.next()]).toEqual(["a", "b", undefined]);
  },
);
