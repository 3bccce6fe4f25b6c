// Owns which text of a tool is searched, and with what weight.
import { isJsonObject, own } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";

export const NAME_WEIGHT = 3;
export const SERVER_WEIGHT = 1.5;
export const DESCRIPTION_WEIGHT = 1.5;
export const PARAMETER_WEIGHT = 0.5;

const MAX_NODES = 400;
const MAX_DEPTH = 6;
const COMBINERS = ["allOf", "anyOf", "oneOf"] as const;

/** Names and descriptions of a schema's parameters, outermost first; bounded in count and depth. */
export function parameterTexts(schema: unknown, maxDepth: number = MAX_DEPTH): string[] {
  const texts: string[] = [];
  let level: unknown[] = [schema];
  let nodes = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const node of level) {
      if (!isJsonObject(node) || ++nodes > MAX_NODES) continue;
      const properties = own(node, "properties");
      if (isJsonObject(properties)) {
        for (const name of Object.keys(properties).slice(0, MAX_NODES)) {
          texts.push(name);
          const property = own(properties, name);
          if (!isJsonObject(property)) continue;
          const description = own(property, "description");
          if (typeof description === "string") texts.push(description);
          next.push(property);
        }
      }
      next.push(own(node, "items"));
      for (const key of COMBINERS) {
        const members = own(node, key);
        if (Array.isArray(members)) next.push(...members.slice(0, MAX_NODES));
      }
    }
    level = next;
  }
  return texts;
}

/** Description and title of a tool, as one text. */
export function descriptionText(tool: ToolDefinition): string {
  const { title, description } = tool;
  if (title === undefined) return description ?? "";
  return `${title}\n${description ?? ""}`;
}
