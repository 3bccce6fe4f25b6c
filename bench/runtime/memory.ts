// Owns memory figures of worker processes, read from /proc; Linux only.
import { readdirSync, readFileSync } from "node:fs";

const KB_PER_MB = 1_024;

/** Resident memory of each child of this process, MB; proportional share where the kernel gives it. */
export function childMemory(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && parentOf(name) === process.pid)
    .map((pid) => residentMb(pid));
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

function residentMb(pid: string): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/u.exec(text)?.[1] ?? 0) / KB_PER_MB;
}
