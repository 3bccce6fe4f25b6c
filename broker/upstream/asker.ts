// Owns the port through which an upstream asks a person during a call, in the words of neither protocol era.
import type { JsonObject } from "../../contract/json.ts";

export interface AskerReply {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Why nobody was asked, or the answer was not used. */
  readonly note?: string;
}

/** Answers what a server asks during one call. */
export interface Asker {
  /** The same for all calls of one run. Security: a question that may be of another run is put to nobody. */
  readonly owner: object;
  /**
   * `params` is what the server sent; `certain` is false when another open call of the same run may be the one that asks.
   * Never rejects; settles soon after `signal` aborts.
   */
  ask(
    question: { readonly params: JsonObject; readonly certain: boolean },
    options: { readonly signal: AbortSignal },
  ): Promise<AskerReply>;
}
