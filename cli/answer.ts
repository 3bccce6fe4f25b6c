// Owns how what a person types is read as an answer.
import type { ApprovalAnswer, ApprovalCall } from "../index.ts";
import { visibleLine } from "./text/visible.ts";

export const ANSWERS = "y = yes, this once   r = yes, for the rest of this run   n = no; a reason may follow";
export const SET_ANSWERS =
  "y = yes, all of them once   r = yes, for the rest of this run   s 1-3,7 = only these   n = no; a reason may follow";

/** `n too many` denies with a reason; undefined for what is no answer, which is asked again. */
export function parseAnswer(typed: string): ApprovalAnswer | undefined {
  const { word, rest } = split(typed);
  switch (word) {
    case "y":
    case "yes":
      return rest === "" ? { decision: "allow", scope: "once" } : undefined;
    case "r":
    case "run":
      return rest === "" ? { decision: "allow", scope: "run" } : undefined;
    case "n":
    case "no":
      return rest === "" ? { decision: "deny" } : { decision: "deny", reason: visibleLine(rest, 400) };
    default:
      return undefined;
  }
}

/** The same for a set; `s 1-3,7` allows these numbers of the table and refuses the others. */
export function parseSetAnswer(typed: string, set: readonly ApprovalCall[]): ApprovalAnswer | undefined {
  const { word, rest } = split(typed);
  if (word !== "s") {
    const answer = parseAnswer(typed);
    return answer && { ...answer, about: "all" };
  }
  const seqs = new Set<number>();
  for (const part of rest.split(/[\s,]+/)) {
    const [, first = "", last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    if (first === "" || Number(first) > Number(last)) return undefined;
    for (let number = Number(first); number <= Number(last); number += 1) {
      const call = set[number - 1];
      if (call === undefined) return undefined;
      seqs.add(call.seq);
    }
  }
  return {
    decision: "allow",
    scope: "once",
    about: [...seqs],
    reason: "it was not among the calls selected",
  };
}

function split(typed: string): { readonly word: string; readonly rest: string } {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(typed) ?? [];
  return { word: word.toLowerCase().replace(/[,.:;]$/, ""), rest };
}
