// Bundles what runs in the child process and in the isolate: each is one file, so that the child may read only that.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.ts";

const root: string = fileURLToPath(new URL("..", import.meta.url));
const outdir = "dist/runtime/worker";

/** Writes dist/runtime/worker/{worker,guest}.js; returns the folders of the packages bundled into them. */
export async function buildWorker(): Promise<readonly string[]> {
  const shared = {
    absWorkingDir: root,
    bundle: true,
    outdir,
    write: false,
    metafile: true,
    logLevel: "warning",
    legalComments: "none",
  } as const;
  const bundles = await Promise.all([
    build({
      ...shared,
      entryPoints: { worker: "runtime/worker/main.ts" },
      platform: "node",
      format: "cjs",
      target: "node24",
      external: ["isolated-vm"],
    }),
    build({
      ...shared,
      entryPoints: { guest: "runtime/guest/main.ts" },
      // Every isolate keeps a copy of this text.
      minify: true,
      platform: "neutral",
      mainFields: ["module", "main"],
      format: "iife",
      globalName: "__callgateGuest",
      target: "es2024",
    }),
  ]);
  const packages = new Set<string>();
  for (const bundle of bundles) {
    for (const file of bundle.outputFiles)
      replaceFile(join(root, outdir, basename(file.path)), file.contents);
    for (const input of Object.keys(bundle.metafile.inputs)) {
      const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
      if (found !== null) packages.add(found[0]);
    }
  }
  return [...packages].toSorted();
}

/** Licence texts of bundled packages, which their terms ask to be passed on. */
export function licenceTexts(packages: readonly string[]): string {
  return packages
    .map((folder) => `${folder.replace(/^.*node_modules\//, "")}\n\n${licenceOf(join(root, folder))}\n`)
    .join("\n----\n\n");
}

function licenceOf(folder: string): string {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license", "LICENSE-MIT"]) {
    try {
      return readFileSync(join(folder, name), "utf8").trim();
    } catch {
      // Packages spell this name in several ways.
    }
  }
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { license?: string };
  return `Licence: ${manifest.license ?? "not stated"}`;
}

if (import.meta.main) await buildWorker();
