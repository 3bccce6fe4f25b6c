// Shows the compiler as a resource: real threads that are killed, replaced, waited for and closed.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CallgateError } from "../../contract/error.ts";
import { type Compiler, createCompiler } from "../../stubs/check/compiler.ts";
import { verifies } from "../requirements.ts";
import { catalogOf, never } from "./check-support.ts";

// Builds 900 tuples one element at a time: half a million types, far more than any limit here allows time for.
const ENDLESS = `type B<N, A extends any[] = []> = A["length"] extends N ? A : B<N, [...A, 1]>;
let z: ${Array.from({ length: 900 }, (_, i) => `B<${i + 99}>`).join(" | ")} = 1 as any; return z;`;

const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => "resolved",
    (error: unknown) => (CallgateError.is(error) ? error.code : error),
  );

/** A compiler that has started, so that its time limit alone decides. */
async function started(timeoutMs: number): Promise<Compiler> {
  const compiler = createCompiler({ timeoutMs });
  compiler.setCatalog(catalogOf("fixture"));
  await compiler.warm();
  return compiler;
}

test(
  verifies(
    "check:killed",
    "a type check without end is stopped with a sentence, and the next script is checked",
  ),
  async () => {
    await using compiler = await started(1_000);
    const { code, diagnostics } = await compiler.compile(
      { script: ENDLESS, check: "error" },
      { signal: never },
    );
    expect(code).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: "error", code: "SCRIPT_TYPE", line: 1, column: 1 }]);
    expect(diagnostics[0]?.message).toContain("1000 ms");
    expect(diagnostics[0]?.suggestion).toContain('check: "off"');
    const next = await compiler.compile(
      { script: "return github.list_isues;", check: "error" },
      { signal: never },
    );
    expect(next.diagnostics[0]?.message).toContain("has no tool");
  },
);

test(
  verifies(["check:killed", "check:modes"], "where types only advise, the script still runs"),
  async () => {
    await using compiler = await started(1_000);
    const warned = await compiler.compile({ script: ENDLESS, check: "warn" }, { signal: never });
    expect(warned.code).toContain("return z;");
    expect(warned.diagnostics).toMatchObject([{ severity: "warning", code: "SCRIPT_TYPE" }]);
    const off = await compiler.compile({ script: ENDLESS, check: "off" }, { signal: never });
    expect(off).toMatchObject({ code: warned.code, diagnostics: [] });
  },
);

describe("nesting", () => {
  let compiler: Compiler;
  beforeAll(async () => (compiler = await started(20_000)));
  afterAll(() => compiler[Symbol.asyncDispose]());

  test.each([
    ["parentheses", `${"(".repeat(100_000)}1${")".repeat(100_000)}`],
    ["brackets", `const x = ${"[".repeat(100_000)}${"]".repeat(100_000)};`],
    ["blocks", `${"{".repeat(50_000)}${"}".repeat(50_000)}`],
    ["calls", `let x: any; x${".a()".repeat(50_000)};`],
    ["additions", `const x = 1${"+1".repeat(100_000)};`],
    ["types", `let x: ${"Array<".repeat(50_000)}1${">".repeat(50_000)};`],
    ["templates", `${"`${".repeat(20_000)}1${"}`".repeat(20_000)}`],
    ["arrows", `const f = ${"() => ".repeat(50_000)}1;`],
    ["open braces", "{".repeat(200_000)],
  ])(verifies("check:killed", "%s nested beyond all measure are refused"), async (_, script) => {
    const { code, diagnostics } = await compiler.compile({ script, check: "error" }, { signal: never });
    expect(code).toBeUndefined();
    expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  });

  test(
    verifies(["check:killed", "check:modes"], "what cannot be read is a syntax error in every mode"),
    async () => {
      const script = "(".repeat(100_000);
      for (const check of ["error", "warn", "off"] as const) {
        const { diagnostics } = await compiler.compile({ script, check }, { signal: never });
        expect(diagnostics).toMatchObject([{ severity: "error", code: "SCRIPT_SYNTAX" }]);
      }
    },
  );

  test(verifies("check:killed", "after all that an ordinary script is checked"), async () => {
    const script = `const x = ${Array.from({ length: 1_000 }, (_, i) => `"line ${i}"`).join(" +\n")};\nreturn x.length;`;
    expect((await compiler.compile({ script, check: "error" }, { signal: never })).diagnostics).toEqual([]);
  });
});

test(verifies("check:killed", "a script of 256 KB is read, and checked"), async () => {
  await using compiler = await started(60_000);
  const row = '{ id: 1, name: "a name", tags: ["x", "y"] },\n';
  const script = `const rows = [\n${row.repeat(Math.floor((256 << 10) / row.length) - 2)}];\nreturn rows.length;`;
  const { code, diagnostics } = await compiler.compile({ script, check: "error" }, { signal: never });
  expect(diagnostics).toEqual([]);
  expect(code).toContain(script);
});

test(
  verifies("check:killed", "scripts in line behind one that is stopped get their own answers"),
  async () => {
    await using compiler = await started(1_500);
    const scripts = ["return 1;", ENDLESS, "return nowhere;", "return 2;"];
    const results = await Promise.all(
      scripts.map((script) => compiler.compile({ script, check: "error" }, { signal: never })),
    );
    expect(results.map(({ diagnostics }) => diagnostics.map(({ message }) => message.slice(0, 11)))).toEqual([
      [],
      ["The type ch"],
      ["Cannot find"],
      [],
    ]);
  },
);

test(verifies("check:cached", "the same script is answered with the same result"), async () => {
  await using compiler = await started(30_000);
  const request = { script: "return nowhere;", check: "error" } as const;
  const first = await compiler.compile(request, { signal: never });
  expect(await compiler.compile(request, { signal: never })).toBe(first);
  expect(await compiler.compile({ ...request, check: "warn" }, { signal: never })).not.toEqual(first);
});

test(verifies("check:cached", "a changed catalog changes the answer, also for scripts in line"), async () => {
  await using compiler = await started(30_000);
  const request = { script: "await mail.send({ to: 'a' });", check: "error" } as const;
  const before = compiler.compile(request, { signal: never });
  const more = catalogOf("more", [["mail", "send", "(input: { to: string }): Promise<any>"]]);
  compiler.setCatalog(more);
  const after = compiler.compile(request, { signal: never });
  await before;
  expect((await after).diagnostics).toEqual([]);
  compiler.setCatalog(catalogOf("fixture"));
  expect((await compiler.compile(request, { signal: never })).diagnostics).toHaveLength(1);
  compiler.setCatalog(more);
  expect((await compiler.compile(request, { signal: never })).diagnostics).toEqual([]);
});

test(verifies("check:lifecycle", "two compilers do not know of each other"), async () => {
  await using one = await started(30_000);
  await using two = createCompiler();
  two.setCatalog(catalogOf("other", [["mail", "send", "(input: {}): Promise<any>"]]));
  const script = "return [github.list_issues, mail.send].length;";
  const [a, b] = await Promise.all(
    [one, two].map((compiler) => compiler.compile({ script, check: "error" }, { signal: never })),
  );
  expect(a?.diagnostics[0]?.message).toContain("'mail'");
  expect(b?.diagnostics[0]?.message).toContain("'github'");
});

test(
  verifies("check:lifecycle", "without a catalog scripts are checked against the globals alone"),
  async () => {
    await using compiler = createCompiler();
    const { diagnostics } = await compiler.compile(
      { script: "console.log(1); return github.x;", check: "error" },
      { signal: never },
    );
    expect(diagnostics).toMatchObject([{ code: "SCRIPT_TYPE", column: 24 }]);
  },
);

test(verifies("check:lifecycle", "dispose ends every wait with DISPOSED, and later ones too"), async () => {
  const compiler = createCompiler();
  const waits = [
    compiler.warm(),
    compiler.compile({ script: "return 1;", check: "error" }, { signal: never }),
    compiler.compile({ script: ENDLESS, check: "error" }, { signal: never }),
  ].map(codeOf);
  await compiler[Symbol.asyncDispose]();
  expect(await Promise.all(waits)).toEqual(["DISPOSED", "DISPOSED", "DISPOSED"]);
  expect(await codeOf(compiler.compile({ script: "1", check: "off" }, { signal: never }))).toBe("DISPOSED");
  expect(await codeOf(compiler.warm())).toBe("DISPOSED");
  await compiler[Symbol.asyncDispose]();
});

test(verifies("check:lifecycle", "dispose ends a check that would not end by itself"), async () => {
  const compiler = await started(60_000);
  const running = codeOf(compiler.compile({ script: ENDLESS, check: "error" }, { signal: never }));
  await compiler[Symbol.asyncDispose]();
  expect(await running).toBe("DISPOSED");
});

test(verifies("check:lifecycle", "an aborted wait ends at once, and the others go on"), async () => {
  await using compiler = await started(2_000);
  const aborter = new AbortController();
  const running = codeOf(compiler.compile({ script: ENDLESS, check: "error" }, { signal: aborter.signal }));
  const queued = codeOf(
    compiler.compile({ script: "return 1;", check: "error" }, { signal: aborter.signal }),
  );
  const other = compiler.compile({ script: "return 2;", check: "error" }, { signal: never });
  aborter.abort();
  expect(await Promise.all([running, queued])).toEqual(["RUN_ABORTED", "RUN_ABORTED"]);
  expect((await other).diagnostics).toEqual([]);
  expect(await codeOf(compiler.compile({ script: "1", check: "off" }, { signal: aborter.signal }))).toBe(
    "RUN_ABORTED",
  );
});

test(verifies("check:lifecycle", "the line is bounded"), async () => {
  const compiler = createCompiler();
  const waits = Array.from({ length: 1_016 }, (_, i) =>
    codeOf(compiler.compile({ script: `return ${i};`, check: "off" }, { signal: never })),
  );
  const codes = await Promise.all(waits);
  await compiler[Symbol.asyncDispose]();
  expect(codes.filter((code) => code === "RUN_QUEUE_FULL")).toHaveLength(16);
  expect(codes.filter((code) => code === "resolved")).toHaveLength(1_000);
});

test(verifies("check:lifecycle", "an idle compiler keeps no process alive, one that works does"), () => {
  const file = new URL("../../stubs/check/compiler.ts", import.meta.url).href;
  const program = `
    const { createCompiler } = await import(${JSON.stringify(file)});
    const compiler = createCompiler();
    const { code } = await compiler.compile({ script: "return 1;", check: "error" }, { signal: new AbortController().signal });
    process.stdout.write(code.includes("return 1;") ? "compiled" : "not compiled");`;
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 50_000,
  });
  expect({ stdout, status }).toEqual({ stdout: "compiled", status: 0 });
});
