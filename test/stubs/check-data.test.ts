// Runs hostile and ordinary scripts through the checker: the large set where it is given, else the project's own.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WRAPPER } from "../../contract/compile.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { Pipeline } from "../../stubs/check/pipeline.ts";
import { emitDeclarations } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { readData } from "../support/data.ts";

interface Case {
  readonly id: string;
  readonly script: string;
  readonly refused: readonly string[];
}

function cases(): readonly Case[] {
  const given = readData("cases/hostile.json") as
    readonly { id: string; script: string; expect: { codes?: readonly string[] } }[] | undefined;
  if (given !== undefined) {
    return given.map(({ id, script, expect: { codes = [] } }) => ({ id, script, refused: codes }));
  }
  const own = JSON.parse(
    readFileSync(new URL("../fixtures/check/scripts.json", import.meta.url), "utf8"),
  ) as {
    id: string;
    script: string;
    refused?: string;
  }[];
  return own.map(({ id, script, refused }) => ({
    id,
    script,
    refused: refused === undefined ? [] : [refused],
  }));
}

test(
  verifies(
    ["check:modes", "check:types-erased"],
    "with the check off every script runs, or is refused as it may be",
  ),
  () => {
    const pipeline = new Pipeline();
    for (const { id, script, refused } of cases()) {
      const { code, diagnostics } = pipeline.compile(script, "off");
      if (code === undefined) expect(refused, id).toContain(diagnostics[0]?.code);
      else {
        expect(code.startsWith(WRAPPER.runnable.before), id).toBe(true);
        expect(code.split("\n").length, id).toBe(script.split("\n").length + 2);
      }
    }
  },
);

const DEFINITIONS: readonly (readonly [
  string,
  ToolDefinition["inputSchema"],
  ToolDefinition["outputSchema"]?,
])[] = [
  ["plain", { type: "object", properties: { path: { type: "string" } }, required: ["path"] }],
  ["none", { type: "object", properties: {}, additionalProperties: false }],
  [
    "tree",
    {
      type: "object",
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name"],
        },
      },
      properties: { root: { $ref: "#/$defs/node" } },
      required: ["root"],
    },
    { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  ],
];

test(verifies("check:arguments", "scripts are checked against declarations as the stubs emit them"), () => {
  const named = DEFINITIONS.map(([name, inputSchema, outputSchema]) => ({
    namespace: "srv",
    identifier: name,
    tool: { server: "srv", name, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) },
  }));
  const pipeline = new Pipeline();
  pipeline.setCatalog({
    hash: "emitted",
    declarations: emitDeclarations(named, { docs: "none" }).text,
    tools: named.map(({ namespace, identifier }) => ({
      namespace,
      identifier,
      signature: `/** A comment. */\n${namespace}.${identifier}(input: { /** Why. */ path: string }): Promise<any>`,
    })),
  });
  const check = (script: string): readonly string[] =>
    pipeline.compile(script, "error").diagnostics.map(({ message }) => message);

  expect(
    check("const r = await srv.plain({ path: 'a' }); await srv.none({}); return r.anything.at.all;"),
  ).toEqual([]);
  expect(check("return (await srv.tree({ root: { name: 'a', kids: [{ name: 'b' }] } })).count + 1;")).toEqual(
    [],
  );
  expect(check("await srv.tree({ root: { name: 'a', kids: [{ nmae: 'b' }] } });")).toEqual([
    "The argument of `srv.tree` lacks `name` (string); has unknown `nmae` (did you mean `name`?).",
  ]);
  expect(pipeline.compile("await srv.plian({});", "error").diagnostics[0]?.suggestion).toBe(
    "Nearest tools:\nsrv.plain(input: { path: string }): Promise<any>",
  );
});
