// Owns how amounts are written for people: bytes, times, counts.

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** `0 B`, `612 B`, `1.2 MB`; steps of 1,000. */
export function bytes(count: number): string {
  let value = Math.max(0, count);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `85 ms`, `1.24 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  const whole = Math.round(Math.max(0, ms));
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 59_995) return `${(whole / 1_000).toFixed(2)} s`;
  const seconds = Math.round(whole / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
