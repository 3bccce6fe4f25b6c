// Owns the hard bounds of one run and their defaults.

/** Hard bounds of one run. Every one has a default and is reported in `usage`. */
export interface RunLimits {
  /** Wall time from start to end, ms. @defaultValue 60 000 */
  readonly wallMs: number;
  /** CPU time in the isolate, waits for tools excluded, ms. @defaultValue 10 000 */
  readonly cpuMs: number;
  /** V8 heap of the isolate, MB. @defaultValue 64 */
  readonly memoryMb: number;
  /** Calls in total. @defaultValue 10 000 */
  readonly calls: number;
  /** Calls at one time; more wait, none fail. @defaultValue 32 */
  readonly callsInFlight: number;
  /** One call, approval excluded, ms. @defaultValue 60 000 */
  readonly callTimeoutMs: number;
  /** JSON text of one call's arguments, bytes. @defaultValue 1 MiB */
  readonly argumentBytes: number;
  /** JSON text of one call's result, bytes. @defaultValue 8 MiB */
  readonly resultBytes: number;
  /** Logged text returned; more is cut in the middle, bytes. @defaultValue 64 KiB */
  readonly outputBytes: number;
  /** Logged text in total; more ends the run, bytes. @defaultValue 8 MiB */
  readonly logBytes: number;
  /** The script's source, bytes. @defaultValue 256 KiB */
  readonly scriptBytes: number;
  /** Timers pending at one time. @defaultValue 1 000 */
  readonly timers: number;
}

export const DEFAULT_LIMITS: RunLimits = {
  wallMs: 60_000,
  cpuMs: 10_000,
  memoryMb: 64,
  calls: 10_000,
  callsInFlight: 32,
  callTimeoutMs: 60_000,
  argumentBytes: 1 << 20,
  resultBytes: 8 << 20,
  outputBytes: 64 << 10,
  logBytes: 8 << 20,
  scriptBytes: 256 << 10,
  timers: 1_000,
};
