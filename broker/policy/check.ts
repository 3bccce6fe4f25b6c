// Owns the examination of a policy against the tools that exist: what is unknown, unreachable or without effect.
import type { ToolDefinition } from "../../contract/tool.ts";
import { plain, quoted } from "../plain-text.ts";
import { nearestName } from "../suggest.ts";
import { argumentNames, canBe, knowsArgument } from "./known-argument.ts";
import { STRICTNESS, toolKey, type Layer, type Policy, type Rule } from "./model.ts";
import { ruleNames } from "./plan.ts";
import { matchTool, type ToolPattern } from "./tool-pattern.ts";

export interface PolicyProblemFound {
  readonly kind:
    | "unknown-server"
    | "unknown-tool"
    | "unknown-argument"
    | "unknown-label"
    | "matches-nothing"
    | "never-wins"
    | "no-effect"
    | "not-checked";
  /** The layer, or undefined when the place names it. */
  readonly source: string | undefined;
  /** Rule, flow, budget or key, as a person knows it. */
  readonly place: string;
  readonly message: string;
}

const MAX_FOUND = 200;
const COMMON_LABELS = ["private", "untrusted"];

/** Servers besides those whose tools are given. */
export interface KnownServers {
  /** Servers that may have no tools. */
  readonly known?: readonly string[];
  /** Servers whose tools could not be listed: what is said of them cannot be checked, which is a problem too. */
  readonly unavailable?: readonly string[];
}

/**
 * Finds what a policy says in vain, given every tool of every configured server: unknown servers, tools, arguments
 * and labels, globs that match nothing, rules that can never win. An empty list means that everything can matter.
 */
export function checkPolicy(
  policy: Policy,
  tools: readonly ToolDefinition[],
  servers: KnownServers = {},
): readonly PolicyProblemFound[] {
  const names = new Names(tools, servers);
  const found: PolicyProblemFound[] = [];
  policy.layers.forEach((layer, index) => {
    found.push(...checkFacts(layer, index, policy, names));
    for (const rule of layer.rules) {
      found.push(...checkRule(rule, layer, policy, names));
      if (index > 0 && rule.effect === "allow" && Object.keys(layer.defaults).length === 0) {
        const message =
          "a later layer only tightens, and this one has no defaults that the rule could spare the call";
        found.push({ kind: "no-effect", source: layer.source, place: `rule "${rule.id}"`, message });
      }
    }
  });
  for (const flow of policy.flows) {
    const at = { source: policy.layers[flow.layer]!.source, place: `flow "${flow.id}"` };
    if (flow.to !== "external")
      found.push(...flow.to.flatMap((pattern) => checkPattern(pattern, false, names, at)));
    found.push(...flow.from.flatMap((label) => checkLabel(label, policy, names, at)));
  }
  for (const { id, pattern } of policy.budgets) {
    if (pattern !== undefined)
      found.push(...checkPattern(pattern, false, names, { source: undefined, place: id }));
  }
  return found.slice(0, MAX_FOUND);
}

type At = Pick<PolicyProblemFound, "source" | "place">;

class Names {
  readonly tools: readonly ToolDefinition[];
  readonly servers: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly unavailable: ReadonlySet<string>;
  constructor(tools: readonly ToolDefinition[], { known = [], unavailable = [] }: KnownServers) {
    this.tools = tools;
    this.unavailable = new Set(unavailable.filter((name) => !tools.some(({ server }) => server === name)));
    this.servers = new Set([...tools.map(({ server }) => server), ...known, ...unavailable]);
    this.keys = new Set(tools.map(({ server, name }) => toolKey(server, name)));
  }
  toolsOf(server: string): string[] {
    return this.tools.filter((tool) => tool.server === server).map(({ name }) => name);
  }
}

function suggestion(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near === undefined ? "" : `, did you mean ${quoted(near)}?`;
}

function unknownServer(server: string, names: Names, at: At): PolicyProblemFound {
  const message = `no server is named ${quoted(server)}${suggestion(server, names.servers)}`;
  return { ...at, kind: "unknown-server", message };
}

function unknownTool(server: string, tool: string, names: Names, at: At): PolicyProblemFound {
  if (names.unavailable.has(server)) return notChecked([server], at);
  const message = `server ${quoted(server)} has no tool ${quoted(tool)}${suggestion(tool, names.toolsOf(server))}`;
  return { ...at, kind: "unknown-tool", message };
}

function notChecked(servers: Iterable<string>, at: At): PolicyProblemFound {
  const which = [...servers].map((server) => quoted(server)).join(", ");
  return { ...at, kind: "not-checked", message: `cannot be checked while ${which} is not available` };
}

function checkPattern(pattern: ToolPattern, exact: boolean, names: Names, at: At): PolicyProblemFound[] {
  if (names.tools.some(({ server, name }) => matchTool(pattern, server, name, exact))) return [];
  const { serverName, toolName } = pattern.exact;
  const dotted = names.tools.find(({ server, name }) => matchTool(pattern, server, name, false))?.server;
  if (dotted !== undefined) {
    const message = `${quoted(pattern.source)} names no tool; the server ${quoted(dotted)} is written ${quoted(dotted.replaceAll(".", "\\."))}`;
    return [{ ...at, kind: "unknown-server", message }];
  }
  if (serverName !== undefined && !names.servers.has(serverName))
    return [unknownServer(serverName, names, at)];
  if (serverName !== undefined && toolName !== undefined)
    return [unknownTool(serverName, toolName, names, at)];
  const away = serverName === undefined ? names.unavailable : new Set([serverName]);
  if ([...away].some((server) => names.unavailable.has(server))) return [notChecked(away, at)];
  return [{ ...at, kind: "matches-nothing", message: `${quoted(pattern.source)} matches no tool` }];
}

function checkRule(rule: Rule, layer: Layer, policy: Policy, names: Names): PolicyProblemFound[] {
  const at = { source: layer.source, place: `rule "${rule.id}"` };
  const found = rule.patterns.flatMap((pattern) => checkPattern(pattern, rule.effect === "allow", names, at));
  const named = names.tools.filter((tool) => ruleNames(rule, tool));
  if (named.length === 0) return found;
  for (const conditions of [rule.when, rule.unless]) {
    for (const { path } of conditions?.arguments ?? []) {
      const knowing = named.filter((tool) => knowsArgument(tool, path));
      const { equals, in: oneOf = [] } = conditions!.source[path.source] ?? {};
      for (const value of equals === undefined ? oneOf : [equals, ...oneOf]) {
        if (knowing.length === 0 || knowing.some((tool) => canBe(tool, path, value))) continue;
        const message = `argument ${quoted(path.source)} can never be ${plain(JSON.stringify(value), 80)}, by the schema of the tool`;
        found.push({ ...at, kind: "matches-nothing", message });
      }
      if (knowing.length > 0) continue;
      const first = path.segments[0];
      const near =
        first === undefined || first === "every" ? "" : suggestion(first.name, named.flatMap(argumentNames));
      const whose = named.length === 1 ? "the tool" : `any of the ${named.length} tools`;
      const message = `argument ${quoted(path.source)} is not in the schema of ${whose}${near}`;
      found.push({ ...at, kind: "unknown-argument", message });
    }
  }
  const stronger = named.map((tool) => findStronger(rule, tool, policy));
  if (stronger.every((other) => other !== undefined)) {
    const message = `never wins: rule "${stronger[0]!.id}" is stricter and always holds`;
    found.push({ ...at, kind: "never-wins", message });
  }
  return found;
}

function findStronger(rule: Rule, tool: ToolDefinition, policy: Policy): Rule | undefined {
  return policy.layers
    .flatMap(({ rules }) => rules)
    .find(
      (other) =>
        STRICTNESS[other.effect] > STRICTNESS[rule.effect] &&
        other.when === undefined &&
        other.unless === undefined &&
        ruleNames(other, tool),
    );
}

function checkLabel(label: string, policy: Policy, names: Names, at: At): PolicyProblemFound[] {
  if (label.startsWith("server:")) {
    const server = label.slice("server:".length);
    return names.servers.has(server) ? [] : [unknownServer(server, names, at)];
  }
  const given = new Set([...COMMON_LABELS, ...[...policy.labels.values()].flat()]);
  if (given.has(label)) return [];
  const message = `no server puts the label ${quoted(label)} on its results${suggestion(label, given)}`;
  return [{ ...at, kind: "unknown-label", message }];
}

function checkFacts(layer: Layer, index: number, policy: Policy, names: Names): PolicyProblemFound[] {
  const found: PolicyProblemFound[] = [];
  const first = policy.layers[0]!;
  for (const [server, { trust, external }] of layer.servers) {
    const at = { source: layer.source, place: `servers[${quoted(server)}]` };
    if (!names.servers.has(server)) found.push(unknownServer(server, names, at));
    if (index === 0) continue;
    const widens = trust === "annotations" && first.servers.get(server)?.trust !== "annotations";
    if (widens) found.push({ ...at, kind: "no-effect", message: "only the first layer can trust a server" });
    if (external === false && first.servers.get(server)?.external !== false) {
      found.push({ ...at, kind: "no-effect", message: "only the first layer can call a server closed" });
    }
  }
  for (const [key, facts] of layer.tools) {
    const [server, tool] = JSON.parse(key) as [string, string];
    const at = { source: layer.source, place: `tools[${quoted(`${server}.${tool}`)}]` };
    if (!names.servers.has(server)) found.push(unknownServer(server, names, at));
    else if (!names.keys.has(key)) found.push(unknownTool(server, tool, names, at));
    if (index > 0 && facts.effect === "read") {
      found.push({
        ...at,
        kind: "no-effect",
        message: plain("only the first layer can call a tool read-only"),
      });
    }
  }
  return found;
}
