// Owns the types of one tool: what it takes, whether it can be called without, and what it gives.
import { degradeInputSchema, degradeSchema } from "../../contract/schema/degrade.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { buildType, TYPE_LIMITS, type TypeLimits } from "./build.ts";
import { OPEN_OBJECT, type SchemaType, type TypeNode } from "./type-tree.ts";

export interface ToolType {
  readonly input: SchemaType;
  /** True when `{}` is a valid argument, so that the call may have none. */
  readonly inputOptional: boolean;
  /** Absent without an `outputSchema`. */
  readonly output?: SchemaType;
  readonly notes: readonly string[];
}

/** The type of a tool of which nothing can be shown. */
export const LOOSE_TOOL: ToolType = {
  input: { type: OPEN_OBJECT, definitions: [], notes: [] },
  inputOptional: true,
  notes: [],
};

/** The types of a tool. A bad schema costs its own precision only. Never throws. */
export function toolType(tool: ToolDefinition, limits: TypeLimits = TYPE_LIMITS): ToolType {
  const degraded = degradeInputSchema(tool.inputSchema);
  const input = buildType(degraded, { root: "object", rootName: "Input", limits });
  const notes = [...degraded.notes, ...input.notes].map((note) => `input ${note}`);
  const inputOptional = acceptsEmpty(
    input.type,
    new Map(input.definitions.map(({ name, type }) => [name, type])),
    0,
  );
  if (tool.outputSchema === undefined) return { input, inputOptional, notes };
  const degradedOutput = degradeSchema(tool.outputSchema);
  const output = buildType(degradedOutput, {
    root: "any",
    rootName: "Output",
    taken: new Set(input.definitions.map(({ name }) => name)),
    limits,
  });
  notes.push(...[...degradedOutput.notes, ...output.notes].map((note) => `output ${note}`));
  return { input, inputOptional, output, notes };
}

function acceptsEmpty(type: TypeNode, definitions: ReadonlyMap<string, TypeNode>, depth: number): boolean {
  switch (type.kind) {
    case "unknown":
      return true;
    case "object":
      return type.properties.every(({ optional }) => optional);
    case "union":
      return type.members.some((member) => acceptsEmpty(member, definitions, depth));
    case "intersection":
      return type.members.every((member) => acceptsEmpty(member, definitions, depth));
    case "reference": {
      const target = definitions.get(type.name);
      return target !== undefined && depth < 20 && acceptsEmpty(target, definitions, depth + 1);
    }
    default:
      return false;
  }
}
