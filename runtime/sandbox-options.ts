// Owns what may be said about the sandbox.
import { z } from "zod";
import { CallgateError } from "../contract/error.ts";

export interface SandboxOptions {
  /** Fail closed with WORKER_START_FAILED unless these are contained by the system. @defaultValue [] */
  readonly require?: readonly ("network" | "memory")[];
  /** V8's optimising compilers: faster loops, more attack surface, no hard memory cap. @defaultValue false */
  readonly jit?: boolean;
  /** Worker processes at one time, started when needed; no two principals share one. @defaultValue 4 */
  readonly workers?: number;
  /** `process`: a worker serves one run and is killed. @defaultValue "isolate" */
  readonly isolation?: "isolate" | "process";
  /** Runs of one principal at one time in one worker. @defaultValue 8 */
  readonly runsPerWorker?: number;
  /** Clean runs after which a worker is replaced. @defaultValue 200 */
  readonly cleanRuns?: number;
  /** Runs that may wait for a worker. @defaultValue 1 000 */
  readonly queue?: number;
}

const schema = z.strictObject({
  require: z.array(z.enum(["network", "memory"])).optional(),
  jit: z.boolean().optional(),
  workers: z.int().min(1).max(256).optional(),
  isolation: z.enum(["isolate", "process"]).optional(),
  runsPerWorker: z.int().min(1).max(64).optional(),
  cleanRuns: z.int().min(1).max(1_000_000).optional(),
  queue: z.int().min(0).max(1_000_000).optional(),
});

/** All options with their defaults. Throws CONFIG_INVALID with the path. */
export function parseSandbox(value: unknown): Required<SandboxOptions> {
  const parsed = schema.safeParse(value ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = ["sandbox", ...(issue?.path ?? [])].join(".");
    throw new CallgateError("CONFIG_INVALID", `${path}: ${issue?.message ?? "invalid"}`, { data: { path } });
  }
  const { data } = parsed;
  return {
    require: data.require ?? [],
    jit: data.jit ?? false,
    workers: data.workers ?? 4,
    isolation: data.isolation ?? "isolate",
    runsPerWorker: data.runsPerWorker ?? 8,
    cleanRuns: data.cleanRuns ?? 200,
    queue: data.queue ?? 1_000,
  };
}
