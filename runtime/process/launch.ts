// Owns the command line of a worker and the report of what it achieves. Security: every containment flag is here.
import { CallgateError } from "../../contract/error.ts";
import type { SandboxReport } from "../../contract/result.ts";
import type { Platform } from "./platform.ts";

export interface LaunchOptions {
  readonly jit: boolean;
  /** Heap of one isolate, MB. */
  readonly memoryMb: number;
  /** Runs that may share the process at one time. */
  readonly runsPerWorker: number;
  readonly warm: number;
  readonly nodePath: string;
  readonly workerPath: string;
  readonly guestPath: string;
  readonly addonPath: string;
}

export interface Launch {
  readonly command: string;
  readonly argv: readonly string[];
  readonly report: SandboxReport;
  /** Set when only the watchdog bounds memory, MB of resident memory. */
  readonly watchdogMb: number | undefined;
}

/** Resident memory of a worker without runs, with room for its reserve of warm isolates, MB. */
const BASE_MB = 128;
/** Isolates whose limit the process may reach together; beyond it a run is moved to a process of its own. */
const SHARED_HEAPS = 3;
const OLD_SPACE_MB = 64;
const PROCESSES = 256;
const BYTES_PER_MB = 1_048_576;

/** Throws WORKER_START_FAILED for a measure that the system does not contain; a watchdog is no containment. */
export function requireContained(report: SandboxReport, required: readonly ("network" | "memory")[]): void {
  for (const measure of required) {
    const achieved = report.measures[measure];
    if (achieved !== null && achieved !== undefined && achieved !== "watchdog") continue;
    const why = report.missing.filter((line) => line.startsWith(measure)).join("; ");
    const text = `The sandbox cannot contain ${measure} on this machine, and sandbox.require asks for it. ${why}`;
    throw new CallgateError("WORKER_START_FAILED", text, { data: { measure } });
  }
}

export function planLaunch(platform: Platform, options: LaunchOptions): Launch {
  const dataMb = BASE_MB + options.memoryMb * Math.min(options.runsPerWorker, SHARED_HEAPS);
  const missing: string[] = [];
  const prefix: string[] = [];

  let network: string | null = null;
  if ("missing" in platform.network) missing.push(`network: ${platform.network.missing}`);
  else {
    network = platform.network.name;
    prefix.push(...platform.network.argv);
  }

  let memory: string | null = null;
  if (typeof platform.prlimit !== "string") missing.push(`memory: ${platform.prlimit.missing}`);
  else if (options.jit) {
    missing.push(
      "memory: a data limit needs sandbox.jit off, because V8 reserves half a gigabyte per isolate with JIT",
    );
    prefix.push(platform.prlimit, "--core=0", `--nproc=${PROCESSES}`, "--");
  } else {
    memory = "rlimit-data";
    prefix.push(
      platform.prlimit,
      `--data=${dataMb * BYTES_PER_MB}`,
      "--core=0",
      `--nproc=${PROCESSES}`,
      "--",
    );
  }
  const canWatch = process.platform === "linux";
  const watchdogMb = memory === null && canWatch ? dataMb * 2 : undefined;

  const configuration = {
    addonPath: options.addonPath,
    guestPath: options.guestPath,
    memoryMb: options.memoryMb,
    warm: options.warm,
  };
  const node = [
    options.nodePath,
    ...(options.jit ? [] : ["--jitless"]),
    "--no-node-snapshot",
    "--no-warnings",
    "--permission",
    "--allow-addons",
    `--allow-fs-read=${options.addonPath}`,
    `--allow-fs-read=${options.workerPath}`,
    `--allow-fs-read=${options.guestPath}`,
    `--max-old-space-size=${OLD_SPACE_MB}`,
    options.workerPath,
    JSON.stringify(configuration),
  ];
  const [command, ...argv] = [...prefix, ...node];
  const contained = network !== null && memory !== null;
  return {
    command: command as string,
    argv,
    watchdogMb,
    report: {
      level: contained ? "hardened" : network !== null || memory !== null ? "partial" : "process",
      measures: {
        process: "child process, empty environment",
        permission: "node --permission, dropped after start",
        jit: options.jit ? null : "off",
        network,
        memory: memory ?? (canWatch ? "watchdog" : null),
      },
      missing: options.jit ? [...missing, "jit: sandbox.jit is on"] : missing,
    },
  };
}

/** The report, corrected by what a worker says it could not give up. */
export function withPermissions(report: SandboxReport, held: readonly string[]): SandboxReport {
  if (held.length === 0) return report;
  const kept = held.join(", ").slice(0, 200);
  return {
    ...report,
    level: report.level === "hardened" ? "partial" : report.level,
    measures: { ...report.measures, permission: `node --permission; still held: ${kept}` },
    missing: [...report.missing, `permission: this Node could not drop ${kept}`],
  };
}
