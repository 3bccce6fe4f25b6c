// Random schemas, many at once: types compile and accept what a validator accepts, unlisted keys aside.
import fc from "fast-check";
import { expect, test } from "vitest";
import { emitDeclarations } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { wellFormed } from "./emit-arbitrary.ts";
import { named } from "./emit-data.ts";
import { literalsOf } from "./emit-literals.ts";
import { errorsBySnippet, literal } from "./emit-program.ts";

const COUNT = 250;

test(
  verifies(
    ["stubs:valid-accepted", "stubs:compile"],
    "random schemas compile, and all but one in a hundred valid values pass: those with keys of another branch",
  ),
  () => {
    const schemas = fc
      .sample(wellFormed, { numRuns: COUNT, seed: 7 })
      .map((schema) => JSON.parse(JSON.stringify(schema)) as typeof schema);
    const tools = named(
      schemas.map((inputSchema, index) => ({ server: "s", name: `t${index}`, inputSchema })),
    );
    const uses = tools.flatMap(({ tool, identifier }) => {
      try {
        const { valid } = literalsOf(tool.inputSchema, new Set(), 120);
        return valid.map((value) => ({
          snippet: `s.${identifier}(${literal(value)});`,
          schema: tool.inputSchema,
        }));
      } catch {
        // A reference that leads back to itself: no validator can run the source.
        return [];
      }
    });
    const errors = errorsBySnippet(
      emitDeclarations(tools, { docs: "none" }).text,
      uses.map(({ snippet }) => snippet),
    );
    const refused = uses.flatMap(({ snippet, schema }, index) =>
      errors[index]?.length === 0 ? [] : [`${snippet} ${JSON.stringify(schema)} ${errors[index]?.join()}`],
    );
    expect(uses.length).toBeGreaterThan(COUNT);
    // A value can be valid by a branch that does not list its keys while another one does: types refuse that.
    if (refused.length > uses.length / 100) expect(refused).toEqual([]);
  },
  120_000,
);
