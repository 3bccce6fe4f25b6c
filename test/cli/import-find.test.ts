// Where the servers of other hosts are, and what is left of hostile files.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findServers } from "../../cli/import/find.ts";
import { hostFiles, HOSTS } from "../../cli/import/hosts.ts";
import { verifies } from "../requirements.ts";
import { CURSOR, desk, servers, WINDSURF, type Desk } from "./import-support.ts";

const find = ({ home, env, cwd }: Desk): ReturnType<typeof findServers> =>
  findServers({ platform: "linux", home, env, cwd }, undefined);

test.each([
  [
    "linux",
    "/home/me",
    {},
    ["/home/me/.config/Claude/claude_desktop_config.json", "/home/me/.config/Code/User/mcp.json"],
  ],
  ["linux", "/home/me", { XDG_CONFIG_HOME: "/conf" }, ["/conf/Code/User/settings.json"]],
  [
    "darwin",
    "/Users/me",
    { XDG_CONFIG_HOME: "/conf" },
    [
      "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
      "/Users/me/Library/Application Support/Code/User/mcp.json",
      "/Users/me/.codeium/windsurf/mcp_config.json",
    ],
  ],
  [
    "win32",
    "C:\\Users\\me",
    { APPDATA: "C:\\Users\\me\\AppData\\Roaming" },
    [
      "C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
      "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json",
      "C:\\Users\\me\\.claude.json",
      "C:\\Users\\me\\.cursor\\mcp.json",
    ],
  ],
  ["win32", "D:\\me", {}, ["D:\\me\\AppData\\Roaming\\Code\\User\\settings.json"]],
] as const)(
  verifies("import:found", "on %s with home %j and %j it looks at %j"),
  (platform, home, env, paths) => {
    const cwd = platform === "win32" ? "C:\\p" : "/p";
    const files = hostFiles({ platform, home, env, cwd });
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining([...paths]));
    expect(new Set(files.map(({ host }) => host))).toEqual(new Set(HOSTS));
  },
);

test(verifies("import:found", "without a home folder only the project is looked at"), () => {
  const files = hostFiles({ platform: "linux", home: "", env: {}, cwd: "/p" });
  expect(files.map(({ path }) => path)).toEqual([
    "/p/.mcp.json",
    "/p/.cursor/mcp.json",
    "/p/.vscode/mcp.json",
    "/p/.vscode/settings.json",
  ]);
});

test(verifies("import:found", "each host's file is read in its own shape"), async () => {
  const person = desk();
  const server = { command: "x" };
  person.put(".mcp.json", servers({ a: server }));
  person.put(".vscode/mcp.json", '{ "servers": { "b": { "command": "x" }, /* more */ }, }');
  person.put(".vscode/settings.json", { "mcp.servers": { c: server }, "editor.fontSize": 12 });
  person.put("~/.config/Code/User/settings.json", { mcp: { servers: { d: server } } });
  person.put("~/.config/Claude/claude_desktop_config.json", { ...servers({ e: server }), preferences: {} });
  person.put(CURSOR, servers({ f: server }));
  person.put(WINDSURF, servers({ g: { serverUrl: "https://example.com" } }));
  const { found, problems } = await find(person);
  expect(problems).toEqual([]);
  expect(found.map(({ host, name }) => `${host} ${name}`).toSorted()).toEqual([
    "claude-code a",
    "claude-desktop e",
    "cursor f",
    "vscode b",
    "vscode c",
    "vscode d",
    "windsurf g",
  ]);
});

test(
  verifies("import:found", "of Claude Code's projects those that hold this folder count, the nearest first"),
  async () => {
    const person = desk();
    person.put("~/.claude.json", {
      ...servers({ user: { command: "u" } }),
      projects: {
        [dirname(person.cwd)]: servers({ above: { command: "a" } }),
        [person.cwd]: servers({ here: { command: "h" } }),
        [`${person.cwd}-other`]: servers({ other: { command: "o" } }),
        "/nowhere": servers({ none: { command: "n" } }),
        relative: servers({ odd: { command: "n" } }),
        "/empty": { mcpServers: {} },
      },
    });
    const { found, problems } = await find(person);
    expect(found.map(({ name }) => name)).toEqual(["here", "above", "user"]);
    expect(problems.map(({ problem }) => problem)).toEqual(["servers of 3 other projects were left out"]);
  },
);

test.each<readonly [string, (person: Desk) => void, string]>([
  ["no JSON", (person) => void person.put(CURSOR, '{ "mcpServers": '), "not valid JSON at 1:17"],
  ["a list", (person) => void person.put(CURSOR, "[]"), "it holds no object"],
  ["empty", (person) => void person.put(CURSOR, ""), "not valid JSON at 1:1"],
  ["deep", (person) => void person.put(CURSOR, "[".repeat(200_000)), "it is nested too deeply"],
  ["huge", (person) => truncateSync(person.put(CURSOR, ""), 65 << 20), "it is larger than 67,108,864 bytes"],
  ["a folder", (person) => void person.put(`${CURSOR}/x`, ""), "it is a folder, not a file"],
  [
    "a loop of links",
    ({ home }) => {
      mkdirSync(join(home, ".cursor"));
      symlinkSync("mcp.json", join(home, ".cursor", "mcp.json"));
    },
    "too many symbolic links",
  ],
  [
    "a pipe",
    ({ home }) => {
      mkdirSync(join(home, ".cursor"));
      execFileSync("mkfifo", [join(home, ".cursor", "mcp.json")]);
    },
    "it is not a regular file",
  ],
])(
  verifies("import:hostile", "a file that is %s is named, and the others are read"),
  async (_, make, problem) => {
    const person = desk();
    make(person);
    person.put(WINDSURF, servers({ a: { command: "x" } }));
    const { found, problems } = await find(person);
    expect(found.map(({ name }) => name)).toEqual(["a"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.problem).toContain(problem);
  },
);
