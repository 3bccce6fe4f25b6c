// What the sandbox report says is so: the launch plan for machines of every kind, and this machine's worker from within.
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCallgate } from "../../index.ts";
import { findAssets } from "../../runtime/process/assets.ts";
import { createFramesOfWorker } from "../../runtime/process/frames-of-worker.ts";
import { planLaunch, requireContained, type LaunchOptions } from "../../runtime/process/launch.ts";
import { probePlatform, type Platform } from "../../runtime/process/platform.ts";
import { startWorkerProcess } from "../../runtime/process/worker-process.ts";
import { childrenOf, eventually } from "../escape/children.ts";
import { verifies } from "../requirements.ts";
import { openGate } from "./opened.ts";

const PROBE = fileURLToPath(new URL("../fixtures/workers/probe.cjs", import.meta.url));
const linux = process.platform === "linux";

const options: LaunchOptions = {
  ...findAssets(),
  jit: false,
  memoryMb: 64,
  runsPerWorker: 8,
  warm: 1,
  nodePath: process.execPath,
};
const able: Platform = {
  network: { name: "unshare", argv: ["/usr/bin/unshare", "--net", "--"] },
  prlimit: "/usr/bin/prlimit",
};
const missing = (reason: string): { missing: string } => ({ missing: reason });

describe("the plan of a launch", () => {
  test(verifies("sandbox:report", "a machine with everything is hardened, and nothing is missing"), () => {
    const { report, watchdogMb, command, argv } = planLaunch(able, options);
    expect(report.level).toBe("hardened");
    expect(report.missing).toEqual([]);
    expect(report.measures).toMatchObject({ network: "unshare", memory: "rlimit-data", jit: "off" });
    expect(watchdogMb).toBeUndefined();
    expect(command).toBe("/usr/bin/unshare");
    expect(argv).toEqual(
      expect.arrayContaining(["--jitless", "--no-node-snapshot", "--permission", "--core=0"]),
    );
  });

  test(
    verifies(
      "sandbox:report",
      "what a machine lacks is said in a sentence with its reason, and lowers the level",
    ),
    () => {
      const noNetwork = planLaunch({ ...able, network: missing("namespaces are refused") }, options).report;
      expect(noNetwork.level).toBe("partial");
      expect(noNetwork.measures["network"]).toBeNull();
      expect(noNetwork.missing).toEqual(["network: namespaces are refused"]);
      const noMemory = planLaunch({ ...able, prlimit: missing("prlimit is not installed") }, options);
      expect(noMemory.report.level).toBe("partial");
      expect(noMemory.report.measures["memory"]).toBe(linux ? "watchdog" : null);
      expect(noMemory.watchdogMb !== undefined).toBe(linux);
      const nothing = planLaunch({ network: missing("a"), prlimit: missing("b") }, options);
      expect(nothing.report.level).toBe("process");
      expect(nothing.report.missing).toEqual(["network: a", "memory: b"]);
      expect(nothing.command).toBe(process.execPath);
    },
  );

  test(verifies("sandbox:report", "with JIT on the report says what that costs"), () => {
    const { report, argv } = planLaunch(able, { ...options, jit: true });
    expect(argv).not.toContain("--jitless");
    expect(argv.some((flag) => flag.startsWith("--data"))).toBe(false);
    expect(report.measures).toMatchObject({ jit: null });
    expect(report.measures["memory"]).not.toBe("rlimit-data");
    expect(report.missing.map((line) => line.split(":")[0])).toEqual(["memory", "jit"]);
  });

  test(verifies("sandbox:require", "a required measure that is missing is refused with its reason"), () => {
    const { report } = planLaunch(
      { network: missing("refused here"), prlimit: missing("not installed") },
      options,
    );
    for (const measure of ["network", "memory"] as const) {
      expect(() => requireContained(report, [measure])).toThrow(
        expect.objectContaining({
          code: "WORKER_START_FAILED",
          message: expect.stringMatching(new RegExp(`${measure}.*(?:refused here|not installed)`)),
        }),
      );
    }
    expect(() => requireContained(planLaunch(able, options).report, ["network", "memory"])).not.toThrow();
    expect(() => requireContained(report, [])).not.toThrow();
  });

  test(
    verifies(
      "sandbox:require",
      "a gate that cannot have what it requires does not open, and leaves no process",
    ),
    async () => {
      await expect(createCallgate({ sandbox: { jit: true, require: ["memory"] } })).rejects.toMatchObject({
        code: "WORKER_START_FAILED",
      });
      expect(await eventually(() => childrenOf().length === 0, 5_000)).toBe(true);
    },
  );
});

describe("the worker of this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "callgate-"));
  const paths = {
    unix: join(folder, "host.sock"),
    written: join(folder, "written"),
    file: fileURLToPath(import.meta.url),
  };
  const arrived: string[] = [];
  const tcp = createServer(() => arrived.push("tcp"));
  const unix = createServer(() => arrived.push("unix"));
  const udp = createSocket("udp4");
  let platform: Platform;
  let report: Record<string, string>;
  let facts: { env: Record<string, string>; cwd: string; execArgv: string[] };

  beforeAll(async () => {
    platform = await probePlatform();
    udp.on("message", () => arrived.push("udp"));
    await Promise.all([
      new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve)),
      new Promise<void>((resolve) => unix.listen(paths.unix, resolve)),
      new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve)),
    ]);
    const targets = { ...paths, tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port };
    const launch = planLaunch(platform, { ...options, workerPath: PROBE });
    const argv = launch.argv.map((part, at) =>
      at === launch.argv.length - 1 ? JSON.stringify({ probe: targets }) : part,
    );
    const told = Promise.withResolvers<string>();
    const worker = startWorkerProcess(
      { ...launch, argv },
      { onMessage: (message) => message.type === "log" && told.resolve(message.text) },
    );
    void worker.died.then(({ detail }) => told.reject(new Error(detail)));
    worker.hold(true);
    await worker.send({ type: "end", slot: 1 });
    ({ report, facts } = JSON.parse(await told.promise) as { report: typeof report; facts: typeof facts });
    worker.kill();
    await worker.died;
  });
  afterAll(() => {
    for (const server of [tcp, unix, udp]) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test(verifies("sandbox:inside", "it cannot read, write, list, start, inspect or load anything"), () => {
    const denied = [
      "read a file",
      "read the project",
      "list a folder",
      "write a file",
      "read the environment of the parent",
      "spawn",
      "fork",
      "thread",
      "inspector",
      "wasi",
    ];
    for (const name of denied) expect([name, report[name]]).toEqual([name, "ERR_ACCESS_DENIED"]);
    expect(report["another addon"]).toMatch(/^ERR_/);
    expect(report["binding"]).toMatch(/^ERR_/);
    expect(existsSync(paths.written)).toBe(false);
  });

  test(
    verifies(
      "sandbox:inside",
      "its environment holds the time zone and the language only; its folder is the root",
    ),
    () => {
      expect(Object.keys(facts.env).toSorted()).toEqual(["LANG", "TZ"]);
      expect(facts.cwd).toBe("/");
    },
  );

  test(verifies("sandbox:inside", "it has no compiler at run time, and no WebAssembly"), () => {
    expect(facts.execArgv).toContain("--jitless");
    expect(report["WebAssembly"]).toBe("undefined");
  });

  test(
    verifies(
      "sandbox:network",
      "where the report says network, nothing arrives; where it does not, it says so",
    ),
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const contained = !("missing" in platform.network);
      expect(planLaunch(platform, options).report.measures["network"] !== null).toBe(contained);
      if (!contained) return;
      expect(report["tcp to the host"]).not.toBe("worked");
      expect(report["tcp to elsewhere"]).not.toBe("worked");
      expect(report["dns"]).not.toBe("worked");
      expect(arrived.filter((what) => what !== "unix")).toEqual([]);
    },
  );

  test(verifies("sandbox:inside", "once started, it has dropped every permission"), async () => {
    const launch = planLaunch(platform, options);
    const child = spawn(launch.command, launch.argv, {
      cwd: "/",
      env: { TZ: "UTC" },
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    const frames = createFramesOfWorker();
    const first = await new Promise<unknown>((resolve) => {
      (child.stdio[3] as NodeJS.ReadableStream).on("data", (chunk: Buffer) => {
        for (const value of frames.read(chunk)) resolve(value);
      });
    });
    child.kill("SIGKILL");
    expect(first).toEqual({ type: "ready", permissions: [] });
  });

  test.runIf(linux)(
    verifies(
      "sandbox:inside",
      "as the system sees it: limits, files, environment and network of a serving worker",
    ),
    async () => {
      await using opened = await openGate({ sandbox: { workers: 1 } });
      const { gate } = opened;
      expect((await gate.run("return 1;", { check: "off" })).sandbox).toEqual(gate.sandbox);
      const [pid = 0] = childrenOf();
      const { measures } = gate.sandbox;
      const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
      if (measures["memory"] === "rlimit-data") {
        expect(limits).toMatch(new RegExp(`Max data size\\s+${320 << 20}\\s`));
        expect(limits).toMatch(/Max core file size\s+0\s/);
        expect(limits).toMatch(/Max processes\s+256\s/);
      }
      expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean).toSorted()).toEqual([
        "LANG=en_US.UTF-8",
        "TZ=UTC",
      ]);
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
      const files = readdirSync(`/proc/${pid}/fd`).map(
        (fd) => [Number(fd), readlinkSync(`/proc/${pid}/fd/${fd}`)] as const,
      );
      for (const [fd, target] of files) {
        if (fd <= 1) expect(target).toBe("/dev/null");
        else if (fd <= 3) expect(target).toMatch(/^(?:socket|pipe):/);
        // What Node itself opens: event loops and a spare /dev/null; nothing that leads anywhere.
        else expect(target).toMatch(/^(?:anon_inode:|pipe:|\/dev\/null$)/);
      }
      if (measures["network"] !== null) {
        expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(readlinkSync("/proc/self/ns/net"));
      }
    },
  );
});
