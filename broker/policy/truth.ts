// Owns the three answers of a matcher. "unsure" forbids and never permits.

/** `unsure`: the value has the wrong type, is too long, or can be read in two ways. */
export type Truth = "yes" | "no" | "unsure";

export function both(truths: Iterable<Truth>): Truth {
  let result: Truth = "yes";
  for (const truth of truths) {
    if (truth === "no") return "no";
    if (truth === "unsure") result = "unsure";
  }
  return result;
}

export function either(truths: Iterable<Truth>): Truth {
  let result: Truth = "no";
  for (const truth of truths) {
    if (truth === "yes") return "yes";
    if (truth === "unsure") result = "unsure";
  }
  return result;
}

export function opposite(truth: Truth): Truth {
  return truth === "yes" ? "no" : truth === "no" ? "yes" : "unsure";
}
