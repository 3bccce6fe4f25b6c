// Workers that cannot be started: the run is told, the host lives, and the next run works once the machine recovers.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startWorkerProcess } from "../../runtime/process/worker-process.ts";
import { verifies } from "../requirements.ts";
import { honestLaunch } from "./attacked.ts";

const HOST = fileURLToPath(new URL("../fixtures/hostile/exhausted-host.ts", import.meta.url));

test(
  verifies("sandbox:start", "a command that does not exist reads as a failed start, without its path"),
  async () => {
    const launch = { ...(await honestLaunch()), command: "/nonexistent/folder/node" };
    const worker = startWorkerProcess(launch, { onMessage: () => {} });
    await expect(worker.ready).rejects.toMatchObject({
      code: "WORKER_START_FAILED",
      message: expect.not.stringContaining("/"),
    });
    expect(await worker.died).toMatchObject({ cause: "crash" });
  },
);

test.runIf(process.platform === "linux")(
  verifies("sandbox:start", "a host without file descriptors fails the run, not the host, and recovers"),
  () => {
    const { stdout, stderr } = spawnSync(
      "/bin/sh",
      ["-c", `ulimit -n 120; exec "${process.execPath}" "${HOST}"`],
      {
        encoding: "utf8",
        timeout: 60_000,
      },
    );
    expect(`${stdout}${stderr}`.trim().split("\n")).toEqual([
      "exhausted: WORKER_START_FAILED",
      "recovered: 4",
    ]);
  },
);
