// Every hostile script ends as it must, beside innocent runs: the project's own always, the large set where it is given.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostileCase } from "../fixtures/hostile/case.ts";
import { escapes } from "../fixtures/hostile/escapes.ts";
import { floods } from "../fixtures/hostile/floods.ts";
import { memory } from "../fixtures/hostile/memory.ts";
import { time } from "../fixtures/hostile/time.ts";
import { verifies } from "../requirements.ts";
import { readData } from "../support/data.ts";
import { openBattery, type Battery } from "./battery.ts";
import { DATA_LIMITS, OWN_LIMITS } from "./limits.ts";

const data = (readData("cases/hostile.json") ?? []) as readonly HostileCase[];
const sets = [
  { name: "never ends", cases: time, limits: OWN_LIMITS },
  { name: "takes memory", cases: memory, limits: OWN_LIMITS },
  { name: "floods", cases: floods, limits: OWN_LIMITS },
  { name: "escapes", cases: escapes, limits: OWN_LIMITS },
  ...[0, 50, 100, 150]
    .map((from) => ({ name: `data from ${from}`, cases: data.slice(from, from + 50), limits: DATA_LIMITS }))
    .filter(({ cases }) => cases.length > 0),
];

describe.each(sets)("$name", ({ cases, limits }) => {
  let battery: Battery;
  beforeAll(async () => {
    battery = await openBattery(limits);
  });
  afterAll(async () => {
    await battery[Symbol.asyncDispose]();
  });
  for (const hostile of cases) {
    test(verifies("contain:hostile-script", `${hostile.id}: ${hostile.technique}`), async () => {
      expect(await battery.attack(hostile)).toEqual([]);
    });
  }
});
