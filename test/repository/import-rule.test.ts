// The import rule, applied to imports that nobody has written.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { problemOf } from "./import-rule.ts";
import { readSource } from "./sources.ts";

const local = (from: string, target: string, typeOnly = false): string | undefined =>
  problemOf({ from, target, local: true, typeOnly });
const outside = (from: string, target: string, typeOnly = false): string | undefined =>
  problemOf({ from, target, local: false, typeOnly });

test.each([
  ["broker/dispatch.ts", "contract/call.ts"],
  ["broker/dispatch.ts", "broker/policy/decide.ts"],
  ["callgate.ts", "runtime/pool.ts"],
  ["index.ts", "callgate.ts"],
  ["cli/main.ts", "index.ts"],
  ["cli/main.ts", "server/index.ts"],
  ["runtime/worker/main.ts", "contract/frame.ts"],
])(verifies("repository:import-rule", "%s may import %s"), (from, target) => {
  expect(local(from, target)).toBeUndefined();
});

test.each([
  ["broker/dispatch.ts", "runtime/pool.ts"],
  ["stubs/emit.ts", "broker/dispatch.ts"],
  ["runtime/pool.ts", "stubs/emit.ts"],
  ["runtime/pool.ts", "callgate.ts"],
  ["runtime/pool.ts", "runtime/worker/main.ts"],
  ["runtime/worker/main.ts", "runtime/script/wrap.ts"],
  ["contract/call.ts", "index.ts"],
  ["cli/main.ts", "callgate.ts"],
  ["cli/main.ts", "server/serve.ts"],
  ["cli/main.ts", "contract/error.ts"],
  ["callgate.ts", "test/support/data.ts"],
  ["runtime/guest/main.ts", "contract/json.ts"],
  ["broker/dispatch.ts", "broker/policy"],
  ["gate.ts", "runtime/pool.ts"],
  ["extra.ts", "contract/call.ts"],
])(verifies("repository:import-rule", "%s may not import %s"), (from, target) => {
  expect(local(from, target)).toMatch(/\.$/);
});

test(
  verifies(
    "repository:import-rule",
    "types of contract reach the guest, and the worker's types reach runtime",
  ),
  () => {
    expect(local("runtime/guest/main.ts", "contract/message.ts", true)).toBeUndefined();
    expect(local("runtime/pool.ts", "runtime/worker/main.ts", true)).toBeUndefined();
    expect(local("broker/dispatch.ts", "runtime/pool.ts", true)).toMatch(/broker/);
  },
);

test.each([
  ["contract/call.ts", "node:fs"],
  ["contract/call.ts", "undici"],
  ["runtime/guest/main.ts", "node:buffer"],
  ["runtime/worker/main.ts", "zod"],
  ["runtime/pool.ts", "isolated-vm"],
])(verifies("repository:import-rule", "%s may not load %s"), (from, target) => {
  expect(outside(from, target)).toMatch(/\.$/);
});

test(
  verifies("repository:import-rule", "the reader sees static, type-only, dynamic and re-exporting imports"),
  () => {
    const { imports } = readSource("test/fixtures/repository/imports.ts");
    expect(imports.map(({ target, local: isLocal, typeOnly }) => [target, isLocal, typeOnly])).toEqual([
      ["node:fs", false, false],
      ["@scope/name", false, true],
      ["test/fixtures/repository/a.ts", true, false],
      ["test/fixtures/b.ts", true, true],
      ["package", false, true],
      ["package", false, false],
    ]);
  },
);
