// A small checkout with the real bootstrap, a lock file and an `npm` that installs without a network.
import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Counts its installations in `installs`; fails while a file named `broken` exists. */
const NPM = `#!${process.execPath}
const fs = require("node:fs");
fs.appendFileSync("installs", process.argv.slice(2).join(" ") + "\\n");
console.log("npm says hello");
if (fs.existsSync("broken")) process.exit(7);
setTimeout(() => {
  fs.rmSync("node_modules", { recursive: true, force: true });
  fs.mkdirSync("node_modules/node/bin", { recursive: true });
  fs.mkdirSync("node_modules/.bin", { recursive: true });
  if (fs.existsSync("old-node")) fs.copyFileSync("old-node", "node_modules/node/bin/node");
  else fs.symlinkSync(process.execPath, "node_modules/node/bin/node");
  fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json");
}, 300);
`;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Checkout extends Disposable {
  readonly root: string;
  write(path: string, text: string): void;
  /** How often npm was asked to install. */
  installs(): number;
  /** Starts the bootstrap; `killWhen` sends SIGTERM once stdout holds that text. */
  task(
    args: readonly string[],
    options?: { readonly input?: string; readonly killWhen?: string },
  ): Promise<Finished>;
}

export function createCheckout(): Checkout {
  const root = mkdtempSync(join(tmpdir(), "callgate-bootstrap-"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const bootstrap = fileURLToPath(new URL("../../scripts/bootstrap.mjs", import.meta.url));
  mkdirSync(join(root, "scripts"));
  cpSync(bootstrap, join(root, "scripts/bootstrap.mjs"));
  write("package.json", JSON.stringify({ name: "small", devDependencies: {} }));
  write("package-lock.json", JSON.stringify({ packages: { "": {} } }));
  write("bin/npm", NPM);
  chmodSync(join(root, "bin/npm"), 0o755);
  write(
    "version.mjs",
    "console.log(process.execPath.length > 0 && process.versions.node.split('.')[0] >= 24)",
  );
  return {
    root,
    write,
    installs() {
      const log = join(root, "installs");
      return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
    },
    task(args, options = {}) {
      const child = spawn(process.execPath, [join(root, "scripts/bootstrap.mjs"), ...args], {
        env: { ...process.env, PATH: join(root, "bin") + delimiter + (process.env["PATH"] ?? "") },
        stdio: "pipe",
      });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        if (options.killWhen !== undefined && stdout.includes(options.killWhen)) child.kill("SIGTERM");
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.stdin.end(options.input ?? "");
      return new Promise((resolve) => {
        child.once("close", (code) => resolve({ code, stdout, stderr }));
      });
    },
    [Symbol.dispose]() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}
