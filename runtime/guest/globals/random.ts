// Owns the seeded generator (sfc32) and Math.random.
import { NumberParseInt, StringSlice } from "../primordials.ts";
import { defineValue } from "./define.ts";

/** A stream of 32-bit integers, a pure function of its seed. Not fit for secrets. */
export interface RandomStream {
  /** @param seed 32 hex digits. */
  readonly reset: (seed: string) => void;
  /** The next integer, 0 to 2³² − 1. */
  readonly next: () => number;
}

/** sfc32 (Chris Doty-Humphrey). Streams of one seed with different `lane`s are independent. */
export function createRandomStream(lane: number): RandomStream {
  let a = 0;
  let b = 0;
  let c = 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  const word = (seed: string, index: number): number =>
    NumberParseInt(StringSlice(seed, index * 8, index * 8 + 8), 16) | 0;
  return {
    reset(seed) {
      a = word(seed, 0) ^ lane;
      b = word(seed, 1);
      c = word(seed, 2);
      counter = word(seed, 3);
      // Mixes a poor seed (few bits set) through the whole state.
      for (let i = 0; i < 20; i++) next();
    },
    next,
  };
}

/** Replaces Math.random by 53 bits of the stream. */
export function installRandom(stream: RandomStream): void {
  const methods = {
    random(): number {
      const high = stream.next() >>> 5;
      const low = stream.next() >>> 6;
      return (high * 67_108_864 + low) / 9_007_199_254_740_992;
    },
  };
  defineValue(Math, "random", methods.random);
}
