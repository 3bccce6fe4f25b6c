// Whole servers: everything compiles, made values are told apart, and the text stays small.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import type { JsonObject } from "../../contract/json.ts";
import type { NamedTool } from "../../contract/tool.ts";
import { emitDeclarations, emitOneLine, emitTool } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { corpus, isSharedCorpus, named } from "./emit-data.ts";
import { literalsOf } from "./emit-literals.ts";
import { liveTools } from "./emit-live.ts";
import { errorsByLine, errorsBySnippet, literal } from "./emit-program.ts";

const tools = named([...corpus, ...(await liveTools())]);
const bare = emitDeclarations(tools, { docs: "none" });

test(
  verifies(
    "stubs:compile",
    "the declarations of all servers compile together at every level of documentation",
  ),
  () => {
    for (const docs of ["none", "summary", "full"] as const) {
      expect([...errorsByLine(emitDeclarations(tools, { docs }).text)], docs).toEqual([]);
    }
  },
  180_000,
);

test(
  verifies(
    ["stubs:valid-accepted", "stubs:invalid-caught"],
    "made values of real schemas are told apart by their types",
  ),
  () => {
    const seen = new Set<string>();
    const uses = tools.flatMap((tool) => usesOf(tool, seen));
    const errors = errorsBySnippet(
      bare.text,
      uses.map(({ snippet }) => snippet),
    );
    const refused = uses.filter(({ valid }, index) => valid && errors[index]?.length !== 0);
    const invalid = uses.filter(({ valid }) => !valid);
    const caught = uses.filter(({ valid }, index) => !valid && errors[index]?.length !== 0);
    expect(refused.map(({ snippet }) => snippet)).toEqual([]);
    expect(caught.length / invalid.length).toBeGreaterThanOrEqual(0.99);
    expect(invalid.length).toBeGreaterThan(tools.length * 2);
  },
  180_000,
);

function usesOf(
  { tool, namespace, identifier }: NamedTool,
  seen: Set<string>,
): readonly { valid: boolean; snippet: string }[] {
  const call = `${namespace}.${identifier}`;
  const uses = (
    schema: JsonObject,
    write: (text: string) => string,
  ): { valid: boolean; snippet: string }[] => {
    const made = literalsOf(schema, seen);
    return [
      ...made.valid.map((value) => ({ valid: true, snippet: write(literal(value)) })),
      ...made.invalid.map(({ value }) => ({ valid: false, snippet: write(literal(value)) })),
    ];
  };
  return [
    ...uses(tool.inputSchema, (text) => `${call}(${text});`),
    ...(tool.outputSchema === undefined
      ? []
      : uses(tool.outputSchema, (text) => `{ const x: Awaited<ReturnType<typeof ${call}>> = ${text}; }`)),
  ];
}

test(
  verifies("stubs:own-faults", "no tool of a real server is so bad that nothing is known of its argument"),
  () => {
    const notes = bare.notes.filter((note) => note.includes("too large"));
    expect(notes).toEqual([]);
  },
);

test(
  verifies("stubs:token-budget", "stubs stay within their share of the raw definitions"),
  { timeout: 180_000 },
  () => {
    const measured = isSharedCorpus ? named(corpus) : tools;
    const raw = measured
      .map(({ tool: { name, description, inputSchema, outputSchema } }) =>
        JSON.stringify({ name, description, inputSchema, outputSchema }),
      )
      .join("\n");
    const share = (text: string): number => countTokens(text) / countTokens(raw);
    const each = (detail: "name" | "summary"): string =>
      measured.map((tool) => emitTool(tool, { detail }).text).join("\n");
    expect(share(each("summary"))).toBeLessThanOrEqual(0.47);
    expect(share(emitDeclarations(measured, { docs: "summary" }).text)).toBeLessThanOrEqual(0.47);
    expect(share(emitDeclarations(measured, { docs: "none" }).text)).toBeLessThanOrEqual(0.21);
    const spaces = Map.groupBy(measured, ({ namespace }) => namespace);
    const index = [...spaces].map(([namespace, members]) =>
      [namespace, ...members.map((tool) => `${tool.identifier} // ${emitOneLine(tool)}`)].join("\n"),
    );
    // Small fixtures have short schemas, so names weigh more.
    expect(share(index.join("\n"))).toBeLessThanOrEqual(isSharedCorpus ? 0.05 : 0.15);
  },
);

test(verifies("stubs:deterministic", "the order of arrival does not show in the declarations"), () => {
  const again = emitDeclarations(tools.toReversed(), { docs: "full" });
  expect(again.text).toBe(emitDeclarations(tools, { docs: "full" }).text);
});
