// Owns patterns over the pair (configured server name, raw tool name), written `server.tool`.
import { PolicyProblem, type ProblemPath } from "./problems.ts";
import { globText, matchGlob, parseGlob, type Glob } from "./glob.ts";

/**
 * `server.tool`, both halves globs (`*`, `?`, `\` escapes). The server half ends at the first dot that is not
 * escaped: a server named `a.b` is written `a\.b`. `*` alone means every tool of every server. Case counts.
 */
export interface ToolPattern {
  readonly source: string;
  readonly exact: Halves;
  /** Every way to split the pattern at a dot. */
  readonly splits: readonly Halves[];
}

interface Halves {
  readonly server: Glob;
  readonly tool: Glob;
  /** The half as plain text when it holds no wildcard. */
  readonly serverName: string | undefined;
  readonly toolName: string | undefined;
}

/** Compiles a pattern, or returns what was expected instead. */
export function parseToolPattern(source: string): ToolPattern | { readonly expected: string } {
  if (/^\*+$/.test(source)) return parseToolPattern("*.*");
  const dots: number[] = [];
  let plainDot: number | undefined;
  for (let i = 0; i < source.length; i++) {
    const escaped = source[i] === "\\";
    if (escaped) i++;
    if (source[i] !== ".") continue;
    dots.push(i);
    if (!escaped) plainDot ??= i;
  }
  if (plainDot === undefined) {
    return { expected: `"server.tool" with a dot, for example "${source === "" ? "github" : source}.*"` };
  }
  if (plainDot === 0 || plainDot === source.length - 1) {
    return { expected: 'a name or "*" on both sides of the dot' };
  }
  const exact = halves(source, plainDot);
  const splits = dots.filter((dot) => dot > 0 && dot < source.length - 1).map((dot) => halves(source, dot));
  return { source, exact, splits };
}

function halves(source: string, dot: number): Halves {
  // A split at an escaped dot leaves its backslash behind on the server half.
  const server = parseGlob(source[dot - 1] === "\\" ? source.slice(0, dot - 1) : source.slice(0, dot));
  const tool = parseGlob(source.slice(dot + 1));
  return { server, tool, serverName: globText(server), toolName: globText(tool) };
}

/**
 * `exact` (what permits): only the split at the first plain dot counts. Otherwise (what forbids): any split does,
 * so that a deny rule still holds for a server whose name has a dot that nobody escaped.
 */
export function matchTool(pattern: ToolPattern, server: string, tool: string, exact: boolean): boolean {
  const tried = exact ? [pattern.exact] : pattern.splits;
  return tried.some((half) => matchGlob(half.server, server) && matchGlob(half.tool, tool));
}

/** Compiles the pattern at a place of a policy. Throws PolicyProblem. */
export function patternAt(source: string, at: ProblemPath): ToolPattern {
  const pattern = parseToolPattern(source);
  if ("expected" in pattern) throw PolicyProblem.expected(at, pattern.expected);
  return pattern;
}
