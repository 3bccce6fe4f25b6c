// Owns placeholders: values of some kinds leave as tokens that say nothing, and come back as values for tools.
import { createHmac } from "node:crypto";
import { withoutEscapes } from "./json-view.ts";
import type { ValueKind } from "./policy/output.ts";
import { findRegex, type Span } from "./policy/regex-search.ts";
import type { Redactor } from "./redact.ts";
import { createVault, type Vault } from "./token-vault.ts";
import { FINDERS } from "./value-kinds.ts";

/** What one run shows, and what it gets back. */
export interface RunTokens extends Redactor {
  /**
   * JSON text of arguments with the values in place of known tokens, escaped. It stops growing soon after `maxUnits`
   * (UTF-16 units), so check the length. The run is told the labels of what the values came from.
   */
  resolve(json: string, maxUnits: number): string;
}

export interface LabelledRun {
  /** Labels of what the run has seen, now. */
  readonly labels: ReadonlySet<string>;
  /** Values came back that runs with these labels had shown. */
  returned(labels: Iterable<string>): void;
}

export interface Tokens {
  /** Tokens of one principal mean nothing to another. */
  open(principal: string, run: LabelledRun): RunTokens;
  /** For records that a model never sees: the same placeholders, of which none begins to stand for a value by it. */
  record(principal: string): Redactor;
  /** What a model is told of them; empty when the policy makes none. */
  readonly note: string;
}

export interface TokenOptions {
  readonly kinds: readonly ValueKind[];
  /** Runs before tokens are made. */
  readonly redactor: Redactor;
  /** Secret, and new for every gate. */
  readonly key: Uint8Array;
  /** Shortest token, in hexadecimal digits; two values never share one. @defaultValue 12 */
  readonly digits?: number;
  /** Values kept per principal, the last ones used. @defaultValue 10 000 */
  readonly maxValues?: number;
  /** UTF-16 units kept per principal. @defaultValue 2 000 000 */
  readonly maxUnits?: number;
}

/** A longer value is hidden for good. */
const MAX_VALUE = 1_000;
/** How often JSON may have been put into JSON. */
const MAX_ENCODED = 3;
const MAX_PRINCIPALS = 100;
const TOKEN = /<[a-z][a-z0-9-]{0,23}:[0-9a-f]{1,64}>/g;

export function createTokens(options: TokenOptions): Tokens {
  const { kinds, redactor, key } = options;
  const vaults = new Map<string, Vault>();

  function vaultOf(principal: string): Vault {
    const known = vaults.get(principal);
    const vault =
      known ??
      createVault({
        digest: (kind, value) =>
          createHmac("sha256", key)
            .update(JSON.stringify([principal, kind, value]))
            .digest("hex"),
        digits: options.digits ?? 12,
        maxValues: options.maxValues ?? 10_000,
        maxUnits: options.maxUnits ?? 2_000_000,
      });
    vaults.delete(principal);
    vaults.set(principal, vault);
    const [oldest] = vaults.keys();
    if (vaults.size > MAX_PRINCIPALS && oldest !== undefined) vaults.delete(oldest);
    return vault;
  }

  return {
    note: noteOf(kinds),
    open(principal, run) {
      if (kinds.length === 0) return { redact: redactor.redact, resolve: (json) => json };
      const vault = vaultOf(principal);
      return {
        redact: (text) =>
          replaceValues(redactor.redact(text), kinds, vault, (kind, value) =>
            vault.put(kind, value, run.labels),
          ),
        resolve: (json, maxUnits) => resolveTokens(json, maxUnits, vault, run),
      };
    },
    record(principal) {
      if (kinds.length === 0) return redactor;
      return {
        redact(text) {
          const vault = vaultOf(principal);
          return replaceValues(redactor.redact(text), kinds, vault, vault.peek);
        },
      };
    },
  };
}

function noteOf(kinds: readonly ValueKind[]): string {
  const [first, ...more] = kinds.filter(({ how }) => how === "token").map(({ name }) => name);
  if (first === undefined) return "";
  const names = [first, ...more].join(", ");
  return `What you are shown has placeholders such as <${first}:0a1b2c3d4e5f> for real values (${names}). Scripts read the real values in results. Write a placeholder into a tool's argument as it is: the tool gets the value.`;
}

function replaceValues(
  text: string,
  kinds: readonly ValueKind[],
  vault: Vault,
  tokenOf: (kind: string, value: string) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  // Tokens are left as they are, so that text that was shown before can be shown again.
  for (const { index, 0: token } of text.matchAll(TOKEN)) {
    if (vault.find(token) === undefined) continue;
    parts.push(replaceIn(text.slice(from, index), kinds, tokenOf), token);
    from = index + token.length;
  }
  parts.push(replaceIn(text.slice(from), kinds, tokenOf));
  return parts.join("");
}

function replaceIn(
  text: string,
  kinds: readonly ValueKind[],
  tokenOf: (kind: string, value: string) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, value, kind } of findValues(text, kinds)) {
    const hidden = kind.how === "hide" || value.length > MAX_VALUE;
    const shown = hidden ? `«redacted ${kind.name}»` : tokenOf(kind.name, value);
    parts.push(text.slice(from, start), shown);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

interface Found extends Span {
  readonly value: string;
  readonly kind: ValueKind;
}

/** In order, without overlap. What is found through escapes goes before what only looks so with them. */
function findValues(text: string, kinds: readonly ValueKind[], depth: number = 0): readonly Found[] {
  const plain = findIn(text, kinds);
  const view = depth < MAX_ENCODED ? withoutEscapes(text) : undefined;
  if (view === undefined) return plain;
  const through = findValues(view.text, kinds, depth + 1).map(({ start, end, value, kind }) => ({
    start: view.offsets[start]!,
    end: view.offsets[end]!,
    value,
    kind,
  }));
  let next = 0;
  const more = plain.filter(({ start, end }) => {
    while (next < through.length && through[next]!.end <= start) next++;
    return next === through.length || through[next]!.start >= end;
  });
  return [...through, ...more].toSorted((a, b) => a.start - b.start);
}

function findIn(text: string, kinds: readonly ValueKind[]): readonly Found[] {
  const all = kinds
    .flatMap((kind) => {
      const spans =
        kind.pattern === undefined ? FINDERS.get(kind.name)!(text) : findRegex(kind.pattern.regex, text);
      return spans.map((span) => ({ ...span, kind }));
    })
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  const joined: { start: number; end: number; kind: ValueKind }[] = [];
  for (const { start, end, kind } of all) {
    const last = joined.at(-1);
    if (last === undefined || start >= last.end) {
      joined.push({ start, end, kind });
      continue;
    }
    // Values that overlap are one, so that no rest of either is shown.
    last.end = Math.max(last.end, end);
    if (kind.how === "hide") last.kind = kind;
  }
  return joined.map((one) => ({ ...one, value: text.slice(one.start, one.end) }));
}

function resolveTokens(json: string, maxUnits: number, vault: Vault, run: LabelledRun): string {
  const parts: string[] = [];
  let from = 0;
  let length = json.length;
  for (const { index, 0: token } of json.matchAll(TOKEN)) {
    if (length > maxUnits) break;
    const entry = vault.find(token);
    if (entry === undefined) continue;
    const value = JSON.stringify(entry.value).slice(1, -1);
    parts.push(json.slice(from, index), value);
    from = index + token.length;
    length += value.length - token.length;
    // Security: a value brings along what was known of the data it came from, into whichever run it comes back.
    run.returned(entry.labels);
  }
  parts.push(json.slice(from));
  return parts.join("");
}
