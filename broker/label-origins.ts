// Owns the labels of a run and which of its results brought each of them.
import type { CallRequest } from "../contract/call.ts";
import type { LabelInPlay } from "../contract/decision.ts";

type Result = LabelInPlay["results"][number];

export interface LabelOrigins {
  /** A result has arrived with these labels. */
  absorb(call: Pick<CallRequest, "seq" | "server" | "tool">, labels: readonly string[]): void;
  /** The script brought back something that an earlier run had shown, with these labels. */
  returned(labels: Iterable<string>): void;
  inPlay(labels: Iterable<string>): readonly LabelInPlay[];
  /** Every server, and the conversation, that brought one of these labels: texts to be compared. */
  sources(labels: Iterable<string>): readonly string[];
}

const MAX_RESULTS = 20;

/** `labels` begins with what the conversation has seen, and grows with every result. */
export function createLabelOrigins(labels: Set<string>): LabelOrigins {
  const conversation = new Set(labels);
  const origins = new Map<string, Map<string, Result>>();
  return {
    absorb({ seq, server, tool }, added) {
      const key = JSON.stringify([server, tool]);
      for (const label of added) {
        labels.add(label);
        let results = origins.get(label);
        if (results === undefined) origins.set(label, (results = new Map<string, Result>()));
        if (!results.has(key)) results.set(key, { seq, server, tool });
      }
    },
    returned(brought) {
      for (const label of brought) {
        labels.add(label);
        conversation.add(label);
      }
    },
    inPlay: (wanted) =>
      [...wanted].map((label) => ({
        label,
        results: [...(origins.get(label)?.values() ?? [])].slice(0, MAX_RESULTS),
        conversation: conversation.has(label),
      })),
    sources: (wanted) =>
      [...wanted].flatMap((label) => [
        ...new Set(
          [...(origins.get(label)?.values() ?? [])].map(({ server }) => JSON.stringify([label, server])),
        ),
        ...(conversation.has(label) ? [JSON.stringify([label])] : []),
      ]),
  };
}
