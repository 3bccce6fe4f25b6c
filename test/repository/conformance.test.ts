// How a run of the conformance suite is judged: nothing that was required may be missing, late or quietly excepted.
import { expect, test } from "vitest";
import { readExceptions, REVISIONS } from "../../scripts/conformance/exceptions.ts";
import { judge, type Check, type SuiteRun } from "../../scripts/conformance/verdict.ts";
import { verifies } from "../requirements.ts";

const ok: Check = { id: "good", status: "SUCCESS" };
const bad: Check = { id: "wrong", status: "FAILURE", errorMessage: "no header" };

function suiteRun(
  results: Readonly<Record<string, readonly Check[]>>,
  more: Partial<SuiteRun> = {},
): SuiteRun {
  return {
    required: Object.keys(results),
    results: new Map(Object.entries(results)),
    said: new Map(),
    log: "",
    code: 0,
    ...more,
  };
}

test(verifies("repository:conformance", "scenarios whose checks all succeed pass"), () => {
  const verdict = judge(suiteRun({ one: [ok], two: [ok, { id: "note", status: "INFO" }] }), []);
  expect(verdict).toEqual({ passed: ["one", "two"], failures: [], excepted: [] });
});

test(
  verifies("repository:conformance", "a failed check names its scenario, its reason and its client's words"),
  () => {
    const { failures } = judge(
      suiteRun({ one: [ok, bad] }, { code: 1, said: new Map([["one", "it broke"]]) }),
      [],
    );
    expect(failures).toEqual(["one: check wrong failed\nno header\nit broke"]);
  },
);

test(verifies("repository:conformance", "a required scenario without results fails"), () => {
  const { failures } = judge(suiteRun({}, { required: ["lost"] }), []);
  expect(failures).toEqual(["lost: it did not run, or checked nothing"]);
});

test(verifies("repository:conformance", "a scenario that only skipped has shown nothing"), () => {
  const { passed, failures } = judge(suiteRun({ one: [{ id: "a", status: "SKIPPED" }] }), []);
  expect(passed).toEqual([]);
  expect(failures).toEqual(["one: it did not run, or checked nothing"]);
});

test(verifies("repository:conformance", "an exception for one check excuses no other"), () => {
  const exception = { what: "one:wrong", reason: "not offered" };
  const other: Check = { id: "other", status: "FAILURE" };
  const { failures, excepted } = judge(suiteRun({ one: [bad, other] }, { code: 1 }), [exception]);
  expect(failures).toEqual(["one: check other failed"]);
  expect(excepted).toEqual([exception]);
});

test(verifies("repository:conformance", "an exception that does not fail any more fails the run"), () => {
  const { failures } = judge(suiteRun({ one: [ok] }), [{ what: "one", reason: "was so once" }]);
  expect(failures).toEqual(["one: it is listed as an exception and does not fail; take it off the list"]);
});

test.each(["Client timed out after 120000ms", "Scenario timed out after 30000ms"])(
  verifies("repository:conformance", "a run in which something timed out proves nothing: %s"),
  (line) => {
    const { failures } = judge(suiteRun({ one: [ok] }, { log: `…\n${line}\n…` }), []);
    expect(failures).toEqual([`the run proves nothing: ${line}`]);
  },
);

test(verifies("repository:conformance", "a suite that fails without a failed check fails the run"), () => {
  const { failures } = judge(suiteRun({ one: [ok] }, { code: 3 }), []);
  expect(failures).toEqual(["the suite ended with exit code 3, for a reason not found in its results"]);
});

test(verifies("repository:conformance", "the committed list of exceptions can be read for every run"), () => {
  for (const revision of REVISIONS) {
    for (const side of ["client", "server"] as const) {
      for (const { reason } of readExceptions(side, revision)) expect(reason).not.toBe("");
    }
  }
});
