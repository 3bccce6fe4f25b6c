// Commands that know tools from an earlier one: which servers they start.
import { join } from "node:path";
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { cacheFolder } from "../../cli/cache-folder.ts";
import { scratch, stated, tool, type Stated } from "../gate/catalog-support.ts";
import { verifies } from "../requirements.ts";
import { callgate, folder, type Ended } from "./support.ts";

function project(servers: Readonly<Record<string, Stated>>, more: object = {}): string {
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, { config }]) => [name, config]));
  return folder({ "callgate.json": JSON.stringify({ mcpServers, policy: { default: "allow" }, ...more }) });
}

function inCache(cache: string, cwd: string): (...args: string[]) => Promise<Ended> {
  return (...args) => callgate(args, { cwd, env: { XDG_CACHE_HOME: cache } });
}

// Each command is a process that starts others.
const LONG = { timeout: 240_000 };

test(
  verifies(["lazy:cli", "lazy:first-call"], "run starts only the server of its script, check and types none"),
  LONG,
  async () => {
    const [a, b, cache] = [stated(), stated(), scratch()];
    const run = inCache(cache, project({ a, b }));
    expect((await run("tools")).stdout).toBe("a.echo\nb.echo\n");
    expect([...a.asked(), ...b.asked()].filter((line) => line === "start")).toHaveLength(2);
    expect((await run("check", "-e", "await a.echo({}); await b.echo({});")).code).toBe(0);
    expect((await run("types")).stdout).toContain("declare namespace b");
    expect([...a.asked(), ...b.asked()]).toEqual([]);
    expect((await run("run", "-q", "-e", "return (await b.echo({ x: 7 })).args.x")).stdout).toBe("7\n");
    expect(a.asked()).toEqual([]);
    expect(b.asked()).toContain("tools/call");
  },
);

test(verifies("lazy:cli", "doctor starts every server, whatever is kept"), LONG, async () => {
  const [a, cache] = [stated(), scratch()];
  const run = inCache(cache, project({ a }));
  await run("tools");
  a.asked();
  expect((await run("doctor")).stdout).toContain("server a: ready");
  expect(a.asked()).toContain("start");
});

test(verifies("lazy:cli", "--refresh asks every server for its tools"), LONG, async () => {
  const [a, cache] = [stated(), scratch()];
  const run = inCache(cache, project({ a }));
  await run("tools");
  a.become({ tools: [tool("echo"), tool("other")] });
  expect((await run("tools")).stdout).toBe("a.echo\n");
  expect((await run("tools", "--refresh")).stdout).toBe("a.echo\na.other\n");
  expect((await run("tools")).stdout).toBe("a.echo\na.other\n");
});

test(verifies("lazy:cli", '"catalogCache": false keeps nothing'), async () => {
  const [a, cache] = [stated(), scratch()];
  const run = inCache(cache, project({ a }, { catalogCache: false }));
  expect((await run("tools")).stdout).toBe("a.echo\n");
  expect(existsSync(join(cache, "callgate"))).toBe(false);
  expect(readdirSync(cache)).toEqual([]);
});

test.each([
  ["linux", { XDG_CACHE_HOME: "/x", HOME: "/h" }, "/x/callgate"],
  ["linux", { XDG_CACHE_HOME: "relative", HOME: "/h" }, "/h/.cache/callgate"],
  ["darwin", { HOME: "/h" }, "/h/Library/Caches/callgate"],
  ["linux", {}, undefined],
  ["win32", { HOME: "/h" }, undefined],
] as const)(
  verifies("lazy:cli", "lists are kept where the system keeps what may be lost: %s %j"),
  (platform, env, expected) => {
    expect(cacheFolder(env, platform)).toBe(expected);
  },
);
