// Owns what approvals, grants, literals and dry runs promise.
export const requirements: Readonly<Record<string, string>> = {
  "approval:literals":
    "constants of a script are found by value, bounded, and nothing computed is one of them",
};
