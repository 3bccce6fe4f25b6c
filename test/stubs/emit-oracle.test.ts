// A second opinion: json-schema-to-typescript on the same schemas and values. Where it differs, either the
// validator sides with our type, or a rule says why ours is wider.
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.ts";
import type { NamedTool } from "../../contract/tool.ts";
import { emitDeclarations } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { allCases, caseTools, corpus, isSharedCorpus, named } from "./emit-data.ts";
import { literalsOf } from "./emit-literals.ts";
import { errorsByLine, literal } from "./emit-program.ts";

interface Subject {
  readonly id: string;
  readonly tool: NamedTool;
  readonly schema: JsonObject;
  readonly side: "input" | "output";
  readonly valid: readonly JsonValue[];
  readonly invalid: readonly JsonValue[];
}

/** Schemas of a server may tell the oracle to read files or to print code: it gets neither chance. */
function tamed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member) => tamed(member as JsonValue));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, member]) =>
      !["tsType", "tsEnumNames", "$id", "id"].includes(key) &&
      !(key === "title" && typeof member === "string"),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, tamed(member)]));
}

async function oracleOf(schema: JsonObject, index: number): Promise<string | undefined> {
  try {
    const text = await compile(tamed(schema) as JSONSchema, "Root", {
      bannerComment: "",
      format: false,
      additionalProperties: false,
      ignoreMinAndMaxItems: true,
      unknownAny: true,
      cwd: "/nonexistent",
      $refOptions: { resolve: { external: false } },
    });
    return /export (interface|type) Root\b/.test(text) ? `namespace o${index} {\n${text}\n}` : undefined;
  } catch {
    return undefined;
  }
}

/** Why our type accepts a value that the schema refuses although the oracle's type does not. */
const WIDER: readonly { readonly rule: string; readonly applies: (schema: string) => boolean }[] = [
  {
    rule: "values of listed objects and arrays are not compared",
    applies: (text) => /"(const|enum)":(\[)?[[{]/.test(text),
  },
  {
    rule: "listed keys beside typed others: the others are unknown",
    applies: (text) => text.includes('"additionalProperties":{'),
  },
  {
    rule: "optional keys named like members of Object.prototype are unknown",
    applies: (text) => text.includes('"constructor"'),
  },
  {
    rule: "alternatives that only require say nothing",
    applies: (text) => /"(anyOf|oneOf)":\[\{"required"/.test(text),
  },
  { rule: "long lists of values are their base type", applies: (text) => text.length > 20_000 },
  { rule: "deep and wide types end in unknown", applies: (text) => text.split("{").length > 200 },
  {
    rule: "object and array consts and keys of other schemas stay open",
    applies: (text) => text.includes("unevaluatedProperties"),
  },
];

// TypeScript multiplies out what the oracle prints for products of alternatives: that takes it many seconds.
const comparable = allCases.filter(({ id }) => !id.includes("product"));
const cases: readonly Subject[] = caseTools(comparable).map(([one, tool]) => ({
  id: one.id,
  tool,
  schema: (one.inputSchema ?? one.outputSchema) as JsonObject,
  side: one.outputSchema === undefined ? "input" : "output",
  valid: one.valid,
  invalid: one.invalid.map(({ value }) => value),
}));

const seen = new Set<string>();
const real: readonly Subject[] = named(corpus)
  .filter((_tool, index) => !isSharedCorpus || index % 6 === 0)
  .map((tool) => {
    const { valid, invalid } = literalsOf(tool.tool.inputSchema, seen);
    const { name, inputSchema } = tool.tool;
    return {
      id: name,
      tool,
      schema: inputSchema,
      side: "input",
      valid,
      invalid: invalid.map(({ value }) => value),
    };
  });

async function compare(subjects: readonly Subject[]): Promise<{
  readonly unexplained: readonly string[];
  readonly wrongOfOracle: number;
  readonly thrown: number;
  readonly compared: number;
}> {
  const oracles = await Promise.all(subjects.map(({ schema }, index) => oracleOf(schema, index)));
  const head = `${
    emitDeclarations(
      subjects.map(({ tool }) => tool),
      { docs: "none" },
    ).text
  }\n${oracles.filter((text) => text !== undefined).join("\n")}`;
  const lines: string[] = [];
  const uses = subjects.flatMap((subject, index) => {
    if (oracles[index] === undefined) return [];
    const call = `${subject.tool.namespace}.${subject.tool.identifier}`;
    const ours = (text: string): string =>
      subject.side === "input"
        ? `${call}(${text});`
        : `{ const x: Awaited<ReturnType<typeof ${call}>> = ${text}; }`;
    return [
      ...subject.valid.map((value) => ({ subject, value, valid: true })),
      ...subject.invalid.map((value) => ({ subject, value, valid: false })),
    ].map((use) => {
      lines.push(ours(literal(use.value)), `{ const x: o${index}.Root = ${literal(use.value)}; }`);
      return { ...use, line: lines.length - 2 };
    });
  });
  const offset = head.split(/\r\n|[\n\r\u2028\u2029]/).length;
  const errors = errorsByLine(`${head}\n${lines.join("\n")}\n`);
  let wrongOfOracle = 0;
  const unexplained = uses.flatMap(({ subject, value, valid, line }) => {
    const [ours, oracle] = [errors.has(offset + line), errors.has(offset + line + 1)];
    if (oracle === valid) wrongOfOracle += 1;
    if (ours === oracle || ours !== valid) return [];
    const text = JSON.stringify(subject.schema);
    if (!valid && WIDER.some(({ applies }) => applies(text))) return [];
    return [`${subject.id}: ${valid ? "valid" : "invalid"} ${JSON.stringify(value).slice(0, 200)}`];
  });
  return {
    unexplained,
    wrongOfOracle,
    thrown: oracles.filter((text) => text === undefined).length,
    compared: uses.length,
  };
}

test(
  verifies(
    "stubs:oracle",
    "on hand-made schemas every difference is explained, and the oracle is wrong more often",
  ),
  async () => {
    const { unexplained, wrongOfOracle, compared } = await compare(cases);
    expect(unexplained).toEqual([]);
    expect(compared).toBeGreaterThan(100);
    expect(wrongOfOracle).toBeGreaterThan(0);
  },
  180_000,
);

test(
  verifies("stubs:oracle", "on real schemas every difference is explained"),
  async () => {
    const { unexplained, thrown, compared } = await compare(real);
    expect(unexplained).toEqual([]);
    expect(thrown).toBeLessThan(real.length / 4);
    expect(compared).toBeGreaterThan(real.length);
  },
  180_000,
);
