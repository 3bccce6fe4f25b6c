// npm run example: one example by name.
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { node, outputOf, root } from "./support.ts";

const runner = join(root, "scripts/example.ts");

test(
  verifies("examples:runner", "it builds and runs the example of that name"),
  () => {
    const { code, stdout } = node([runner, "two-server-join"]);
    expect([code, stdout]).toEqual([0, outputOf("two-server-join")]);
  },
  240_000,
);

test(verifies("examples:runner", "a name that is none is told with those that are"), () => {
  const { code, stdout, stderr } = node([runner, "two-server-joint"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: no example "two-server-joint"; there are .*\btwo-server-join\b/);
});
