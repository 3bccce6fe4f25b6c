// Owns what this machine offers for containment: system commands found in fixed folders and probed once.
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { promisify } from "node:util";

/** How the worker is wrapped; `argv` comes before the Node command. */
export interface Wrapper {
  readonly name: string;
  readonly argv: readonly string[];
}

export interface Platform {
  /** An empty network namespace, or why there is none. */
  readonly network: Wrapper | { readonly missing: string };
  /** Path of `prlimit`, or why there is none. */
  readonly prlimit: string | { readonly missing: string };
}

const run = promisify(execFile);
// Security: never looked up through PATH, which the caller's environment controls.
const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
const PROBE_TIMEOUT_MS = 5_000;

function findSystemCommand(name: string): string | undefined {
  return SYSTEM_FOLDERS.map((folder) => `${folder}/${name}`).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function works(argv: readonly string[]): Promise<boolean> {
  try {
    const [command, ...rest] = [...argv, process.execPath, "--version"];
    await run(command as string, rest, { env: {}, cwd: "/", timeout: PROBE_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

async function probeNetwork(): Promise<Platform["network"]> {
  const unshare = findSystemCommand("unshare");
  const bwrap = findSystemCommand("bwrap");
  const candidates: Wrapper[] = [];
  if (unshare !== undefined) {
    candidates.push({ name: "unshare", argv: [unshare, "--user", "--net", "--"] });
    candidates.push({ name: "unshare", argv: [unshare, "--net", "--"] });
  }
  if (bwrap !== undefined) {
    const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--unshare-net", "--unshare-ipc", "--new-session"];
    candidates.push({ name: "bwrap", argv: [bwrap, ...view, "--die-with-parent", "--"] });
  }
  for (const candidate of candidates) if (await works(candidate.argv)) return candidate;
  if (candidates.length === 0) return { missing: "neither unshare nor bwrap is installed" };
  return { missing: "this system refuses new network namespaces (container seccomp profile or AppArmor)" };
}

async function probePrlimit(): Promise<Platform["prlimit"]> {
  const path = findSystemCommand("prlimit");
  if (path === undefined) return { missing: "prlimit (util-linux) is not installed" };
  if (await works([path, "--data=1073741824", "--core=0", "--"])) return path;
  return { missing: "prlimit cannot set limits here" };
}

let probed: Promise<Platform> | undefined;

/** Probes once per process. */
export function probePlatform(): Promise<Platform> {
  probed ??= (async () => {
    if (process.platform !== "linux") {
      const missing = `not available on ${process.platform}; Linux is the hardened platform`;
      return { network: { missing }, prlimit: { missing } };
    }
    const [network, prlimit] = await Promise.all([probeNetwork(), probePrlimit()]);
    return { network, prlimit };
  })();
  return probed;
}
