// Owns the shape check of what a worker sends. Security: a worker may be fully compromised.
import { z } from "zod";
import type { FromWorker } from "../../contract/message.ts";

const slot = z.int().positive();
const seq = z.int().positive();
const name = z.string().max(1_000);
const shown = z.string().max(10_000);
/** Three texts of 4,000 units, each of which JSON may write with six (runtime/guest/content.ts), and the rest. */
const EMIT_UNITS = 80_000;

const schema: z.ZodType<FromWorker> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready"), permissions: z.array(name).max(20) }),
  z.strictObject({
    type: z.literal("call"),
    slot,
    seq,
    namespace: name,
    identifier: name,
    json: z.string(),
    line: z.int().nonnegative(),
  }),
  z.strictObject({ type: z.literal("timer"), slot, seq, delayMs: z.number() }),
  z.strictObject({ type: z.literal("cancelTimer"), slot, seq }),
  z.strictObject({ type: z.literal("log"), slot, text: z.string() }),
  z.strictObject({ type: z.literal("emit"), slot, json: z.string().max(EMIT_UNITS), data: z.string() }),
  z.strictObject({ type: z.literal("drained"), slot }),
  z.strictObject({ type: z.literal("cpu"), slot, cpuMs: z.number().nonnegative() }),
  z.strictObject({
    type: z.literal("done"),
    slot,
    thrown: z
      .object({
        name: shown,
        message: shown,
        stack: shown,
        call: z.object({ code: name, server: name, tool: name }).optional(),
      })
      .optional(),
    syntax: z.boolean().optional(),
    unhandled: z.array(shown).max(20),
    pending: z.array(z.object({ seq, namespace: name, identifier: name, sent: z.boolean() })).max(100),
    pendingCount: z.int().nonnegative(),
    cpuMs: z.number().nonnegative(),
    heapMb: z.number().nonnegative(),
    idle: z.boolean(),
  }),
  z.strictObject({
    type: z.literal("limit"),
    slot,
    code: z.enum(["RUN_CPU_LIMIT", "RUN_MEMORY_LIMIT", "RUN_CALL_LIMIT", "RUN_OUTPUT_LIMIT"]),
    cpuMs: z.number().nonnegative(),
  }),
]);

/** The message, or undefined when it has not the agreed shape. */
export function parseFromWorker(value: unknown): FromWorker | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}
