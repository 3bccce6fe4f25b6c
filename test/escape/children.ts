// Owns what the system says of this process's children. Empty where there is no /proc.
import { readdirSync, readFileSync } from "node:fs";

/** Direct children of a process. */
export function childrenOf(parent: number = process.pid): readonly number[] {
  return numbers("/proc").filter((pid) => statOf(`/proc/${pid}`)?.parent === parent);
}

export function isAlive(pid: number): boolean {
  const stat = statOf(`/proc/${pid}`);
  return stat !== undefined && stat.state !== "Z" && stat.state !== "X";
}

/** True when a thread of the process runs at this moment. */
export function isRunning(pid: number): boolean {
  return numbers(`/proc/${pid}/task`).some((id) => statOf(`/proc/${pid}/task/${id}`)?.state === "R");
}

/** Resident memory, MB. */
export function residentMb(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** Polls until `holds` or the time is over. */
export async function eventually(holds: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function numbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function statOf(folder: string): { readonly state: string; readonly parent: number } | undefined {
  const text = read(`${folder}/stat`);
  // The name of a program may hold spaces and brackets; what counts comes after its end.
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === undefined || state === "" ? undefined : { state, parent: Number(parent) };
}
