// Owns the tools of the search benchmark beyond the real ones: renamed copies, and seeded order.
import type { ToolDefinition } from "../../contract/tool.ts";

/** Copy number `copy` of a tool: another server and name, the same texts. */
export function renamedCopy(tool: ToolDefinition, copy: number): ToolDefinition {
  return { ...tool, server: `${tool.server}-copy${copy}`, name: `${tool.name}_v${copy + 1}` };
}

/** `count` tools: the real ones in order, then renamed copies. */
export function manyTools(real: readonly ToolDefinition[], count: number): readonly ToolDefinition[] {
  return Array.from({ length: count }, (_, at) => {
    const tool = real[at % real.length] as ToolDefinition;
    const copy = Math.floor(at / real.length);
    return copy === 0 ? tool : renamedCopy(tool, copy);
  });
}

/** Seeded generator of numbers in [0, 1): a linear congruence modulo 2³². */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(1_664_525, state) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A new array in random order. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const mixed = [...values];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
