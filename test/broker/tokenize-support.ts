// Owns short forms for tests of placeholders.
import { compileOutput, type ValueKind } from "../../broker/policy/output.ts";
import type { OutputInput } from "../../broker/policy/schema.ts";
import { createRedactor } from "../../broker/redact.ts";
import { createTokens, type RunTokens, type TokenOptions } from "../../broker/tokenize.ts";

export const TOKEN: RegExp = /<[a-z-]+:[0-9a-f]+>/g;

export function kinds(output: OutputInput): readonly ValueKind[] {
  return compileOutput(output);
}

/** A gate's placeholders as one run of one principal has them. */
export function filter(
  output: OutputInput,
  options: Partial<TokenOptions> = {},
  labels: Set<string> = new Set(),
): RunTokens {
  const redactor = createRedactor({ secrets: [] });
  const tokens = createTokens({ kinds: kinds(output), redactor, key: new Uint8Array(32), ...options });
  return tokens.open("ann", { labels, returned: (more) => [...more].forEach((label) => labels.add(label)) });
}

/** What a tool gets of the text in an argument. */
export function returned(run: RunTokens, text: string): string {
  const json = run.resolve(JSON.stringify({ text }), 1 << 20);
  return (JSON.parse(json) as { readonly text: string }).text;
}
