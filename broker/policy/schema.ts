// Owns the written shape of a policy: what a person may put into the file.
import { z } from "zod";
import type { Effect } from "../../contract/decision.ts";
import type { JsonValue } from "../../contract/json.ts";

/** Demands on one argument; all that are given must hold. `min`, `max` are inclusive; sizes are bytes or "64KiB". */
export interface MatcherInput {
  readonly equals?: JsonValue | undefined;
  readonly in?: readonly JsonValue[] | undefined;
  readonly glob?: string | readonly string[] | undefined;
  /** Covers the whole value; no look-around, no back-references. */
  readonly regex?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxBytes?: number | string | undefined;
  /** Absolute root or roots; the value must be an absolute path. */
  readonly under?: string | readonly string[] | undefined;
  readonly host?: string | readonly string[] | undefined;
  /** Whether the value is a constant of the script. */
  readonly literal?: boolean | undefined;
  readonly present?: boolean | undefined;
  readonly not?: MatcherInput | undefined;
}

/** Argument path → matcher. */
export type ConditionsInput = Readonly<Record<string, MatcherInput>>;

export interface RuleInput {
  /** @defaultValue made of effect and patterns */
  readonly id?: string | undefined;
  readonly tools: string | readonly string[];
  readonly effect: Effect;
  readonly when?: ConditionsInput | undefined;
  /** Not for `allow`: write a narrower `when` there. */
  readonly unless?: ConditionsInput | undefined;
  readonly reason?: string | undefined;
}

export interface FlowInput {
  readonly id?: string | undefined;
  /** Labels that must all be in the run. */
  readonly from: string | readonly string[];
  readonly to: string | readonly string[] | { readonly external: true };
  readonly effect: "ask" | "deny";
  readonly unless?: ConditionsInput | undefined;
  readonly reason?: string | undefined;
}

export interface BudgetInput {
  readonly calls?: number | undefined;
  /** `"10/hour"`, per principal. */
  readonly rate?: string | undefined;
  readonly cost?: number | undefined;
  readonly resultBytes?: number | string | undefined;
  readonly concurrency?: number | undefined;
  /** From the first call of the run. */
  readonly wallMinutes?: number | undefined;
  /** @defaultValue "run" */
  readonly per?: "run" | "principal" | undefined;
  /** @defaultValue "deny" */
  readonly then?: "ask" | "deny" | undefined;
}

export interface SameCallInput {
  readonly times: number;
  readonly then?: "ask" | "deny" | undefined;
}

/** Matches anywhere in a text; the pattern is as that of the matcher `regex`. */
export interface ValueKindInput {
  readonly name: string;
  readonly regex: string;
}

export type BuiltInKind = "email" | "phone" | "iban" | "card";

/** What a model or a person reads in place of some values. */
export interface OutputInput {
  /** Gone for good. `credentials` and `secrets` always are. */
  readonly redact?: readonly (BuiltInKind | "credentials" | "secrets" | ValueKindInput)[] | undefined;
  /** Placeholders, which tools get the values for. */
  readonly tokenize?: readonly (BuiltInKind | ValueKindInput)[] | undefined;
}

/** `read` < `additive` < `destructive`; `write` is read as `destructive`. */
export type ToolEffect = "read" | "additive" | "destructive" | "write";

/** One layer of a policy, as written. Unknown keys are errors. */
export interface PolicyInput {
  /** For editors. */
  readonly $schema?: string | undefined;
  readonly version?: 1 | undefined;
  /** Short for all four `defaults`. */
  readonly default?: Effect | undefined;
  readonly defaults?:
    | {
        readonly read?: Effect | undefined;
        readonly additive?: Effect | undefined;
        readonly destructive?: Effect | undefined;
        readonly unannotated?: Effect | undefined;
      }
    | undefined;
  readonly servers?:
    | Readonly<
        Record<
          string,
          {
            /** Whether the annotations of its tools count. @defaultValue "none" */
            readonly trust?: "annotations" | "none" | undefined;
            /** Labels on everything it returns. */
            readonly results?: readonly string[] | undefined;
            /** Whether its tools reach outside; overrides `openWorldHint`. */
            readonly external?: boolean | undefined;
          }
        >
      >
    | undefined;
  /** `server.tool` → facts on which the server's own word is not enough. */
  readonly tools?:
    | Readonly<
        Record<
          string,
          {
            readonly effect?: ToolEffect | undefined;
            readonly external?: boolean | undefined;
            readonly cost?: number | undefined;
          }
        >
      >
    | undefined;
  readonly rules?: readonly RuleInput[] | undefined;
  readonly flows?: readonly FlowInput[] | undefined;
  /** `run`, `principal`, `sameCall`, or a tool pattern whose tools share one count. */
  readonly budgets?: Readonly<Record<string, BudgetInput | SameCallInput>> | undefined;
  readonly output?: OutputInput | undefined;
}

const effect = z.enum(["allow", "ask", "deny"]);
const then = z.enum(["ask", "deny"]).optional();
const text = z.string().min(1).max(500);
const texts = z.union([text, z.array(text).min(1).max(200)], {
  error: "expected a text or a list of texts, none of them empty",
});
const size = z.union([z.int().min(0), z.string().max(20)], {
  error: 'expected a size such as 4000 or "64KiB"',
});
const id = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/,
    "expected an id of letters, digits, space, . _ - (at most 64)",
  );
const label = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a label such as "private"');
const sourceLabel = z
  .string()
  .regex(
    /^(?:[a-z][a-z0-9-]{0,31}|server:.{1,200})$/s,
    'expected a label such as "private" or "server:name"',
  );

const matcher: z.ZodType<MatcherInput> = z.lazy(() =>
  z.strictObject({
    equals: z.json().optional(),
    in: z.array(z.json()).min(1).max(1000).optional(),
    glob: texts.optional(),
    regex: text.optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    maxBytes: size.optional(),
    under: texts.optional(),
    host: texts.optional(),
    literal: z.boolean().optional(),
    present: z.boolean().optional(),
    not: matcher.optional(),
  }),
);
const conditions = z.record(text, matcher);

const rule = z.strictObject({
  id: id.optional(),
  tools: texts,
  effect,
  when: conditions.optional(),
  unless: conditions.optional(),
  reason: text.optional(),
});

const flow = z.strictObject({
  id: id.optional(),
  from: z.union([sourceLabel, z.array(sourceLabel).min(1).max(20)], {
    error: 'expected a label such as "private" or "server:name", or a list of them',
  }),
  to: z.union([texts, z.strictObject({ external: z.literal(true) })], {
    error: 'expected tool patterns or { "external": true }',
  }),
  effect: z.enum(["ask", "deny"]),
  unless: conditions.optional(),
  reason: text.optional(),
});

const count = z.int().min(0);
const budget = z.strictObject({
  calls: count.optional(),
  rate: z.string().max(20).optional(),
  cost: z.number().min(0).max(1e9).optional(),
  resultBytes: size.optional(),
  concurrency: z.int().min(1).optional(),
  wallMinutes: z.number().positive().optional(),
  per: z.enum(["run", "principal"]).optional(),
  then,
});
const sameCall = z.strictObject({ times: z.int().min(1), then });

const valueKind = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,23}$/, 'expected a name such as "employee-id", at most 24 characters'),
  regex: text,
});
const kinds = ["email", "phone", "iban", "card"] as const;
const kindOf = <Names extends string>(names: readonly Names[]): z.ZodType<Names | ValueKindInput> =>
  z.union([z.enum(names as [Names]), valueKind], {
    error: `expected ${names.map((name) => `"${name}"`).join(", ")}, or { "name": …, "regex": … }`,
  });
const output = z.strictObject({
  redact: z
    .array(kindOf([...kinds, "credentials", "secrets"] as const))
    .max(50)
    .optional(),
  tokenize: z.array(kindOf(kinds)).max(50).optional(),
});

/** Checks one layer. The JSON Schema for editors is made from it. */
export const policySchema: z.ZodType<PolicyInput> = z.strictObject({
  $schema: z.string().max(2000).optional(),
  version: z.literal(1).optional(),
  default: effect.optional(),
  defaults: z
    .strictObject({
      read: effect.optional(),
      additive: effect.optional(),
      destructive: effect.optional(),
      unannotated: effect.optional(),
    })
    .optional(),
  servers: z
    .record(
      z.string().min(1),
      z.strictObject({
        trust: z.enum(["annotations", "none"]).optional(),
        results: z.array(label).max(20).optional(),
        external: z.boolean().optional(),
      }),
    )
    .optional(),
  tools: z
    .record(
      z.string().min(1),
      z.strictObject({
        effect: z.enum(["read", "additive", "destructive", "write"]).optional(),
        external: z.boolean().optional(),
        cost: z.number().min(0).max(1e9).optional(),
      }),
    )
    .optional(),
  rules: z.array(rule).max(5000).optional(),
  flows: z.array(flow).max(500).optional(),
  budgets: z.object({ sameCall: sameCall.optional() }).catchall(budget).optional(),
  output: output.optional(),
});
