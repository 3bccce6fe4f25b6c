// What a caller is told when a script goes wrong: where, why, and what was still under way.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { openGate, type Opened } from "./opened.ts";

let opened: Opened;
beforeAll(async () => {
  opened = await openGate({ policy: { default: "allow", rules: [{ tools: "own.fail", effect: "deny" }] } });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

const run = (script: string): Promise<RunResult> => opened.gate.run(script, { check: "off" });

describe("promises that nobody waits for", () => {
  test(
    verifies("errors:pending", "calls in flight at the end fail the run, by name; what it logged is kept"),
    async () => {
      const { status, error, output, calls } = await run(
        "void own.held({ n: 1 }); void own.held({ n: 2 }); await sleep(50); return 'done';",
      );
      expect(status).toBe("failed");
      expect(error).toMatchObject({
        code: "RUN_PENDING_CALLS",
        message: expect.stringContaining("2 of its calls had no result, own.held first"),
      });
      expect(output).toBe("done");
      expect(calls.map(({ status: end }) => end)).toEqual(["unknown", "unknown"]);
    },
  );

  test(
    verifies(
      "errors:pending",
      "calls that still waited for their turn are told apart from those that were sent",
    ),
    async () => {
      const { error, calls } = await opened.gate.run(
        "for (let n = 0; n < 5; n++) void own.held({ n }); await sleep(50);",
        {
          check: "off",
          limits: { callsInFlight: 2 },
        },
      );
      expect(error?.code).toBe("RUN_PENDING_CALLS");
      expect(calls.map(({ status, safeToRepeat }) => `${status} ${safeToRepeat}`)).toEqual([
        "unknown false",
        "unknown false",
        "unsent true",
        "unsent true",
        "unsent true",
      ]);
    },
  );

  test(
    verifies("errors:unhandled", "rejections with nobody listening are warnings, whatever was rejected"),
    async () => {
      for (const [thrown, shown] of [
        ["new Error('lost')", "lost"],
        ["null", "null"],
        ["undefined", "undefined"],
        ["7", "7"],
        ["'text'", "text"],
      ]) {
        const { status, output, warnings } = await run(
          `Promise.reject(${thrown}); await sleep(1); return 'on';`,
        );
        expect([status, output]).toEqual(["completed", "on"]);
        expect(warnings).toContainEqual(
          expect.objectContaining({
            code: "UNHANDLED_REJECTION",
            message: expect.stringContaining(shown ?? ""),
          }),
        );
      }
    },
  );

  test(verifies("errors:unhandled", "what a timer throws is a warning, and the script goes on"), async () => {
    const { output, warnings } = await run(
      "setTimeout(() => { throw new Error('in a timer'); }, 0); await sleep(5); return 'on';",
    );
    expect(output).toBe("on");
    expect(warnings.map(({ message }) => message).join()).toContain("in a timer");
  });

  test(verifies("errors:unhandled", "a call that fails with nobody listening is a warning"), async () => {
    const { output, warnings } = await run("void own.fail({}); await own.wait({ ms: 20 }); return 'on';");
    expect(output).toBe("on");
    expect(warnings.map(({ message }) => message).join()).toContain("own.fail");
  });
});

describe("refusals before anything is awaited", () => {
  test(
    verifies("errors:denied", "a denial inside Promise.all harms neither the other calls nor the broker"),
    async () => {
      const rejections: unknown[] = [];
      const keep = (reason: unknown): void => void rejections.push(reason);
      process.on("unhandledRejection", keep);
      const { output } = await run(
        "const all = await Promise.allSettled([own.fail({}), own.echo({ n: 1 }), own.fail({}), own.echo({ n: 2 })]); return all.map((one) => one.value?.n ?? one.reason.code).join();",
      );
      expect(output).toBe("CALL_DENIED,1,CALL_DENIED,2");
      const many = await run(
        "const all = await Promise.allSettled(Array.from({ length: 500 }, () => own.fail({}))); return all.every((one) => one.reason instanceof ToolError) && all.length;",
      );
      expect(many.output).toBe("500");
      const failed = await run("await Promise.all([own.echo({}), own.fail({})]);");
      expect(failed.error).toMatchObject({ code: "CALL_DENIED", server: "own", tool: "fail", line: 1 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      process.off("unhandledRejection", keep);
      expect(rejections).toEqual([]);
    },
  );

  test(verifies("errors:denied", "a denied tool never runs"), async () => {
    const { calls } = await run("await own.fail({ message: 'x' }).catch(() => {});");
    expect(calls).toMatchObject([{ tool: "fail", status: "denied", safeToRepeat: true }]);
  });
});

describe("positions are those of the script as written", () => {
  const cases: readonly (readonly [name: string, script: string, line: number, column: number])[] = [
    ["a plain throw", "const a = 1;\nthrow new Error('x');", 2, 7],
    ["line ends of Windows", "const a = 1;\r\nconst b = 2;\r\n  null.x;\r\n", 3, 8],
    ["a byte order mark", "\uFEFFconst a = 1;\nnull.x;", 2, 6],
    ["a code fence", "```ts\nconst a = 1;\n\nnull.x;\n```", 4, 6],
    ["a shebang", "#!/usr/bin/env node\nnull.x;", 2, 6],
    ["types above it", "interface Row {\n  a: number;\n}\nconst rows: Row[] = [];\nrows[0]!.a.b;", 5, 10],
    ["types on its line", "const rows: Array<{ a: string }> = [] as any; (rows as any)[0].a;", 1, 64],
    ["a callback", "[1, 2].forEach((n) => {\n  if (n === 2) throw new Error('two');\n});", 2, 22],
    [
      "an async function",
      "async function load() {\n  await own.echo({});\n  throw new Error('x');\n}\nawait load();",
      3,
      9,
    ],
    ["after an await", "await own.echo({});\nawait sleep(1);\n\nnull.x;", 4, 6],
    ["a denied call", "const a = 1;\nawait own\n  .fail({});", 3, 4],
    ["an expression over several lines", "const value = [\n  1,\n  null.x,\n];", 3, 8],
    ["characters outside the basic plane", "const text = '😀😀'; null.x;", 1, 27],
    ["a template literal over lines", "const text = `a\nb\nc`;\nnull.x;", 4, 6],
  ];
  for (const [name, script, line, column] of cases) {
    test(verifies("errors:positions", name), async () => {
      const { error } = await run(script);
      expect(error).toMatchObject({ line, column });
      expect(error?.stack ?? "").not.toMatch(/callgate|worker|guest|node:|\//);
    });
  }

  test(verifies("errors:positions", "the source line and every frame are the script's"), async () => {
    const { error } = await run(
      "const inner = () => {\n  throw new TypeError('deep');\n};\nfunction outer() {\n  inner();\n}\nouter();",
    );
    expect(error).toMatchObject({
      code: "SCRIPT_THREW",
      name: "TypeError",
      message: "deep",
      line: 2,
      source: "  throw new TypeError('deep');",
    });
    expect(error?.stack?.split("\n").map((frame) => frame.trim())).toEqual([
      "at inner script.ts:2:9",
      "at outer script.ts:5:3",
      "at script.ts:7:1",
    ]);
  });

  test(verifies("errors:positions", "receipts name the line of each call"), async () => {
    const { calls } = await run("await own.echo({});\n\nawait own.echo({}); await own.echo(\n  {},\n);");
    expect(calls.map(({ line }) => line)).toEqual([1, 3, 3]);
  });
});
