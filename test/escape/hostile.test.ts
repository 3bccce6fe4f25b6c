// Every hostile script ends as it must, beside innocent runs: the project's own always, the large set where it is given.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { openBattery, type Battery } from "./battery.ts";
import { dataCases, ownCases } from "./cases.ts";
import { DATA_LIMITS, OWN_LIMITS } from "./limits.ts";

/** A battery serves so many, so that none of its workers retires. */
const PER_BATTERY = 50;
const parts = Array.from({ length: Math.ceil(dataCases.length / PER_BATTERY) }, (_, at) => ({
  name: `data, part ${at + 1}`,
  cases: dataCases.slice(at * PER_BATTERY, (at + 1) * PER_BATTERY),
  limits: DATA_LIMITS,
}));
const own = Object.entries(ownCases).map(([name, cases]) => ({ name, cases, limits: OWN_LIMITS }));

describe.each([...own, ...parts])("$name", ({ cases, limits }) => {
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
