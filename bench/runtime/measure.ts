// Owns how a runtime benchmark is measured: rounds of batches, percentiles over all, medians of rounds.

export interface Sample {
  readonly p50: number;
  readonly p95: number;
}

/** Runs `task` `rounds` × `batch` times after a warm-up; milliseconds. */
export async function measure(
  task: () => Promise<void>,
  options: { readonly rounds: number; readonly batch: number },
): Promise<Sample> {
  for (let count = 0; count < 5; count += 1) await task();
  const p50s: number[] = [];
  const p95s: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const times: number[] = [];
    for (let count = 0; count < options.batch; count += 1) {
      const start = performance.now();
      await task();
      times.push(performance.now() - start);
      // Lets the worker refill its reserve, as it does between runs of a live host.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    p50s.push(percentile(times, 0.5));
    p95s.push(percentile(times, 0.95));
  }
  return { p50: percentile(p50s, 0.5), p95: percentile(p95s, 0.5) };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
