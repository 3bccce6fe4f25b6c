// The file of what was agreed to, and where it is.
import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { stateFolder } from "../../cli/places.ts";
import { createTrustStore } from "../../cli/trust/store.ts";
import { verifies } from "../requirements.ts";
import { folder } from "./support.ts";

const { signal } = new AbortController();
const hash = (index: number): string => index.toString(16).padStart(64, "0");
const place = (): string => join(folder(), "deep", "callgate", "trusted.json");

test(
  verifies("trust:store", "its file and folder are for their owner alone, and nothing else is left"),
  async () => {
    const file = place();
    await createTrustStore(file).add("/p/callgate.json", hash(1), signal);
    expect(readdirSync(dirname(file))).toEqual(["trusted.json"]);
    if (process.platform === "win32") return;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  },
);

test(verifies("trust:store", "many at once lose nothing"), async () => {
  const file = place();
  const paths = Array.from({ length: 30 }, (_, index) => `/p${index}/callgate.json`);
  await Promise.all(paths.map((path, index) => createTrustStore(file).add(path, hash(index), signal)));
  const store = createTrustStore(file);
  for (const [index, path] of paths.entries()) expect(await store.hashesOf(path)).toEqual([hash(index)]);
});

test(verifies("trust:store", "of one place the last 16 are kept, of all places 1 000"), async () => {
  const file = place();
  const store = createTrustStore(file);
  for (let index = 0; index < 20; index += 1) await store.add("/p", hash(index), signal);
  expect(await store.hashesOf("/p")).toEqual(Array.from({ length: 16 }, (_, index) => hash(index + 4)));
  const trusted = Array.from({ length: 1_000 }, (_, index) => ({ path: `/q${index}`, sha256: hash(index) }));
  writeFileSync(file, JSON.stringify({ version: 1, trusted }));
  await store.add("/new", hash(1), signal);
  expect(await store.hashesOf("/q0")).toEqual([]);
  expect(await store.hashesOf("/q1")).toEqual([hash(1)]);
  expect(await store.hashesOf("/new")).toEqual([hash(1)]);
});

test.each([
  ["no JSON", "{"],
  ["another shape", '{ "version": 1, "trusted": { "/p": true } }'],
  ["another version", `{ "version": 2, "trusted": [{ "path": "/p", "sha256": "${hash(1)}" }] }`],
  ["no hash", '{ "version": 1, "trusted": [{ "path": "/p", "sha256": "yes" }] }'],
  ["too large", `{ "version": 1, "trusted": [], "x": "${"x".repeat(5 << 20)}" }`],
])(verifies("trust:store", "a file that is %s trusts nothing, and can be written anew"), async (_, text) => {
  const file = place();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const store = createTrustStore(file);
  expect(await store.hashesOf("/p")).toEqual([]);
  await store.add("/p", hash(1), signal);
  expect(await store.hashesOf("/p")).toEqual([hash(1)]);
});

test(verifies("trust:store", "a lock that a dead process left is taken over"), async () => {
  const file = place();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.lock`, "");
  utimesSync(`${file}.lock`, new Date(0), new Date(0));
  await createTrustStore(file).add("/p", hash(1), signal);
  expect(readFileSync(file, "utf8")).toContain(hash(1));
});

test(verifies("trust:store", "a wait for the lock of a living process ends with the signal"), async () => {
  const file = place();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.lock`, "");
  const adding = createTrustStore(file).add("/p", hash(1), AbortSignal.abort());
  await expect(adding).rejects.toThrow("aborted");
});

describe("where it is", () => {
  test.each([
    ["linux", "/home/me", {}, "/home/me/.local/state/callgate"],
    ["linux", "/home/me", { XDG_STATE_HOME: "/state" }, "/state/callgate"],
    ["linux", "/home/me", { XDG_STATE_HOME: "state" }, "/home/me/.local/state/callgate"],
    ["darwin", "/Users/me", {}, "/Users/me/Library/Application Support/callgate"],
    ["win32", "C:\\Users\\me", {}, "C:\\Users\\me\\AppData\\Local\\callgate"],
    ["win32", "C:\\Users\\me", { LOCALAPPDATA: "D:\\Local" }, "D:\\Local\\callgate"],
    ["linux", "", {}, undefined],
    ["linux", "relative", {}, undefined],
  ] as const)(
    verifies("trust:store", "on %s with home %j and %j it is in %j"),
    (platform, home, env, where) => {
      expect(stateFolder({ platform, home, env })).toBe(where);
    },
  );
});
