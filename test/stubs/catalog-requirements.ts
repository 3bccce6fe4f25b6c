// Owns what the catalog and its search promise.
export const requirements: Readonly<Record<string, string>> = {
  "catalog:exact-name": "a tool asked for by any spelling of its name is the first hit",
  "catalog:recall": "a need in plain words finds its tool among the first ten hits",
  "catalog:server-filter":
    "a search can be held to one server, and a server's name alone does not outrank what a tool does",
  "catalog:hit": "a hit carries the callable name, the stub at the detail asked for and the first sentence",
  "catalog:nothing": "a search that finds nothing says what there is",
  "catalog:bounded": "no query and no name makes the catalog throw or work without bound",
  "catalog:embed": "ranks by meaning are fused with ranks by keyword; vectors are made once per definition",
  "catalog:embed-degrades":
    "an embedding function that fails, hangs or returns nonsense leaves the keyword result and a note",
  "catalog:describe":
    "several tools are described at once, by any spelling; unknown names bring near matches",
  "catalog:near": "a mistyped name finds the tools it looks like, also on other servers",
  "catalog:text-forms":
    "the listing is all stubs, all names or all servers, by budget, and says COMPLETE or PARTIAL",
  "catalog:text-stable":
    "the listing is the same bytes for the same tools, whatever their order of arrival or what was looked up",
  "catalog:text-growth": "a server more leaves the earlier bytes of the listing in place",
  "catalog:tokens": "the token estimate is at most 10 % below the true count of a listing",
  "catalog:hash": "the hash depends on the definitions and names, not on their order",
  "catalog:threshold": "a budget that is no share of a window is refused",
  "catalog:hostile-text": "text of a server cannot break out of its line of a listing",
};
