// Owns telling a stdout that a shell closed (`>&-`), which Node replaces by /dev/null, from one that is to be discarded.
import { readFileSync, readlinkSync } from "node:fs";

const NOWHERE = "/dev/null";
const SHELL = /^(?:ba|da|z|k|mk|a|fi)?sh$/;
const READ_WRITE = 2;

interface Proc {
  link(path: string): string;
  text(path: string): string;
}

const system: Proc = { link: (path) => readlinkSync(path), text: (path) => readFileSync(path, "utf8") };

/**
 * True where it is certain, on Linux only. A shell opens /dev/null for writing alone, Node for reading too; but so do
 * other programs that discard what a child writes, for which see the parent.
 */
export function isClosedStdout(parent: number, proc: Proc = system): boolean {
  try {
    if (proc.link("/proc/self/fd/1") !== NOWHERE) return false;
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(proc.text("/proc/self/fdinfo/1")) ?? [];
    if (flags === undefined || (Number.parseInt(flags, 8) & 3) !== READ_WRITE) return false;
    if (!SHELL.test(proc.text(`/proc/${parent}/comm`).trim())) return false;
    return !isNowhere(`/proc/${parent}/fd/1`, proc);
  } catch {
    return false;
  }
}

/** A shell without a stdout of its own has passed on what it has: nothing. */
function isNowhere(path: string, proc: Proc): boolean {
  try {
    return proc.link(path) === NOWHERE;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
