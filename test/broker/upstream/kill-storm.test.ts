// Two hundred servers, each killed at a moment chosen by a seed, while scripts call all their neighbours.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { randomOf } from "../../support/random.ts";
import { verifies } from "../../requirements.ts";
import { storm } from "./kill-storm.ts";

const KILLS = 200;
const SEED = 20_261;

test.runIf(existsSync("/proc/self/cmdline"))(
  verifies(
    "upstream:killed-any-time",
    "200 servers killed at random moments: no neighbour loses a call, no run hangs, no process is left",
  ),
  { timeout: 600_000 },
  async () => {
    const random = randomOf(SEED);
    const problems: string[] = [];
    let kills = 0;
    for (let round = 1; kills < KILLS; round += 1) {
      expect(round, `only ${kills} servers were killed`).toBeLessThan(30);
      const pair = await Promise.all([storm(`${round}a`, random), storm(`${round}b`, random)]);
      for (const one of pair) {
        kills += one.kills;
        problems.push(...one.problems);
      }
    }
    expect(problems).toEqual([]);
  },
);
