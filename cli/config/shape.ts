// Owns what callgate.json may hold, and the sentence for what it may not.
import { z } from "zod";
import { DEFAULT_LIMITS, type AuditFileOptions, type RunLimits, type SandboxOptions } from "../../index.ts";
import { LimitProblem, limitKey, limitValue } from "../limits.ts";
import { nearest } from "../text/nearest.ts";
import { visibleLine } from "../text/visible.ts";
import { ownWords } from "./own-words.ts";

/** The keys of callgate.json, parsed. Servers and policy are judged by the gate. */
export interface Config {
  readonly servers: Readonly<Record<string, unknown>>;
  readonly policy?: unknown;
  readonly limits?: Partial<RunLimits>;
  readonly sandbox?: SandboxOptions;
  readonly catalog?: { readonly contextWindow?: number; readonly threshold?: number };
  readonly timeZone?: string;
  readonly audit?: AuditFileOptions;
  /** False: tools are not pinned. */
  readonly pins?: boolean;
  /** False: tool lists are not kept, every command asks every server. */
  readonly catalogCache?: boolean;
}

/** What is wrong at one place of the value. */
export class ShapeProblem extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

const object = z.record(z.string(), z.unknown());
const positive = z.int().min(1);
const sandbox = z.strictObject({
  require: z.array(z.enum(["network", "memory"])).optional(),
  jit: z.boolean().optional(),
  workers: positive.optional(),
  isolation: z.enum(["isolate", "process"]).optional(),
  runsPerWorker: positive.optional(),
  queue: z.int().min(0).optional(),
});
const catalog = z.strictObject({
  contextWindow: z.number().positive().optional(),
  threshold: z.number().positive().max(1).optional(),
});
const audit = z.strictObject({
  file: z.string().min(1, "expected a path"),
  bodies: z.enum(["none", "hash", "redacted"]).optional(),
});
const POLICY = "expected an object, a path that ends in .json, .jsonc, .yaml or .yml, or a list of them";
const policy = z.union([object, z.string().regex(/\.(?:jsonc?|ya?ml)$/i, POLICY)], { error: POLICY });
const shape = z.strictObject({
  $schema: z.string().optional(),
  mcpServers: object.optional(),
  servers: object.optional(),
  policy: z.union([policy, z.array(policy).min(1)], { error: POLICY }).optional(),
  limits: object.optional(),
  sandbox: sandbox.optional(),
  catalog: catalog.optional(),
  timeZone: z.string().refine(isTimeZone, 'expected a time zone such as "Europe/Berlin"').optional(),
  audit: audit.optional(),
  pins: z.boolean().optional(),
  catalogCache: z.boolean().optional(),
  // Of VS Code: questions to the person at the editor. A server that needs one cannot be used, and is told so.
  inputs: z.array(z.unknown()).optional(),
});
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["", Object.keys(shape.shape)],
  ["sandbox", Object.keys(sandbox.shape)],
  ["catalog", Object.keys(catalog.shape)],
  ["audit", Object.keys(audit.shape)],
]);

/** Throws ShapeProblem. `mcpServers` and `servers` are one thing; giving both is a mistake. */
export function parseShape(value: unknown): Config {
  const parsed = shape.safeParse(value, { error: ownWords });
  if (!parsed.success) throw problemOf(parsed.error.issues[0] as z.core.$ZodIssue);
  const { mcpServers, servers, limits, $schema: _, inputs: _inputs, ...rest } = parsed.data;
  if (mcpServers !== undefined && servers !== undefined)
    throw new ShapeProblem(["servers"], "expected one of mcpServers and servers, they mean the same");
  const config = { ...rest, servers: mcpServers ?? servers ?? {} };
  // JSON has no undefined; what zod leaves out is absent.
  return (limits === undefined ? config : { ...config, limits: parseLimits(limits) }) as Config;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function parseLimits(given: Record<string, unknown>): Partial<RunLimits> {
  const entries = Object.entries(given).map(([name, value]) => {
    try {
      const key = limitKey(name);
      return [key, limitValue(key, value)] as const;
    } catch (error) {
      throw error instanceof LimitProblem ? new ShapeProblem(["limits", name], error.message) : error;
    }
  });
  return Object.fromEntries(entries) as Partial<typeof DEFAULT_LIMITS>;
}

function problemOf(issue: z.core.$ZodIssue): ShapeProblem {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code !== "unrecognized_keys") return new ShapeProblem(path, issue.message);
  const [key = ""] = issue.keys;
  const known = KEYS.get(path.join(".")) ?? [];
  const near = nearest(key, known);
  const hint = near === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${near}?`;
  return new ShapeProblem([...path, key], `${issue.message}; ${hint}`);
}

/** `sandbox.require[0]`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${visibleLine(part, 64)}`,
    )
    .join("");
}
