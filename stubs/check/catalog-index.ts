// Owns what the checker knows of the catalog beside its declarations, and the search for a name that was meant.

/** A tool as a script calls it, `namespace.identifier(...)`, with the signature a model is shown. */
export interface CheckedTool {
  readonly namespace: string;
  readonly identifier: string;
  readonly signature: string;
}

export interface CatalogInput {
  /** Changes when the declarations change; part of the key of cached results. */
  readonly hash: string;
  /** TypeScript declarations of the tools, one `declare namespace` per server. */
  readonly declarations: string;
  readonly tools: readonly CheckedTool[];
}

export interface CatalogIndex {
  readonly namespaces: ReadonlyMap<string, ReadonlyMap<string, CheckedTool>>;
  readonly tools: readonly CheckedTool[];
}

const MAX_NAME = 80;

export function indexCatalog(tools: readonly CheckedTool[]): CatalogIndex {
  const namespaces = new Map<string, Map<string, CheckedTool>>();
  for (const tool of tools) {
    let members = namespaces.get(tool.namespace);
    if (members === undefined) namespaces.set(tool.namespace, (members = new Map<string, CheckedTool>()));
    members.set(tool.identifier, tool);
  }
  return { namespaces, tools };
}

/** Tools whose name resembles `wanted`, best first; those of `namespace` win a tie. Pure. */
export function nearestTools(
  index: CatalogIndex,
  wanted: string,
  options: { namespace?: string; limit?: number } = {},
): readonly CheckedTool[] {
  const name = wanted.slice(0, MAX_NAME);
  const target = squash(name);
  const words = wordsOf(name);
  if (target === "") return [];
  const scored: { tool: CheckedTool; score: number }[] = [];
  for (const tool of index.tools) {
    const own = likeness(target, words, tool.identifier);
    const full = squash(`${tool.namespace}${tool.identifier}`);
    const score = full === target || `mcp${full}` === target ? 1 : own;
    if (score < 0.5) continue;
    // Not enough to make a certain match of an uncertain one.
    const near = tool.namespace === options.namespace ? 0.15 : 0;
    scored.push({ tool, score: score === 1 ? 1 + near : Math.min(score + near, 0.99) });
  }
  const certain = scored.filter((entry) => entry.score >= 1);
  return (certain.length > 0 ? certain : scored)
    .sort((a, b) => b.score - a.score || compare(nameOf(a.tool), nameOf(b.tool)))
    .slice(0, options.limit ?? 3)
    .map((entry) => entry.tool);
}

/** The namespace that `wanted` most resembles, if any. Pure. */
export function nearestNamespace(index: CatalogIndex, wanted: string): string | undefined {
  return nearestName([...index.namespaces.keys()], wanted);
}

/** The name that `wanted` most resembles, if any is near enough to be meant. Pure. */
export function nearestName(names: readonly string[], wanted: string): string | undefined {
  const target = squash(wanted.slice(0, MAX_NAME));
  if (target === "") return undefined;
  let best: { name: string; score: number } | undefined;
  for (const name of names) {
    const score = similarity(target, squash(name.slice(0, MAX_NAME)));
    if (score >= 0.6 && (best === undefined || score > best.score)) best = { name, score };
  }
  return best?.name;
}

export function nameOf(tool: CheckedTool): string {
  return `${tool.namespace}.${tool.identifier}`;
}

/** The line of a signature that says how the tool is called, without comments. */
export function signatureLine(tool: CheckedTool): string {
  const { signature } = tool;
  const line = signature.split("\n").find((text) => text.startsWith(nameOf(tool))) ?? signature;
  return line.replace(/\/\*\*.*?\*\/ ?/g, "");
}

/** 0 to 1: letters in common, or words in common whatever their order. */
function likeness(target: string, words: ReadonlySet<string>, identifier: string): number {
  const name = identifier.slice(0, MAX_NAME);
  const letters = similarity(target, squash(name));
  if (letters === 1) return 1;
  const own = wordsOf(name);
  let shared = 0;
  for (const word of words) if (own.has(word)) shared += 1;
  const union = words.size + own.size - shared;
  return Math.max(letters, union === 0 ? 0 : shared / union);
}

function squash(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function wordsOf(name: string): ReadonlySet<string> {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return new Set(parts.filter((part) => part !== "").map((part) => part.replace(/(?<=..)s$/, "")));
}

/** 1 − edit distance ÷ length, two letters swapped being one edit; 0 as soon as the lengths alone rule likeness out. */
function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const longest = Math.max(a.length, b.length);
  if (longest === 0 || Math.abs(a.length - b.length) > longest * 0.5) return 0;
  let beforeLast: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (beforeLast[j - 2] as number) + 1 : Infinity;
      row.push(Math.min(change, swap, (previous[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    beforeLast = previous;
    previous = row;
  }
  return 1 - (previous[b.length] as number) / longest;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
