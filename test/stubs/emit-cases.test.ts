// The hand-made cases: types against values, in one program.
import { expect, test } from "vitest";
import type { JsonValue } from "../../contract/json.ts";
import type { NamedTool } from "../../contract/tool.ts";
import { emitDeclarations } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { caseTools } from "./emit-data.ts";
import { errorsBySnippet, literal } from "./emit-program.ts";
import type { SchemaCase } from "../fixtures/stubs/cases.ts";

interface Use {
  readonly id: string;
  readonly value: JsonValue;
  readonly snippet: string;
}

function use(one: SchemaCase, { namespace, identifier }: NamedTool, value: JsonValue): Use {
  const call = `${namespace}.${identifier}`;
  const snippet =
    one.outputSchema === undefined
      ? `${call}(${literal(value)});`
      : `{ const x: Awaited<ReturnType<typeof ${call}>> = ${literal(value)}; }`;
  return { id: one.id, value, snippet };
}

const tools = caseTools();
const { text } = emitDeclarations(
  tools.map(([, tool]) => tool),
  { docs: "none" },
);
const valid = tools.flatMap(([one, tool]) => one.valid.map((value) => use(one, tool, value)));
const invalid = tools.flatMap(([one, tool]) =>
  one.invalid
    .filter(({ tsCannotReject }) => tsCannotReject !== true)
    .map(({ value }) => use(one, tool, value)),
);
const errors = errorsBySnippet(
  text,
  [...valid, ...invalid].map(({ snippet }) => snippet),
);

test(
  verifies("stubs:valid-accepted", "no value that a hand-made schema accepts is refused by its type"),
  () => {
    const refused = valid.flatMap(({ id, value }, index) =>
      errors[index]?.length === 0 ? [] : [`${id}: ${JSON.stringify(value)} ${errors[index]?.join()}`],
    );
    expect(refused).toEqual([]);
  },
);

test(verifies("stubs:invalid-caught", "every value that a type can refuse is refused"), () => {
  const missed = invalid.flatMap(({ id, value }, index) =>
    errors[valid.length + index]?.length === 0 ? [`${id}: ${JSON.stringify(value).slice(0, 200)}`] : [],
  );
  expect(missed).toEqual([]);
});
