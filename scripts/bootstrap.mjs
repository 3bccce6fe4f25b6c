// Runs a task under the Node of node_modules, after installing what the lock file says. Plain JavaScript for any Node ≥ 20.
//   node scripts/bootstrap.mjs vitest run      a command of a dependency
//   node scripts/bootstrap.mjs scripts/demo.ts a file of this repository
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants } from "node:os";
import { delimiter, join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".callgate-lock-hash");
const lockFile = join(root, ".bootstrap.lock");
const windows = process.platform === "win32";
const node24 = join(modules, "node", "bin", windows ? "node.exe" : "node");

class Stop extends Error {}

function readText(path) {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const lockHash = () =>
  createHash("sha256")
    .update(fs.readFileSync(join(root, "package-lock.json")))
    .digest("hex");

const isInstalled = () => readText(stampFile) === lockHash() && fs.existsSync(node24);

/** True when npm's own record says that this very lock file was installed by hand (`npm ci`, `npm install`). */
function wasInstalledByHand() {
  const record = readText(join(modules, ".package-lock.json"));
  if (record === undefined || !fs.existsSync(node24)) return false;
  const wanted = JSON.parse(fs.readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(record).packages;
  const same = (path) =>
    wanted[path]?.version === present[path].version && wanted[path]?.integrity === present[path].integrity;
  return (
    Object.keys(present).every(same) &&
    Object.keys(wanted).every((path) => path === "" || wanted[path].optional || Object.hasOwn(present, path))
  );
}

/** One installation at a time in a checkout; a lock whose owner has died is taken over. */
async function withLock(work) {
  const mine = `${process.pid} ${Date.now()}`;
  for (let waited = false; ;) {
    try {
      fs.writeFileSync(lockFile, mine, { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw new Stop(`cannot write ${lockFile}: ${error.message}`);
    }
    const theirs = readText(lockFile);
    if (theirs !== undefined && isStale(theirs)) takeAway(theirs, mine);
    else {
      if (!waited) console.error("waiting for another installation in this checkout to finish");
      waited = true;
      await sleep(200);
    }
  }
  try {
    return await work();
  } finally {
    if (readText(lockFile) === mine) fs.rmSync(lockFile, { force: true });
  }
}

function isStale(content) {
  const pid = Number.parseInt(content, 10);
  // An empty file is a lock being written: stale only when it stays empty.
  if (!(pid > 0))
    return Date.now() - (fs.statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 5_000;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function takeAway(content, mine) {
  const grave = `${lockFile}.${mine.replace(" ", "-")}`;
  try {
    fs.renameSync(lockFile, grave);
    // Another process may have taken it over in between: give that one its lock back.
    if (readText(grave) !== content) fs.linkSync(grave, lockFile);
  } catch {
    // Someone was faster; the loop looks again.
  }
  fs.rmSync(grave, { force: true });
}

/** PATH without this checkout's commands: npm must not run on the Node that it is about to delete. */
function outsidePath() {
  const parts = (process.env.PATH ?? "").split(delimiter);
  return parts.filter((part) => !part.startsWith(modules + sep)).join(delimiter);
}

/** This environment with another PATH, which Windows may spell `Path`. */
function environmentWith(path) {
  const others = Object.entries(process.env).filter(([name]) => name.toUpperCase() !== "PATH");
  return { ...Object.fromEntries(others), PATH: path };
}

async function install() {
  console.error("installing dependencies from package-lock.json (npm ci)");
  const environment = environmentWith(outsidePath());
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await run("npm", args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env: environment,
    shell: windows,
  });
  if (code !== 0) throw new Stop(`npm ci failed with exit code ${code}; its messages are above`);
}

function checkNode() {
  const answer = spawnSync(node24, ["--version"], { encoding: "utf8" });
  const version = answer.stdout?.trim() ?? "";
  if (version === "")
    throw new Stop(
      "node_modules/node has no Node that starts here; install scripts must be allowed (package.json, allowScripts)",
    );
  if (Number.parseInt(version.slice(1), 10) < 24)
    throw new Stop(`Callgate needs Node 24 or later; node_modules/node is ${version}`);
}

async function ensureInstalled() {
  if (isInstalled()) return;
  await withLock(async () => {
    if (isInstalled()) return;
    const hash = lockHash();
    if (!wasInstalledByHand()) await install();
    checkNode();
    fs.writeFileSync(stampFile, hash);
  });
}

/** The file behind a task: a path of this repository, or the command of a direct dependency. */
function resolveTask(task) {
  if (/\.(ts|mjs)$/.test(task)) return join(root, task);
  const own = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
  for (const name of Object.keys({ ...own.devDependencies, ...own.dependencies })) {
    const manifest = JSON.parse(readText(join(modules, name, "package.json")) ?? "{}");
    const commands =
      typeof manifest.bin === "string" ? { [name.split("/").at(-1)]: manifest.bin } : manifest.bin;
    if (Object.hasOwn(commands ?? {}, task)) return join(modules, name, commands[task]);
  }
  throw new Stop(
    `no task ${JSON.stringify(task)}: give a file of this repository or a command of a direct dependency`,
  );
}

/** Runs a child to its end, passing signals on; resolves to its exit code, or dies of the signal it died of. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const forward = (signal) => {
      // A terminal sends SIGINT to the whole group itself; twice would make some programs quit at once.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = windows ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    const done = () => signals.forEach((signal) => process.off(signal, forward));
    child.once("error", (error) => {
      done();
      reject(new Stop(`cannot start ${command}: ${error.message}`));
    });
    child.once("close", (code, signal) => {
      done();
      resolve(signal === null ? code : 128 + constants.signals[signal]);
    });
  });
}

async function main([task, ...args]) {
  if (Number.parseInt(process.versions.node, 10) < 20)
    throw new Stop(`Node 20 or later is needed; this is ${process.version}`);
  if (task === undefined) throw new Stop("usage: node scripts/bootstrap.mjs <task> [arguments]");
  await ensureInstalled();
  const environment = environmentWith([join(modules, ".bin"), outsidePath()].join(delimiter));
  const command = task === "node" ? args : [resolveTask(task), ...args];
  return await run(node24, command, { stdio: "inherit", env: environment });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  console.error(`bootstrap: ${error.message}`);
  process.exitCode = 1;
}
