// Promises of the examples.
export const requirements: Readonly<Record<string, string>> = {
  "examples:run": "each example prints what its README says, and nothing on stderr",
  "examples:complete": "each example has a README, and a test that runs it",
  "examples:listed": "each example can be found from the README or a document",
  "examples:runner": "npm run example builds and runs one by name, and tells which there are",
  "examples:join-cli": "the script of the join prints the same under callgate run",
};
