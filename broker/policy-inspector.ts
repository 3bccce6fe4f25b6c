// Owns looking at a policy from outside: what it says in vain, and how one call would be decided.
import { CallgateError } from "../contract/error.ts";
import type { JsonObject, JsonValue } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { plain } from "./plain-text.ts";
import { checkPolicy, type PolicyProblemFound } from "./policy/check.ts";
import { explain, howToAllow, type Explanation } from "./policy/decide.ts";
import type { Policy } from "./policy/parse.ts";
import { nearestName } from "./suggest.ts";
import type { UpstreamStatus } from "./upstream/upstream.ts";
import { validateArguments } from "./validate.ts";

/** How a call would fare, before budgets. */
export interface CallExplanation extends Explanation {
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
  /** Why the call is refused before the policy is asked: arguments that are not the tool's, or a tool held back. */
  readonly refused: string | undefined;
  /** One sentence on what would let it pass without asking; empty when it passes. */
  readonly howToAllow: string;
}

export interface PolicyInspector {
  /** Everything unknown, unreachable or without effect; empty when all of the policy can matter. */
  check(): readonly PolicyProblemFound[];
  /** `name` is `server.tool`, raw. Throws CALL_UNKNOWN_TOOL. */
  explain(name: string, args: JsonValue, options?: ExplainOptions): CallExplanation;
}

export interface ExplainOptions {
  /** What the run has read so far, such as `private` or `server:files`. */
  readonly labels?: readonly string[];
  /** @defaultValue "default" */
  readonly principal?: string;
}

const ARGUMENT_BYTES = 64 << 20;

/** `tools` and `statuses` are asked at every call, so that the answers are about what there is now. */
export function createPolicyInspector(options: {
  readonly policy: Policy;
  readonly tools: () => readonly ToolDefinition[];
  readonly statuses: () => readonly UpstreamStatus[];
  readonly quarantine: (server: string, tool: string) => string | undefined;
}): PolicyInspector {
  const { policy, tools, quarantine } = options;
  return {
    check() {
      const failed = options.statuses().filter(({ state }) => state === "failed");
      const known = options.statuses().map(({ server }) => server);
      return checkPolicy(policy, tools(), { known, unavailable: failed.map(({ server }) => server) });
    },
    explain(name, args, { labels = [], principal = "default" } = {}) {
      const tool = find(tools(), name);
      const valid = validateArguments(tool, JSON.stringify(args), { maxBytes: ARGUMENT_BYTES });
      const held = quarantine(tool.server, tool.name);
      const given = valid.ok ? valid.value : objectOf(args);
      const facts = { tool, arguments: given, labels: new Set(labels), principal };
      const refused = held === undefined ? (valid.ok ? undefined : valid.message) : `quarantined: ${held}`;
      return {
        server: tool.server,
        tool: tool.name,
        ...explain(policy, facts),
        refused,
        howToAllow: howToAllow(policy, facts),
      };
    },
  };
}

function objectOf(args: JsonValue): JsonObject {
  return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as JsonObject) : {};
}

function find(tools: readonly ToolDefinition[], name: string): ToolDefinition {
  const named = tools.filter((tool) => `${tool.server}.${tool.name}` === name);
  const [tool] = named;
  if (tool !== undefined && named.length === 1) return tool;
  const near = nearestName(
    name,
    tools.map((one) => `${one.server}.${one.name}`),
  );
  const text =
    tool === undefined
      ? `there is no tool ${plain(name, 200)}${near === undefined ? "" : `, did you mean ${plain(near, 200)}?`}`
      : `${plain(name, 200)} can be read as tools of ${named.map(({ server }) => plain(server)).join(" and ")}`;
  throw new CallgateError("CALL_UNKNOWN_TOOL", text);
}
