// Owns the identifiers a script calls tools by: injective, independent of order, and stable once given.
import { createHash } from "node:crypto";
import { mcpMethod } from "../contract/methods.ts";
import { quoted } from "../contract/schema/printable.ts";
import type { NamedTool, ToolDefinition } from "../contract/tool.ts";
import { RESERVED_GLOBALS, RESERVED_MEMBERS } from "./reserved.ts";

/** Names given earlier. They stay taken even while their tool is away. */
export interface NamePins {
  /** Configured server name → namespace. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** `toolKey(server, raw name)` → identifier. */
  readonly identifiers: ReadonlyMap<string, string>;
}

export interface NameAssignment {
  /** In the order given, without repeated raw names. */
  readonly named: readonly NamedTool[];
  /** The pins given and those of this assignment: pass them to the next one. */
  readonly pins: NamePins;
  readonly notes: readonly string[];
}

/** The canonical key of a tool: policy, audit and pins use it, never the identifier. */
export function toolKey(server: string, name: string): string {
  return JSON.stringify([server, name]);
}

/**
 * Gives every tool a namespace and an identifier. A valid, unreserved name stays as it is; names that
 * would meet are told apart by a hash of the raw name. A tool with pins keeps its names for ever.
 * The second tool of the same server and raw name is left out, with a note. Never throws.
 */
export function assignNames(
  tools: readonly ToolDefinition[],
  options: { readonly pinned?: NamePins } = {},
): NameAssignment {
  const notes: string[] = [];
  const servers = new Map<string, Map<string, ToolDefinition>>();
  for (const tool of tools) {
    const members = servers.get(tool.server) ?? new Map<string, ToolDefinition>();
    servers.set(tool.server, members);
    if (members.has(tool.name)) {
      notes.push(`${quoted(tool.server)} lists ${quoted(tool.name)} more than once: only the first is kept.`);
    } else {
      members.set(tool.name, tool);
    }
  }

  const namespaces = assign(servers.keys(), new Map(options.pinned?.namespaces), RESERVED_GLOBALS);
  const identifiers = new Map(options.pinned?.identifiers);
  const pinsByServer = groupPins(identifiers);
  for (const [server, members] of servers) {
    const raw = new Set([...members.keys()].map(namedAs));
    const given = assign(raw, pinsByServer.get(server) ?? new Map(), RESERVED_MEMBERS);
    for (const [name, identifier] of given) identifiers.set(toolKey(server, name), identifier);
  }

  const named: NamedTool[] = [];
  for (const [server, members] of servers) {
    const namespace = namespaces.get(server) as string;
    if (namespace !== server) notes.push(`The server ${quoted(server)} is called ${namespace} in scripts.`);
    for (const [name, tool] of members) {
      const method = mcpMethod(name);
      const own = identifiers.get(toolKey(server, namedAs(name))) as string;
      const identifier = method === undefined ? own : `${own}.${method.member}`;
      if (method === undefined && identifier !== name) {
        notes.push(`${quoted(server)} ${quoted(name)} is called ${namespace}.${identifier} in scripts.`);
      }
      named.push({ tool, namespace, identifier });
    }
  }
  const order = new Map(tools.toReversed().map((tool, index) => [tool, -index]));
  named.sort((left, right) => (order.get(left.tool) ?? 0) - (order.get(right.tool) ?? 0));
  return { named, pins: { namespaces, identifiers }, notes };
}

/** Resources and prompts of a server have one identifier for each group, kept by a name that no tool can have. */
function namedAs(name: string): string {
  const method = mcpMethod(name);
  return method === undefined ? name : `${method.group}/list`;
}

function groupPins(identifiers: ReadonlyMap<string, string>): Map<string, Map<string, string>> {
  const groups = new Map<string, Map<string, string>>();
  for (const [key, identifier] of identifiers) {
    const [server, name] = JSON.parse(key) as [string, string];
    const group = groups.get(server) ?? new Map<string, string>();
    groups.set(server, group.set(name, identifier));
  }
  return groups;
}

/** Adds an identifier for each raw name that has none in `given`. */
function assign(
  rawNames: Iterable<string>,
  given: Map<string, string>,
  reserved: ReadonlySet<string>,
): Map<string, string> {
  const taken = new Set(given.values());
  const groups = new Map<string, string[]>();
  for (const raw of rawNames) {
    if (given.has(raw)) continue;
    const base = baseOf(raw, reserved);
    groups.set(base, [...(groups.get(base) ?? []), raw]);
  }
  const contested: { readonly base: string; readonly raw: string }[] = [];
  for (const [base, group] of groups) {
    const owner = taken.has(base)
      ? undefined
      : group.length === 1
        ? group[0]
        : group.find((raw) => raw === base);
    if (owner !== undefined) given.set(owner, base);
    for (const raw of group) if (raw !== owner) contested.push({ base, raw });
  }
  for (const identifier of given.values()) taken.add(identifier);
  // Sorted, so that even a collision of hashes does not depend on the order of arrival.
  contested.sort((left, right) => (left.raw < right.raw ? -1 : 1));
  for (const { base, raw } of contested) {
    const hash = sha256(raw);
    let length = 6;
    while (taken.has(`${base}_${hash.slice(0, length)}`) && length < hash.length) length += 1;
    const identifier = `${base}_${hash.slice(0, length)}`;
    taken.add(identifier);
    given.set(raw, identifier);
  }
  return given;
}

const LONGEST = 256;

function baseOf(raw: string, reserved: ReadonlySet<string>): string {
  const method = mcpMethod(raw);
  if (method !== undefined) return method.group;
  // Security: a name of any length must not become an identifier of any length.
  const bounded = raw.length <= LONGEST ? raw : `${sha256(raw).slice(0, 16)}_${raw.slice(-64)}`;
  let base = bounded.replace(/[^A-Za-z0-9_]+/g, "_");
  if (base === "" || /^[0-9]/.test(base)) base = `_${base}`;
  return reserved.has(base) ? `${base}_` : base;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
