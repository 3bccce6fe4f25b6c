// Owns the compiled form of a policy: what `decide` walks.
import type { Effect } from "../../contract/decision.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import type { Conditions } from "./matcher.ts";
import type { ValueKind } from "./output.ts";
import type { ToolPattern } from "./tool-pattern.ts";
import type { Rate } from "./units.ts";

/** What a tool does, as far as it is known; decides which default holds. */
export type ToolClass = "read" | "additive" | "destructive" | "unannotated";

export interface Rule {
  readonly id: string;
  readonly patterns: readonly ToolPattern[];
  readonly effect: Effect;
  readonly when: Conditions | undefined;
  readonly unless: Conditions | undefined;
  readonly reason: string | undefined;
}

export interface Flow {
  readonly id: string;
  readonly layer: number;
  /** All of these must be in the run. */
  readonly from: readonly string[];
  readonly to: readonly ToolPattern[] | "external";
  readonly effect: "ask" | "deny";
  readonly unless: Conditions | undefined;
  readonly reason: string | undefined;
}

export interface ToolFacts {
  readonly effect: Exclude<ToolClass, "unannotated"> | undefined;
  readonly external: boolean | undefined;
  readonly cost: number | undefined;
}

export interface ServerFacts {
  readonly trust: "annotations" | "none" | undefined;
  readonly external: boolean | undefined;
}

export interface Layer {
  readonly source: string;
  readonly rules: readonly Rule[];
  /** The first layer has all four; a later one only those it names. */
  readonly defaults: Readonly<Partial<Record<ToolClass, Effect | undefined>>>;
  readonly servers: ReadonlyMap<string, ServerFacts>;
  /** By `toolKey`. */
  readonly tools: ReadonlyMap<string, ToolFacts>;
  /** The same for the other ways to split a name at its dots; only what tightens counts. */
  readonly alike: ReadonlyMap<string, readonly ToolFacts[]>;
}

/** One bound on what calls may spend. */
export interface Budget {
  /** `budget:` and the key of the policy. */
  readonly id: string;
  readonly per: "run" | "principal";
  /** Tools that share the count; undefined = every tool. */
  readonly pattern: ToolPattern | undefined;
  readonly calls: number | undefined;
  readonly rate: Rate | undefined;
  readonly cost: number | undefined;
  readonly resultBytes: number | undefined;
  readonly concurrency: number | undefined;
  readonly wallMs: number | undefined;
  /** Identical calls (tool and arguments) in one run. */
  readonly sameCall: number | undefined;
  readonly then: "ask" | "deny";
}

/** Parsed and frozen; layers are joined, and a later one only tightens. */
export interface Policy {
  /** SHA-256 of all layers, hex. */
  readonly hash: string;
  readonly layers: readonly Layer[];
  readonly flows: readonly Flow[];
  readonly budgets: readonly Budget[];
  /** Server → labels on its results, from all layers. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** Values that a model and a person are not shown. */
  readonly kinds: readonly ValueKind[];
}

/** The map key of the pair; no two pairs share one. */
export function toolKey(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

export type ToolName = Pick<ToolDefinition, "server" | "name">;

export const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The strictest of deny > ask > allow. */
export function strictest(effects: Iterable<Effect>): Effect {
  let result: Effect = "allow";
  for (const effect of effects) if (STRICTNESS[effect] > STRICTNESS[result]) result = effect;
  return result;
}
