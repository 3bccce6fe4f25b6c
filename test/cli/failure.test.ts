// How failures, call tables and receipts read.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_LIMITS,
  type CallReceipt,
  type Diagnostic,
  type RunError,
  type RunResult,
} from "../../index.ts";
import { callTable, whatWasDone } from "../../cli/call-table.ts";
import { diagnosticList, failure } from "../../cli/failure.ts";
import { receipt } from "../../cli/receipt.ts";
import { render, type Text } from "../../cli/text/styled.ts";
import { verifies } from "../requirements.ts";

const plain = (texts: readonly Text[]): readonly string[] =>
  texts.flatMap((text) => render(text, false).split("\n"));

function call(part: Partial<CallReceipt> = {}): CallReceipt {
  const base = { seq: 1, server: "files", tool: "read", status: "ok", durationMs: 5 } as const;
  return { ...base, argumentBytes: 2, resultBytes: 10, safeToRepeat: true, ...part };
}

function result(part: Partial<RunResult> = {}): RunResult {
  return {
    runId: "r",
    status: "failed",
    output: "",
    outputTruncated: false,
    warnings: [],
    calls: [],
    usage: {
      wallMs: 1_234,
      cpuMs: 56,
      heapMb: 4,
      calls: 0,
      maxCallsInFlight: 0,
      loggedBytes: 100,
      resultBytes: 5_100,
      timers: 0,
      limits: DEFAULT_LIMITS,
    },
    sandbox: { level: "hardened", measures: {}, missing: [] },
    ...part,
  };
}

const failed = (error: RunError, calls: readonly CallReceipt[] = []): readonly string[] =>
  plain(failure(result({ error, calls }), "a.ts"));

describe("the place of an error", () => {
  const at = (source: string, column: number): readonly string[] =>
    failed({ code: "SCRIPT_THREW", message: "m", line: 7, column, source }).slice(1, 4);

  test(verifies("cli:failure", "the caret is below the column"), () => {
    expect(at("const a = b;", 11)).toEqual(["  --> a.ts:7:11", "  7 | const a = b;", "                ^"]);
  });

  test(verifies("cli:failure", "a tab counts as one column"), () => {
    expect(at("\t\tboom()", 3)).toEqual(["  --> a.ts:7:3", "  7 |   boom()", "        ^"]);
  });

  test(
    verifies(["cli:failure", "cli:visible"], "what is escaped before the column moves the caret along"),
    () => {
      const [, line = "", caret = ""] = at("'\u001b[31m' + boom()", 11);
      expect(line).toContain("'\\u001b[31m' + boom()");
      expect(line.slice(caret.indexOf("^"))).toBe("boom()");
    },
  );

  test(verifies("cli:failure", "of a very long line the part around the column is shown"), () => {
    const source = `${"x".repeat(1_000)}HERE${"y".repeat(1_000)}`;
    const [, line = "", caret = ""] = at(source, 1_001);
    expect(line.length).toBeLessThan(200);
    expect(line).toMatch(/^ {2}7 \| ….*….?$/);
    expect(line.slice(caret.indexOf("^"))).toMatch(/^HERE/);
  });

  test(verifies("cli:failure", "wherever the column is, the caret is below what stands there"), () => {
    const unit = fc.constantFrom("a", "\t", " ", "\u001b", "\u202e", "é");
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 400 }), fc.nat(399), (text, offset) => {
        const column = (offset % text.length) + 1;
        const source = `${text.slice(0, column - 1)}@${text.slice(column)}`;
        const [, line = "", caret = ""] = at(source, column);
        expect(line[caret.indexOf("^")]).toBe("@");
      }),
    );
  });

  test(verifies("cli:failure", "a column beyond the line, or none, is no trouble"), () => {
    expect(at("ab", 99)[2]).toBe("        ^");
    expect(failed({ code: "SCRIPT_THREW", message: "m", line: 7, source: "ab" })).toContain("  --> a.ts:7");
    expect(failed({ code: "RUN_TIMEOUT", message: "m" })).toEqual([
      "error RUN_TIMEOUT: m",
      "  no call was made",
    ]);
  });
});

describe("the words of an error", () => {
  test(verifies("cli:failure", "code and message come first, with the class of a thrown error"), () => {
    const words = (part: Partial<RunError>): string | undefined =>
      failed({ code: "SCRIPT_THREW", message: "m", ...part })[0];
    expect(words({ name: "TypeError" })).toBe("error SCRIPT_THREW: TypeError: m");
    expect(words({ name: "Error" })).toBe("error SCRIPT_THREW: m");
    expect(words({ name: "TypeError", message: "TypeError: m" })).toBe("error SCRIPT_THREW: TypeError: m");
    expect(words({ name: "ToolError", code: "CALL_TIMEOUT" })).toBe("error CALL_TIMEOUT: m");
  });

  test(verifies("cli:failure", "a message without end is cut"), () => {
    expect(failed({ code: "SCRIPT_THREW", message: "x".repeat(100_000) })[0]?.length).toBeLessThan(5_000);
  });

  test(
    verifies("cli:failure", "a stack of more than one frame is shown, a single one says nothing new"),
    () => {
      const stack = "    at f script.ts:1:1\n    at script.ts:2:2";
      expect(failed({ code: "SCRIPT_THREW", message: "m", stack })).toContain("  at f script.ts:1:1");
      expect(
        failed({ code: "SCRIPT_THREW", message: "m", stack: "    at script.ts:2:2" }).join(),
      ).not.toContain("at script");
    },
  );

  test(verifies("cli:failure", "an error that may pass says so"), () => {
    const lines = failed({ code: "CALL_UPSTREAM_UNAVAILABLE", message: "m", retryable: true });
    expect(lines).toContain("  the same run may succeed when tried again");
  });

  const one: Diagnostic = {
    severity: "error",
    code: "SCRIPT_TYPE",
    message: "no",
    line: 1,
    column: 2,
    source: "abc",
  };

  test(verifies("cli:failure", "each diagnostic is told with its suggestion, errors before warnings"), () => {
    const diagnostics = [
      { ...one, severity: "warning", message: "hm" } as const,
      { ...one, suggestion: "write `abd`" },
      { ...one, message: "nor this" },
    ];
    const lines = failed({ code: "SCRIPT_TYPE", message: "no", diagnostics });
    expect(lines.filter((line) => /^(error|warning)/.test(line))).toEqual([
      "error SCRIPT_TYPE: no",
      "error SCRIPT_TYPE: nor this",
      "warning SCRIPT_TYPE: hm",
    ]);
    expect(lines).toContain("  help: write `abd`");
  });

  test(
    verifies(["cli:failure", "cli:visible"], "a suggestion of several lines is that many lines, bounded"),
    () => {
      const several = { ...one, suggestion: "Nearest tools:\ns.echo(\u001b[2J)\ns.ping()" };
      expect(plain(diagnosticList([several], "a.ts")).slice(-3)).toEqual([
        "  help: Nearest tools:",
        "        s.echo(\\u001b[2J)",
        "        s.ping()",
      ]);
      const many = plain(diagnosticList([{ ...one, suggestion: "x\n".repeat(500) }], "a.ts"));
      expect(many.length).toBeLessThan(30);
      expect(many.at(-1)).toBe("        and 480 more lines");
    },
  );

  test(verifies("cli:failure", "of very many diagnostics the first are told and the rest counted"), () => {
    const lines = plain(
      diagnosticList(
        Array.from({ length: 55 }, () => one),
        "a.ts",
      ),
    );
    expect(lines.filter((line) => line.startsWith("error"))).toHaveLength(20);
    expect(lines.at(-1)).toBe("and 35 more");
  });
});

describe("calls", () => {
  test(
    verifies("cli:receipt", "one line a tool, its calls by what became of them, in the order of first use"),
    () => {
      const calls = [
        call(),
        call({ tool: "write", status: "error", code: "CALL_TOOL_ERROR", safeToRepeat: false }),
        call({ status: "denied", code: "CALL_DENIED" }),
        call(),
      ];
      expect(plain(callTable(calls))).toEqual([
        "  files.read   2 ok, 1 denied CALL_DENIED",
        "  files.write  1 error CALL_TOOL_ERROR",
      ]);
    },
  );

  test(verifies("cli:receipt", "very many tools are counted, not listed"), () => {
    const lines = plain(callTable(Array.from({ length: 100 }, (_, index) => call({ tool: `t${index}` }))));
    expect(lines).toHaveLength(31);
    expect(lines.at(-1)).toBe("  and 70 more tools");
  });

  test(verifies(["cli:receipt", "cli:visible"], "names of servers and tools stay in their line"), () => {
    const evil = "a\nb\u001b[2J\u202e";
    for (const line of plain(callTable([call({ server: evil, tool: evil.repeat(50) })]))) {
      expect(line.length).toBeLessThan(100);
      expect(/[\p{Cc}\p{Cf}]/u.test(line)).toBe(false);
    }
  });

  test(verifies("cli:failure", "done, unknown, failed, safe and never sent are told apart"), () => {
    const calls = [
      call({ tool: "send", safeToRepeat: false }),
      call({ tool: "send", safeToRepeat: false }),
      call({ tool: "pay", status: "unknown", safeToRepeat: false }),
      call({ tool: "read" }),
      call({ tool: "drop", status: "denied" }),
      call({ tool: "late", status: "unsent" }),
      call({ tool: "break", status: "error", code: "CALL_TOOL_ERROR", safeToRepeat: false }),
      call({ tool: "odd", status: "error", code: "CALL_INVALID_RESULT", safeToRepeat: false }),
    ];
    expect(plain(whatWasDone(calls))).toEqual([
      "  already done, do not repeat: files.send ×2, files.odd",
      "  sent, effect unknown: files.pay",
      "  failed, may be done in part: files.break",
      "  safe to repeat: files.read",
      "  never sent: files.drop, files.late",
    ]);
  });

  test(verifies("cli:failure", "every call is in exactly one of them"), () => {
    const status = fc.constantFrom<CallReceipt["status"]>("ok", "error", "denied", "unknown", "unsent");
    fc.assert(
      fc.property(fc.array(fc.tuple(status, fc.boolean()), { maxLength: 25 }), (list) => {
        const calls = list.map(([state, safe], index) => {
          const neverSent = state === "denied" || state === "unsent";
          return call({ tool: `t${index}_`, status: state, safeToRepeat: neverSent || safe });
        });
        const text = plain(whatWasDone(calls)).join("\n");
        for (const { tool } of calls) expect(text.split(`files.${tool}`)).toHaveLength(2);
      }),
    );
  });
});

describe("the receipt", () => {
  test(verifies("cli:receipt", "it is a few lines"), () => {
    expect(plain(receipt(result({ status: "completed", calls: [call()] })))).toEqual([
      "completed in 1.23 s, cpu 56 ms, 1 call, 0 errors",
      "  files.read  1 ok",
      "  sandbox: hardened",
      "  context: 5.0 KB stayed out of the model's context, 100 B logged",
    ]);
  });

  test(
    verifies("cli:receipt", "it says where a weaker sandbox is explained, and that output was cut"),
    () => {
      const sandbox = { level: "process", measures: {}, missing: ["network: no unshare"] } as const;
      const text = plain(receipt(result({ sandbox, outputTruncated: true }))).join("\n");
      expect(text).toContain("sandbox: process (why: callgate doctor)");
      expect(text).toContain("(output truncated)");
      expect(text).toMatch(/^failed in/);
    },
  );

  test(verifies("cli:receipt", "a paused run waits for approval"), () => {
    expect(plain(receipt(result({ status: "paused" })))[0]).toMatch(/^waiting for approval/);
  });
});
