// Owns the answer to "show me these tools": names in any spelling, stubs back, near matches for names that do not exist.
import { clip, quoted } from "../contract/schema/printable.ts";
import type { Detail, NamedTool } from "../contract/tool.ts";
import { callLine, callOf } from "./catalog-line.ts";
import type { ServerGroup } from "./catalog-order.ts";
import { stubBlocks, stubOf } from "./catalog-stub.ts";

const MAX_NAMES = 50;
const MAX_MATCHES = 5;
const MAX_NEAR = 5;
const MAX_SHOWN = 80;
/** Text for a model, UTF-16 units; stubs beyond it are in `tools` only. */
const MAX_TEXT = 60_000;

export interface DescribeOptions {
  /** @defaultValue "full" */
  readonly detail?: Detail;
}

export interface DescribedTool {
  /** The name asked for. */
  readonly asked: string;
  readonly server: string;
  /** Raw name. */
  readonly tool: string;
  readonly namespace: string;
  readonly identifier: string;
  /** `namespace.identifier`, what a script writes. */
  readonly call: string;
  /** The stub at the detail asked for. */
  readonly signature: string;
  /** What the stub says less exactly than the schema does. */
  readonly notes: readonly string[];
}

export interface UnknownName {
  readonly asked: string;
  /** Calls with a like name, best first. */
  readonly near: readonly string[];
}

export interface DescribeResult {
  readonly tools: readonly DescribedTool[];
  readonly unknown: readonly UnknownName[];
  /** The same for a model. */
  readonly text: string;
}

/** What describing needs of a catalog. */
export interface DescribeSource {
  readonly groups: readonly ServerGroup[];
  /** Tools a text names exactly, the very spelling first. */
  exact(name: string): readonly NamedTool[];
  near(name: string, limit: number): readonly NamedTool[];
}

/** Describes up to 50 names. One name on several servers gives each of them, five at most. */
export function describeTools(
  source: DescribeSource,
  names: readonly string[],
  detail: Detail,
): DescribeResult {
  const asked = [...new Set(names.slice(0, MAX_NAMES))];
  const tools: DescribedTool[] = [];
  const shown = new Set<NamedTool>();
  const unknown: UnknownName[] = [];
  const remarks: string[] = [];
  for (const name of asked) {
    const matches = source.exact(name);
    if (matches.length === 0) {
      const near = source.near(name, MAX_NEAR);
      unknown.push({ asked: clip(name, MAX_SHOWN), near: near.map(callOf) });
      remarks.push(unknownRemark(source.groups, name, near));
    }
    if (matches.length > MAX_MATCHES) {
      const rest = matches
        .slice(MAX_MATCHES, 4 * MAX_MATCHES)
        .map(callOf)
        .join(", ");
      remarks.push(`${quoted(name)} is on ${matches.length} servers; also: ${rest}.`);
    }
    for (const named of matches.slice(0, MAX_MATCHES)) {
      if (shown.has(named)) continue;
      shown.add(named);
      tools.push(described(named, name, detail));
    }
  }
  if (names.length > MAX_NAMES) remarks.push(`Only the first ${MAX_NAMES} names were looked up.`);
  if (names.length === 0) remarks.push("No names were given.");
  const { text, left } = stubBlocks([...shown], detail, MAX_TEXT);
  if (left.length > 0)
    remarks.push(`Too long to show here, ask for fewer at once: ${left.map(callOf).join(", ")}.`);
  return { tools, unknown, text: [text, ...remarks].filter((part) => part !== "").join("\n") };
}

function described(named: NamedTool, asked: string, detail: Detail): DescribedTool {
  const { text, notes } = stubOf(named, detail);
  return {
    asked: clip(asked, MAX_SHOWN),
    server: named.tool.server,
    tool: named.tool.name,
    namespace: named.namespace,
    identifier: named.identifier,
    call: callOf(named),
    signature: text,
    notes,
  };
}

function unknownRemark(groups: readonly ServerGroup[], name: string, near: readonly NamedTool[]): string {
  const server = groups.find((group) => group.server === name || group.namespace === name);
  if (server !== undefined) {
    const first = server.tools.slice(0, 10).map((named) => named.identifier);
    const more = server.tools.length - first.length;
    return `${quoted(name)} is a server, not a tool. Its tools: ${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  }
  if (near.length === 0)
    return `Unknown tool ${quoted(name)}, and no tool has a like name: search by what it should do.`;
  const lines = near.map((named) => `  ${callLine(named)}`);
  return `Unknown tool ${quoted(name)}. Nearest:\n${lines.join("\n")}`;
}
