// Owns where the worker bundle, the guest bundle and the native addon lie.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { CallgateError } from "../../contract/error.ts";

export interface Assets {
  readonly workerPath: string;
  readonly guestPath: string;
  readonly addonPath: string;
}

/** Throws WORKER_START_FAILED when the bundle was not built or isolated-vm has no binary for this Node. */
export function findAssets(): Assets {
  // Unbuilt sources use the bundle that `npm run build` leaves in dist.
  const folder = import.meta.url.endsWith(".ts") ? "../../dist/runtime/worker/" : "../worker/";
  const workerPath = fileURLToPath(new URL(`${folder}worker.js`, import.meta.url));
  const guestPath = fileURLToPath(new URL(`${folder}guest.js`, import.meta.url));
  if (!existsSync(workerPath) || !existsSync(guestPath)) {
    throw new CallgateError("WORKER_START_FAILED", "The worker bundle is missing. Run `npm run build`.");
  }
  const here = createRequire(import.meta.url);
  const packageFolder = dirname(here.resolve("isolated-vm/package.json"));
  const build = createRequire(`${packageFolder}/package.json`)("node-gyp-build") as {
    path(folder: string): string;
  };
  try {
    return { workerPath, guestPath, addonPath: build.path(packageFolder) };
  } catch (cause) {
    throw new CallgateError(
      "WORKER_START_FAILED",
      `isolated-vm has no binary for Node ${process.version} on ${process.platform}-${process.arch}. Use Node 24 or 26 on a platform it ships for.`,
      { cause },
    );
  }
}
