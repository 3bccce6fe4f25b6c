// Owns the argument matchers: what a policy may demand of one value, and how that is judged.
import { byteLength, canonicalJson, type JsonValue } from "../../contract/json.ts";
import { parseArgumentPath, readArgument, type ArgumentPath } from "./argument-path.ts";
import { fold } from "./fold.ts";
import { matchGlob, parseGlob } from "./glob.ts";
import { isHost, parseHost } from "./host.ts";
import { isLiteral } from "./literals.ts";
import type { Reading } from "./reading.ts";
import { MAX_REGEX_SUBJECT, matchRegex, parseRegex } from "./regex.ts";
import type { MatcherInput } from "./schema.ts";
import { PolicyProblem, type ProblemPath } from "./problems.ts";
import { both, either, opposite, type Truth } from "./truth.ts";
import { isUnder, parseRoot } from "./under.ts";
import { parseSize } from "./units.ts";

/**
 * `permit`: judged for an `allow` or an `unless`: exact, doubt and absence fail.
 * `forbid`: judged for an `ask` or `deny`: look-alikes count, doubt and a wrong type match.
 */
export type Purpose = "permit" | "forbid";

interface Context {
  /** Look-alikes count as equal. */
  readonly loose: boolean;
  readonly reading: Reading;
}

type Test = (value: JsonValue, context: Context) => Truth;

interface Matcher {
  readonly test: Test;
  /** What `ask` and `deny` make of an absent argument. */
  readonly absent: Truth;
  readonly wantsAbsence: boolean;
}

/** All arguments a rule names, with what it demands of each. */
export interface Conditions {
  readonly source: Readonly<Record<string, MatcherInput>>;
  readonly arguments: readonly { readonly path: ArgumentPath; readonly matcher: Matcher }[];
}

/** Compiles `when` or `unless`. Throws PolicyProblem. */
export function parseConditions(source: Readonly<Record<string, MatcherInput>>, at: ProblemPath): Conditions {
  const entries = Object.entries(source).map(([name, matcher]) => {
    const path = parseArgumentPath(name);
    if (path === undefined)
      throw PolicyProblem.expected([...at, name], "an argument path such as name, outer.inner, list.*");
    return { path, matcher: parseMatcher(matcher, [...at, name]) };
  });
  if (entries.length === 0) throw PolicyProblem.expected(at, "at least one argument");
  return { source, arguments: entries };
}

/** True when every named argument meets its demands, in the sense of the purpose. */
export function conditionsHold(conditions: Conditions, reading: Reading, purpose: Purpose): boolean {
  return conditions.arguments.every(({ path, matcher }) => {
    const truth = judge(path, matcher, reading, purpose);
    return truth === "yes" || (truth === "unsure" && purpose === "forbid");
  });
}

/** How one argument fares; for explanations. */
export function judge(path: ArgumentPath, matcher: Matcher, reading: Reading, purpose: Purpose): Truth {
  const found = readArgument(path, reading.arguments, reading.twins);
  if (found.type === "absent") {
    if (matcher.wantsAbsence) return "yes";
    // Security: an absent argument never permits anything, whatever double negation says of it.
    return purpose === "permit" ? "no" : matcher.absent;
  }
  if (found.type === "odd") return "unsure";
  if (matcher.wantsAbsence) return found.odd ? "unsure" : "no";
  const context: Context = { loose: purpose === "forbid", reading };
  const truths = found.values.map((value) => matcher.test(value, context));
  if (found.odd) truths.push("unsure");
  if (purpose === "forbid") return either(found.partial ? [...truths, matcher.absent] : truths);
  return found.partial ? "no" : both(truths);
}

function parseMatcher(source: MatcherInput, at: ProblemPath): Matcher {
  const names = Object.keys(source).filter((name) => source[name as keyof MatcherInput] !== undefined);
  if (source.present === false) {
    if (names.length > 1)
      throw PolicyProblem.expected(at, '"present": false alone: nothing else holds of an absent argument');
    return { test: () => "no", absent: "yes", wantsAbsence: true };
  }
  const parts: Matcher[] = [];
  const add = (test: Test, absent: Truth = "no"): void =>
    void parts.push({ test, absent, wantsAbsence: false });
  if (source.present === true) add(() => "yes");
  if (source.equals !== undefined) add(oneOf([source.equals]));
  if (source.in !== undefined) add(oneOf(source.in));
  if (source.glob !== undefined) add(anyGlob(list(source.glob)));
  if (source.regex !== undefined) add(pattern(source.regex, [...at, "regex"]));
  if (source.min !== undefined || source.max !== undefined) add(between(source.min, source.max, at));
  if (source.maxBytes !== undefined) add(atMostBytes(source.maxBytes, [...at, "maxBytes"]));
  if (source.under !== undefined) {
    const roots = list(source.under).map((text) =>
      must(parseRoot(text), [...at, "under"], "an absolute path without .."),
    );
    add((value, { reading }) =>
      typeof value === "string" ? either(roots.map((root) => isUnder(root, reading.path(value)))) : "unsure",
    );
  }
  if (source.host !== undefined) {
    const hosts = list(source.host).map((text) =>
      must(
        parseHost(text),
        [...at, "host"],
        'a host such as "example.com", "*.example.com" or "wss://example.com:8443"',
      ),
    );
    add((value, { reading }) =>
      typeof value === "string" ? either(hosts.map((host) => isHost(host, reading.url(value)))) : "unsure",
    );
  }
  if (source.literal !== undefined) add(literal(source.literal), source.literal ? "no" : "yes");
  if (source.not !== undefined) {
    const inner = parseMatcher(source.not, [...at, "not"]);
    // Security: what must not hold is judged the other way round, or a look-alike would pass through the negation.
    const test: Test = (value, { loose, reading }) => opposite(inner.test(value, { loose: !loose, reading }));
    parts.push({ test, absent: opposite(inner.absent), wantsAbsence: false });
  }
  if (parts.length === 0)
    throw PolicyProblem.expected(at, 'at least one matcher, for example { "equals": … }');
  return {
    test: (value, context) => both(parts.map((part) => part.test(value, context))),
    absent: both(parts.map((part) => part.absent)),
    wantsAbsence: false,
  };
}

function list<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function must<T>(value: T | undefined, at: ProblemPath, expected: string): T {
  if (value === undefined) throw PolicyProblem.expected(at, expected);
  return value;
}

function typeOf(value: JsonValue): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function oneOf(wanted: readonly JsonValue[]): Test {
  const types = new Set(wanted.map(typeOf));
  const texts = wanted.filter((value) => typeof value === "string");
  const others = wanted.filter((value) => typeof value !== "string").map(canonicalJson);
  const exact = { texts: new Set(texts), others: new Set(others) };
  const folded = { texts: new Set(texts.map(fold)), others: new Set(others.map(fold)) };
  return (value, { loose, reading }) => {
    // A number as a string, or one string in an array, may still be what the server acts on.
    if (!types.has(typeOf(value))) return "unsure";
    const kind = typeof value === "string" ? "texts" : "others";
    const text = typeof value === "string" ? value : canonicalJson(value);
    return exact[kind].has(text) || (loose && folded[kind].has(reading.folded(text))) ? "yes" : "no";
  };
}

function anyGlob(sources: readonly string[]): Test {
  const globs = sources.map((source) => ({ exact: parseGlob(source), folded: parseGlob(fold(source)) }));
  return (value, { loose, reading }) => {
    if (typeof value !== "string") return "unsure";
    if (globs.some(({ exact }) => matchGlob(exact, value))) return "yes";
    if (!loose) return "no";
    const text = reading.folded(value);
    return globs.some(({ folded }) => matchGlob(folded, text)) ? "yes" : "no";
  };
}

function pattern(source: string, at: ProblemPath): Test {
  let regex: ReturnType<typeof parseRegex>;
  try {
    regex = parseRegex(source);
  } catch (error) {
    throw PolicyProblem.expected(at, (error as Error).message);
  }
  return (value, { loose, reading }) => {
    if (typeof value !== "string" || value.length > MAX_REGEX_SUBJECT) return "unsure";
    if (matchRegex(regex, value)) return "yes";
    if (!loose) return "no";
    const folded = reading.folded(value);
    if (folded.length > MAX_REGEX_SUBJECT) return "unsure";
    return matchRegex(regex, folded, true) ? "yes" : "no";
  };
}

function between(min: number | undefined, max: number | undefined, at: ProblemPath): Test {
  if (min !== undefined && max !== undefined && min > max)
    throw PolicyProblem.expected(at, '"min" not above "max"');
  return (value) => {
    if (typeof value !== "number") return "unsure";
    return (min === undefined || value >= min) && (max === undefined || value <= max) ? "yes" : "no";
  };
}

function atMostBytes(source: number | string, at: ProblemPath): Test {
  const bytes = must(parseSize(source), at, 'a size such as 4000 or "64KiB"');
  return (value) =>
    byteLength(typeof value === "string" ? value : JSON.stringify(value)) <= bytes ? "yes" : "no";
}

function literal(wanted: boolean): Test {
  return (value, { reading: { literals } }) => {
    if (literals === undefined) return "unsure";
    return isLiteral(literals, value) === wanted ? "yes" : "no";
  };
}
