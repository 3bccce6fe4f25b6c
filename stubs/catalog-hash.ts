// Owns the hash of a tool's definition and of a whole catalog.
import { createHash } from "node:crypto";
import { isJsonObject } from "../contract/json.ts";
import type { NamedTool, ToolDefinition } from "../contract/tool.ts";

const known = new WeakMap<ToolDefinition, string>();

/** SHA-256 (hex) of a definition's canonical JSON: equal definitions have equal hashes, whatever their key order. */
export function definitionHash(tool: ToolDefinition): string {
  let hash = known.get(tool);
  if (hash === undefined) {
    hash = createHash("sha256").update(canonicalText(tool)).digest("hex");
    known.set(tool, hash);
  }
  return hash;
}

/** SHA-256 (hex) over definitions and identifiers, independent of the order of arrival. */
export function catalogHash(tools: readonly NamedTool[]): string {
  const lines = tools.map(
    ({ tool, namespace, identifier }) => `${namespace}.${identifier} ${definitionHash(tool)}\n`,
  );
  return createHash("sha256").update(lines.toSorted().join("")).digest("hex");
}

/** Canonical JSON without recursion. Security: a definition nested thousands deep must not overflow the stack. */
function canonicalText(root: unknown): string {
  const parts: string[] = [];
  const pending: { readonly text?: string; readonly value?: unknown }[] = [{ value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.text !== undefined) parts.push(next.text);
    else if (Array.isArray(next.value)) {
      pending.push({ text: "]" });
      for (let at = next.value.length - 1; at >= 0; at--)
        pending.push({ value: next.value[at] }, { text: "," });
      parts.push("[");
    } else if (isJsonObject(next.value)) {
      const object = next.value;
      pending.push({ text: "}" });
      for (const key of Object.keys(object).toSorted().toReversed()) {
        if (object[key] !== undefined)
          pending.push({ value: object[key] }, { text: `,${JSON.stringify(key)}:` });
      }
      parts.push("{");
    } else parts.push(JSON.stringify(next.value) ?? "null");
  }
  return parts.join("");
}
