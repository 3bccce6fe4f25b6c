// Owns the file of `callgate policy test`: calls, and how the policy should decide them.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import type { Effect, JsonValue } from "../index.ts";
import { displayName, located, readDocument } from "./config/located.ts";
import { ownWords } from "./config/own-words.ts";
import { pathText } from "./config/shape.ts";
import { fileProblem, UsageError } from "./usage-error.ts";

export interface PolicyCase {
  /** For the report. */
  readonly name: string;
  readonly tool: string;
  readonly args: JsonValue;
  readonly labels: readonly string[];
  readonly expect: Effect;
  /** Ids of all that decided, in any order. */
  readonly rules?: readonly string[] | undefined;
}

const shape = z.array(
  z.strictObject({
    name: z.string().max(200).optional(),
    tool: z.string().min(1),
    args: z.record(z.string(), z.json()).optional(),
    labels: z.array(z.string()).optional(),
    expect: z.enum(["allow", "ask", "deny"]),
    rules: z.array(z.string()).optional(),
  }),
);

/** JSONC, or YAML by its name. Throws UsageError: file, line, column, path inside, what was expected. */
export async function readCases(cwd: string, written: string): Promise<readonly PolicyCase[]> {
  const path = resolve(cwd, written);
  const file = displayName(cwd, path);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${file}: ${fileProblem(error)}`);
  });
  const document = await readDocument(text, file);
  const parsed = shape.safeParse(document.value, { error: ownWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = (issue?.path ?? []).map((part) => (typeof part === "number" ? part : String(part)));
    throw located(file, document.positionOf(at), pathText(at), sentence(issue));
  }
  if (parsed.data.length === 0)
    throw located(file, document.positionOf([]), "", "expected at least one case");
  return parsed.data.map(({ name, tool, args = {}, labels = [], expect, rules }, index) => ({
    name: name ?? `[${index}] ${tool}`,
    tool,
    args: args as JsonValue,
    labels,
    expect,
    rules,
  }));
}

function sentence(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "expected a list of cases";
  return issue.code === "unrecognized_keys"
    ? `${issue.message}; a case has name, tool, args, labels, expect, rules`
    : issue.message;
}
