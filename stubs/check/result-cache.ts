// Owns the results kept for scripts that are compiled again: bounded in number and in size, oldest use first out.
import { createHash } from "node:crypto";
import type { CompileRequest, CompileResult } from "../../contract/compile.ts";

const MAX_ENTRIES = 128;
const MAX_UNITS = 8 << 20;

export class ResultCache {
  readonly #entries: Map<string, { result: CompileResult; units: number }> = new Map();
  #units = 0;

  static key(request: CompileRequest, catalogHash: string): string {
    return createHash("sha256")
      .update(JSON.stringify([request.check, catalogHash, request.script]))
      .digest("base64");
  }

  get(key: string): CompileResult | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.result;
  }

  set(key: string, result: CompileResult): void {
    const units = (result.code?.length ?? 0) + 4_096;
    this.#units += units - (this.#entries.get(key)?.units ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { result, units });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#units <= MAX_UNITS) break;
      this.#entries.delete(oldest);
      this.#units -= entry.units;
    }
  }
}
