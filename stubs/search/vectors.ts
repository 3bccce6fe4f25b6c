// Owns ranking by meaning with an embedding function of the caller's; every fault becomes a note, never an exception.
import { printable } from "../../contract/schema/printable.ts";
import type { NamedTool } from "../../contract/tool.ts";
import { definitionHash } from "../catalog-hash.ts";
import { descriptionText, parameterTexts } from "./fields.ts";

/** Turns texts into vectors of one length, in the same order. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

export type VectorRanking =
  { readonly positions: readonly number[]; readonly note?: undefined } | { readonly note: string };

export interface VectorIndex {
  /** Positions nearest in meaning, best first. Waits at most `waitMs` and never rejects. */
  rank(query: string, accepts: (position: number) => boolean, signal?: AbortSignal): Promise<VectorRanking>;
}

/** Tools a ranking by meaning returns at most. */
export const VECTOR_DEPTH = 50;
const BATCH = 128;
const MAX_TEXT = 2_000;
const MAX_DIMENSIONS = 8_192;
const MAX_CACHED = 50_000;

/** Vectors by definition hash, per embedding function: they outlive a catalog, so a refresh embeds only what is new. */
const caches = new WeakMap<Embed, Map<string, Float32Array>>();

function cacheOf(embed: Embed): Map<string, Float32Array> {
  const cache = caches.get(embed) ?? new Map<string, Float32Array>();
  caches.set(embed, cache);
  return cache;
}

/** Embeds on the first question; a failed embedding is tried again on the next. */
export function createVectorIndex(tools: readonly NamedTool[], embed: Embed, waitMs: number): VectorIndex {
  const cache = cacheOf(embed);
  let loading: Promise<readonly Float32Array[]> | undefined;

  const load = (): Promise<readonly Float32Array[]> => {
    loading ??= loadVectors(tools, embed, cache).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  return {
    async rank(query, accepts, signal) {
      try {
        const work = Promise.all([load(), embedAll(embed, [query.slice(0, MAX_TEXT)])]);
        const [vectors, [asked]] = await within(work, waitMs, signal);
        if (asked === undefined || vectors.some((vector) => vector.length !== asked.length)) {
          throw new TypeError("vectors differ in length");
        }
        return { positions: nearest(vectors, asked, accepts) };
      } catch (error) {
        const reason = printable(error instanceof Error ? error.message : String(error), 120);
        return { note: `Ranked by keywords only: the embedding function failed (${reason}).` };
      }
    },
  };
}

async function loadVectors(
  tools: readonly NamedTool[],
  embed: Embed,
  cache: Map<string, Float32Array>,
): Promise<readonly Float32Array[]> {
  const hashes = tools.map(({ tool }) => definitionHash(tool));
  const vectors = hashes.map((hash) => cache.get(hash));
  const missing = [...vectors.keys()].filter((position) => vectors[position] === undefined);
  for (let start = 0; start < missing.length; start += BATCH) {
    const batch = missing.slice(start, start + BATCH);
    const made = await embedAll(
      embed,
      batch.map((position) => toolText(tools[position] as NamedTool)),
    );
    for (const [at, position] of batch.entries()) {
      const vector = made[at] as Float32Array;
      vectors[position] = vector;
      const oldest = cache.size >= MAX_CACHED ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(hashes[position] as string, vector);
    }
  }
  return vectors as Float32Array[];
}

function toolText({ tool }: NamedTool): string {
  const text = `${tool.server} ${tool.name}: ${descriptionText(tool)}\n${parameterTexts(tool.inputSchema, 1).join(" ")}`;
  return text.slice(0, MAX_TEXT);
}

/** Calls the function and checks what it returns: it is the caller's code, its result is not trusted to have the shape. */
async function embedAll(embed: Embed, texts: readonly string[]): Promise<Float32Array[]> {
  const made: unknown = await embed(texts);
  if (!Array.isArray(made) || made.length !== texts.length) {
    throw new TypeError(`expected ${texts.length} vectors`);
  }
  return made.map((vector: unknown) => {
    if (typeof vector !== "object" || vector === null || !("length" in vector))
      throw new TypeError("not a vector");
    const { length } = vector;
    if (typeof length !== "number" || length < 1 || length > MAX_DIMENSIONS)
      throw new TypeError("not a vector");
    const values = Float32Array.from(vector as ArrayLike<number>);
    let sum = 0;
    for (const value of values) sum += value * value;
    if (!Number.isFinite(sum)) throw new TypeError("a vector holds a value that is not a finite number");
    const norm = Math.sqrt(sum) || 1;
    return values.map((value) => value / norm);
  });
}

function nearest(
  vectors: readonly Float32Array[],
  asked: Float32Array,
  accepts: (position: number) => boolean,
): readonly number[] {
  const found: { position: number; score: number }[] = [];
  for (const [position, vector] of vectors.entries()) {
    if (!accepts(position)) continue;
    let score = 0;
    for (let at = 0; at < asked.length; at++) score += (vector[at] as number) * (asked[at] as number);
    if (score > 0) found.push({ position, score });
  }
  found.sort((a, b) => b.score - a.score || a.position - b.position);
  return found.slice(0, VECTOR_DEPTH).map((entry) => entry.position);
}

/** The result, or a rejection after `ms` or on abort; the work itself goes on, so the next question may find it done. */
async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  const aborted = (): void => reject(new Error("aborted"));
  if (signal?.aborted === true) aborted();
  signal?.addEventListener("abort", aborted, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(late);
    signal?.removeEventListener("abort", aborted);
    work.catch(() => undefined);
  }
}
