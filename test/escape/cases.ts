// Owns the list of all hostile scripts: the project's own, and the large set where it is given.
import type { HostileCase } from "../fixtures/hostile/case.ts";
import { escapes } from "../fixtures/hostile/escapes.ts";
import { floods } from "../fixtures/hostile/floods.ts";
import { memory } from "../fixtures/hostile/memory.ts";
import { time } from "../fixtures/hostile/time.ts";
import { readData } from "../support/data.ts";

export const ownCases: Readonly<Record<string, readonly HostileCase[]>> = {
  "never ends": time,
  "takes memory": memory,
  floods,
  escapes,
};

export const dataCases: readonly HostileCase[] = (readData("cases/hostile.json") ??
  []) as readonly HostileCase[];
