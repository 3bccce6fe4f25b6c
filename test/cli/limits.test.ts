// Limits as people write them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS, type RunLimits } from "../../index.ts";
import { LimitProblem, limitValue, parseLimit } from "../../cli/limits.ts";
import { verifies } from "../requirements.ts";
import { inside, words } from "./inside.ts";
import { folder } from "./support.ts";

test.each([
  ["wallMs=10s", ["wallMs", 10_000]],
  ["wallMs=1500", ["wallMs", 1_500]],
  ["cpuMs=250ms", ["cpuMs", 250]],
  ["callTimeoutMs=2m", ["callTimeoutMs", 120_000]],
  ["wallMs=1.5h", ["wallMs", 5_400_000]],
  ["memoryMb=128", ["memoryMb", 128]],
  ["memoryMb=128mb", ["memoryMb", 128]],
  ["memoryMb=1GB", ["memoryMb", 1_024]],
  ["outputBytes=64kb", ["outputBytes", 64_000]],
  ["outputBytes=64KiB", ["outputBytes", 65_536]],
  ["scriptBytes=1000", ["scriptBytes", 1_000]],
  ["calls=500", ["calls", 500]],
  [" calls = 500 ", ["calls", 500]],
])(verifies("cli:limits", "%s is understood"), (text, expected) => {
  expect(parseLimit(text)).toEqual(expected);
});

test.each([
  ["wallMs", "expected name=value"],
  ["=5", "expected name=value"],
  ["wall=5", "there is no limit wall; did you mean wallMs?"],
  ["__proto__=5", "there is no limit __proto__; limits are wallMs"],
  ["constructor=5", "there is no limit constructor"],
  ["wallMs=", 'wallMs: expected milliseconds or a time such as "10s"'],
  ["wallMs=soon", "wallMs: expected milliseconds"],
  ["wallMs=-5", "wallMs: expected milliseconds"],
  ["wallMs=64kb", "wallMs: expected milliseconds"],
  ["wallMs=1.5", "wallMs: expected milliseconds"],
  ["outputBytes=10s", 'outputBytes: expected bytes or a size such as "64kb"'],
  ["calls=10k", "calls: expected a whole number"],
  ["calls=1e9", "calls: expected a whole number"],
  ["memoryMb=lots", 'memoryMb: expected megabytes or a size such as "128mb"'],
])(verifies("cli:limits", "%s is refused, with what was expected"), (text, message) => {
  expect(() => parseLimit(text)).toThrow(LimitProblem);
  expect(() => parseLimit(text)).toThrow(message);
});

test.each([[{}], [[10]], [null], [true], [{ toString: 5 }], [undefined]])(
  verifies("cli:limits", "%j in a configuration is refused"),
  (written) => {
    expect(() => limitValue("wallMs", written)).toThrow(LimitProblem);
  },
);

test(verifies("cli:limits", "every limit takes its default back as written"), () => {
  for (const [name, value] of Object.entries(DEFAULT_LIMITS))
    expect(parseLimit(`${name}=${value}`)).toEqual([name, value]);
});

test(verifies("cli:limits", "a value is a whole number or is refused, whatever was written"), () => {
  const keys = Object.keys(DEFAULT_LIMITS) as (keyof RunLimits)[];
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.oneof(fc.string(), fc.jsonValue()), (key, written) => {
      let value: number | undefined;
      try {
        value = limitValue(key, written);
      } catch (error) {
        expect(error).toBeInstanceOf(LimitProblem);
        return;
      }
      expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
    }),
  );
});

test(
  verifies("cli:limits", "limits of the command line reach the run, the last of a name wins"),
  async () => {
    const args = [
      "run",
      "-e",
      "return 1",
      "--json",
      "--limit",
      "calls=7",
      "--limit",
      "wallMs=9s",
      "--limit",
      "calls=8",
    ];
    const { stdout } = await words(args, { cwd: folder() });
    const { usage } = JSON.parse(stdout) as { usage: { limits: RunLimits } };
    expect(usage.limits).toEqual({ ...DEFAULT_LIMITS, calls: 8, wallMs: 9_000 });
  },
);

test(
  verifies("cli:limits", "limits of the configuration hold, those of the command line come before them"),
  async () => {
    const cwd = folder({ "callgate.json": '{ "limits": { "wallMs": "20s", "calls": 5 } }' });
    const { stdout } = await words(["run", "-e", "return 1", "--json", "--limit", "calls=6"], { cwd });
    const { usage } = JSON.parse(stdout) as { usage: { limits: RunLimits } };
    expect(usage.limits).toMatchObject({ wallMs: 20_000, calls: 6 });
  },
);

test(verifies("cli:limits", "a limit below what could run is refused by the gate as usage"), async () => {
  const ended = await words(["run", "-e", "return 1", "--limit", "memoryMb=1"], { cwd: folder() });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("limits.memoryMb");
});

test(
  verifies("cli:limits", "a number beyond every limit is refused with the bound, where it is written"),
  async () => {
    const cwd = folder({ "callgate.json": '{ "limits": { "wallMs": 1e15 } }' });
    const { code, stderr } = await words(["run", "-e", "return 1"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error CONFIG_INVALID: callgate\.json:1:15: limits\.wallMs: .*2147483647/);
  },
);

test(verifies("cli:limits", "the help of run lists every limit"), async () => {
  const help = inside(["run", "--help"], { cwd: folder() });
  await help.code;
  for (const [name, value] of Object.entries(DEFAULT_LIMITS))
    expect(help.stdout()).toContain(`${name}=${value}`);
  expect(help.stdout()).not.toMatch(/default: [{[]/);
});
