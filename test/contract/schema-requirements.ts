export const requirements: Readonly<Record<string, string>> = {
  "schema:wider": "a degraded schema accepts every value that its source accepts",
  "schema:equal": "a degraded schema refuses what its source refuses, but for what had to be dropped",
  "schema:pure": "degrading a schema never throws and never changes it",
  "schema:dialect": "the dialect follows $schema, and is 2020-12 without it",
  "schema:local":
    "references that leave the document are dropped with a note, and nothing is read or fetched",
  "schema:cycles": "a validator ends on every degraded schema",
  "schema:patterns":
    "patterns that may run for ever, or do not compile, are dropped or tried on short texts only",
  "schema:polarity":
    "dropping a part never narrows the whole through not, if, oneOf or unevaluatedProperties",
  "schema:bounded": "the work of degrading is bounded in schemas, depth, patterns and notes",
  "schema:default": "an argument with a default need not be given at the top level of an input",
  "schema:notes": "notes can be shown: one line, bounded, without control or reordering characters",
};
