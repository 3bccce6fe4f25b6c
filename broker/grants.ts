// Owns answers that hold for later calls: for the rest of a run, or for a principal until a time.
import type { ApprovalAnswer } from "../contract/decision.ts";
import { CallgateError } from "../contract/error.ts";
import { pinHash } from "./pins.ts";
import { quoted } from "./plain-text.ts";
import type { CallFacts } from "./policy/decide.ts";
import { conditionsHold, type Conditions } from "./policy/matcher.ts";
import { parsePolicy } from "./policy/parse.ts";
import { Reading } from "./policy/reading.ts";

/** What a grant is held against. */
export interface GrantFacts {
  readonly facts: CallFacts;
  /** Rules, flows and budgets that ask. */
  readonly rules: readonly string[];
  /** When a flow asks: what brought its labels into the run. */
  readonly sources: readonly string[] | undefined;
}

/** The part of an answer that bounds what it allows. Made by `parseTerms`. */
export interface Terms {
  readonly scope: "once" | "run" | "until";
  /** ms since the epoch. */
  readonly until: number;
  readonly pattern: Conditions | undefined;
}

interface Grant extends Pick<Terms, "until" | "pattern"> {
  readonly principal: string;
  /** Of the tool as it was when it was approved. */
  readonly definition: string;
  readonly server: string;
  readonly tool: string;
  readonly rules: ReadonlySet<string>;
  readonly sources: ReadonlySet<string>;
}

export interface Grants {
  covers(call: GrantFacts): boolean;
  /** Keeps what `terms` allow beyond this call; nothing for `once`. */
  add(call: GrantFacts, terms: Terms): void;
}

/** Grants of one gate; those of scope `until` last as long as it does. */
export interface GrantStore {
  openRun(): Grants;
}

const MAX_GRANTS = 1_000;
const ANSWER_KEYS: ReadonlySet<string> = new Set([
  "decision",
  "about",
  "others",
  "scope",
  "until",
  "pattern",
  "reason",
] satisfies (keyof ApprovalAnswer)[]);

export function createGrantStore(options: {
  /** ms since the epoch. */ readonly clock: () => number;
}): GrantStore {
  const { clock } = options;
  const lasting = new Set<Grant>();
  return {
    openRun() {
      const ofRun = new Set<Grant>();
      return {
        covers(call) {
          for (const grant of lasting) if (grant.until <= clock()) lasting.delete(grant);
          if (ofRun.size + lasting.size === 0) return false;
          const definition = pinHash(call.facts.tool);
          for (const grants of [ofRun, lasting])
            for (const grant of grants) if (holds(grant, call, definition)) return true;
          return false;
        },
        add(call, terms) {
          if (terms.scope === "once") return;
          const grants = terms.scope === "run" ? ofRun : lasting;
          const { tool, principal } = call.facts;
          grants.add({
            until: terms.until,
            pattern: terms.pattern,
            principal,
            definition: pinHash(tool),
            server: tool.server,
            tool: tool.name,
            rules: new Set(call.rules),
            sources: new Set(call.sources),
          });
          for (const oldest of grants) {
            if (grants.size <= MAX_GRANTS) break;
            grants.delete(oldest);
          }
        },
      };
    },
  };
}

function holds(grant: Grant, { facts, rules, sources = [] }: GrantFacts, definition: string): boolean {
  const { tool, principal } = facts;
  return (
    grant.server === tool.server &&
    grant.tool === tool.name &&
    grant.principal === principal &&
    grant.definition === definition &&
    // Security: a flow or budget that joins later was never approved.
    rules.every((rule) => grant.rules.has(rule)) &&
    // Security: who let one server's data out has not let out another's.
    sources.every((source) => grant.sources.has(source)) &&
    meetsPattern(grant.pattern, facts)
  );
}

/** Whether the arguments are inside the bounds of an answer. */
export function meetsPattern(pattern: Conditions | undefined, facts: CallFacts): boolean {
  return (
    pattern === undefined || conditionsHold(pattern, new Reading(facts.arguments, facts.literals), "permit")
  );
}

/** Reads the bounds of an answer; a text says why they are none. */
export function parseTerms(answer: ApprovalAnswer, now: number): Terms | string {
  const { scope = "once", until, pattern } = answer;
  // Security: a bound under another name, or in another place, would be a grant wider than it was meant.
  const stray = Object.keys(answer).find((key) => !ANSWER_KEYS.has(key));
  if (stray !== undefined) return `the answer has the unknown key ${quoted(stray, 40)}`;
  if (until !== undefined && scope !== "until") return 'the answer has a time, and not the scope "until"';
  if (scope !== "once" && scope !== "run" && scope !== "until")
    return 'the answer has no scope "once", "run" or "until"';
  const end = typeof until === "string" ? Date.parse(until) : (until ?? Infinity);
  if (scope === "until" && !(Number.isFinite(end) && end > now))
    return "the answer holds until a time that is not in the future";
  const conditions = pattern === undefined ? undefined : parsePattern(pattern);
  if (typeof conditions === "string") return conditions;
  return { scope, until: scope === "until" ? end : Infinity, pattern: conditions };
}

function parsePattern(when: unknown): Conditions | string {
  const unreadable = "the answer has a pattern that cannot be read";
  try {
    const value = { rules: [{ tools: "*", effect: "allow", when }] };
    return parsePolicy([{ source: "answer", value }]).layers[0]?.rules[0]?.when ?? unreadable;
  } catch (error) {
    return CallgateError.is(error) ? `${unreadable}: ${error.message.slice(0, 300)}` : unreadable;
  }
}
