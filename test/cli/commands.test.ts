// check, types, tools, doctor, init, completion and the reference.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { DescribedTool, Diagnostic, SearchHit } from "../../index.ts";
import { commandModels, type CommandModel } from "../../cli/command-model.ts";
import { completionScript } from "../../cli/completion/script.ts";
import { createProgram, SHELLS, type Handlers } from "../../cli/program.ts";
import { cliDocs } from "../../scripts/cli-docs.ts";
import { verifies } from "../requirements.ts";
import { inside, words, type Words } from "./inside.ts";
import { ALLOW_ALL, callgate, folder, workspace } from "./support.ts";

const command = (args: readonly string[], cwd: string): Promise<Words> => words(args, { cwd });

describe("check", () => {
  test(verifies("cli:check", "a script without problems gives 0 and makes no call"), async () => {
    const { path, log } = workspace(ALLOW_ALL);
    const ended = await command(["check", "-e", "await items.write_item({ title: 'a' })"], path);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("no problems");
    expect(log()).not.toContain("write a");
  });

  test(verifies("cli:check", "errors are on stdout with place and caret, and give 1"), async () => {
    const { path } = workspace(ALLOW_ALL);
    const ended = await command(["check", "-e", "await items.write_item({ titel: 'a' })"], path);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^error SCRIPT_TYPE: /m);
    expect(ended.stdout).toMatch(/--> -e:1:\d+\n {2}1 \| await items[^\n]*\n +\^/);
    expect(ended.stderr).toMatch(/1 error, 0 warnings/);
  });

  test(verifies(["cli:check", "cli:json"], "--json prints the diagnostics"), async () => {
    const { path } = workspace(ALLOW_ALL);
    const bad = await command(["check", "--json", "-e", "items.nope()"], path);
    const diagnostics = JSON.parse(bad.stdout) as readonly Diagnostic[];
    expect(diagnostics[0]).toMatchObject({ severity: "error", line: 1 });
    expect((await command(["check", "--json", "-e", "return 1"], path)).stdout).toBe("[]\n");
  });
});

test(
  verifies(
    "cli:types",
    "the declarations name every tool and the script's globals, and nothing else is printed",
  ),
  async () => {
    const { path } = workspace(ALLOW_ALL);
    const ended = await callgate(["types"], { cwd: path });
    expect(ended.code).toBe(0);
    // A machine that is busy may be slow to start the server, which is told.
    expect(ended.stderr).toMatch(/^(?:waiting for servers to start: items\n)?$/);
    for (const word of ["read_item", "write_item", "ToolError", "catalog"])
      expect(ended.stdout).toContain(word);
  },
);

describe("tools", () => {
  test(
    verifies("cli:tools", "without a word more, every tool is listed by what a script writes"),
    async () => {
      const { path } = workspace();
      const { stdout, code } = await command(["tools"], path);
      expect(code).toBe(0);
      expect(stdout.trim().split("\n").toSorted()).toEqual(
        ["big", "fail", "hang", "read_item", "write_item"].map((name) => `items.${name}`),
      );
    },
  );

  test(verifies(["cli:tools", "cli:json"], "a list as data has the same tools"), async () => {
    const { path } = workspace();
    const { stdout } = await command(["tools", "list", "--json", "--detail", "full"], path);
    const hits = JSON.parse(stdout) as readonly SearchHit[];
    expect(hits.map(({ tool }) => tool)).toContain("read_item");
    expect(hits.find(({ tool }) => tool === "read_item")?.signature).toContain("id: number");
  });

  test(
    verifies("cli:tools", "a search finds by what a tool does, at most as many as asked for"),
    async () => {
      const { path } = workspace();
      const found = await command(["tools", "search", "write an item", "--limit", "1"], path);
      expect(found).toMatchObject({ code: 0 });
      expect(found.stdout).toContain("items.write_item");
      expect(found.stderr).toContain("1 tool");
    },
  );

  test(verifies("cli:tools", "a search without a result gives 1"), async () => {
    const { path } = workspace();
    const found = await command(["tools", "search", "zebra"], path);
    expect(found).toMatchObject({ code: 1, stdout: "" });
    expect(found.stderr).toContain("no tools");
  });

  test(verifies("cli:tools", "show prints declarations, and near names for a name that is not"), async () => {
    const { path } = workspace();
    const shown = await command(["tools", "show", "items.read_item", "items.read_itm"], path);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain("id: number");
    expect(shown.stderr).toContain("unknown tool: items.read_itm; near: items.read_item");
    const known = await command(["tools", "show", "read_item", "--json"], path);
    expect(known.code).toBe(0);
    expect(JSON.parse(known.stdout)).toMatchObject([
      { server: "items", tool: "read_item" } satisfies Partial<DescribedTool>,
    ]);
  });

  test(verifies("cli:tools", "a server that is not configured is a mistake, not an empty list"), async () => {
    const { path } = workspace();
    const ended = await command(["tools", "--server", "itmes"], path);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain('no server "itmes"; configured: items');
  });

  test.each(["0", "101", "1.5", "many"])(verifies("cli:tools", "--limit %s is refused"), async (limit) => {
    expect((await command(["tools", "search", "x", "--limit", limit], folder())).code).toBe(2);
  });
});

const BROKEN = { command: process.execPath, args: ["-e", "console.error('no database'); process.exit(3)"] };

describe("doctor", () => {
  test(
    verifies("cli:doctor", "all is well: Node, isolate, sandbox, configuration, servers, exit code 0"),
    async () => {
      const { path } = workspace();
      const { code, stdout } = await callgate(["doctor"], { cwd: path });
      expect(code).toBe(0);
      expect(stdout).toContain(`ok Node ${process.version}`);
      expect(stdout).toContain("ok a script runs in an isolate");
      expect(stdout).toMatch(/sandbox (?:hardened|partial|process): /);
      expect(stdout).toContain("ok configuration callgate.json");
      expect(stdout).toContain("ok server items: ready");
    },
  );

  test(
    verifies(
      ["cli:doctor", "cli:broken-server"],
      "a server that dies is told with its last words, and gives 1",
    ),
    async () => {
      const { path } = workspace({ mcpServers: { broken: BROKEN } });
      const { code, stdout } = await command(["doctor"], path);
      expect(code).toBe(1);
      expect(stdout).toContain("FAIL server broken: failed");
      expect(stdout).toContain("no database");
      expect(stdout).toContain("ok server items: ready");
    },
  );

  test(
    verifies(
      ["cli:doctor", "cli:exit-codes"],
      "a sandbox that is not as required gives 4, with what there is",
    ),
    async () => {
      const cwd = folder({
        "callgate.json": '{ "sandbox": { "require": ["network", "memory"], "jit": true } }',
      });
      const { code, stdout } = await command(["doctor"], cwd);
      // With the JIT compilers there is no hard cap on memory on any machine.
      expect(code).toBe(4);
      expect(stdout).toMatch(/FAIL The sandbox cannot contain (?:memory|network)/);
      expect(stdout).toContain("not more, because");
      const run = await command(["run", "-e", "return 1"], cwd);
      expect(run).toMatchObject({ code: 4, stdout: "" });
      expect(run.stderr).toContain("WORKER_START_FAILED");
    },
  );

  test(verifies(["cli:doctor", "cli:json"], "--json tells the same as data"), async () => {
    const { path } = workspace({ mcpServers: { broken: BROKEN } });
    const { stdout } = await command(["doctor", "--json"], path);
    const told = JSON.parse(stdout) as { servers: readonly { server: string; state: string }[] };
    expect(told).toMatchObject({ config: "callgate.json", isolate: null, sandboxRequired: null });
    expect(told.servers.map(({ server, state }) => [server, state])).toEqual([
      ["items", "ready"],
      ["broken", "failed"],
    ]);
  });

  test(verifies("cli:doctor", "without a configuration it says how to get one"), async () => {
    const { code, stdout } = await command(["doctor"], folder());
    expect(code).toBe(0);
    expect(stdout).toContain("callgate init");
  });
});

test(
  verifies("cli:broken-server", "a run warns of a server that does not start, and uses the others"),
  async () => {
    const { path } = workspace({ ...ALLOW_ALL, mcpServers: { broken: BROKEN } });
    const script = "console.log((await items.read_item({ id: 1 })).title)";
    const ended = await callgate(["run", "-e", script], { cwd: path });
    expect(ended).toMatchObject({ code: 0, stdout: "item 1\n" });
    expect(ended.stderr).toMatch(/warning: server broken is not available: .*no database/);
  },
);

describe("init", () => {
  test(verifies("cli:init", "it writes a commented configuration that doctor and run accept"), async () => {
    const cwd = folder();
    const made = await command(["init"], cwd);
    expect(made).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(join(cwd, "callgate.json"), "utf8")).toMatch(/\/\/ What scripts may call/);
    expect((await command(["run", "-e", "return 1"], cwd)).stdout).toBe("1\n");
    expect((await command(["doctor"], cwd)).code).toBe(0);
  });

  test(verifies("cli:init", "what it comments out is valid too"), async () => {
    const cwd = folder();
    await command(["init"], cwd);
    const text = readFileSync(join(cwd, "callgate.json"), "utf8");
    const whole = text.replaceAll(/^( *)\/\/ (?=")/gm, "$1").replaceAll(/^( *)\/\/ (?=\{)/gm, "$1");
    const other = folder({
      "callgate.json": whole.replaceAll(/"npx"|"https:[^"]*"/g, (found) =>
        found === '"npx"' ? '"true"' : '"http://127.0.0.1:9/"',
      ),
    });
    const ended = inside(["run", "-q", "-e", "return 1"], { cwd: other, env: { ISSUES_TOKEN: "t" } });
    expect(await ended.code, ended.stderr()).toBe(0);
  });

  test(verifies("cli:init", "it never overwrites a file"), async () => {
    const cwd = folder({ "callgate.json": "mine" });
    const ended = await command(["init"], cwd);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("callgate.json exists already");
    expect(readFileSync(join(cwd, "callgate.json"), "utf8")).toBe("mine");
  });

  test(verifies("cli:init", "a folder that cannot be written to is named"), async () => {
    const cwd = join(folder(), "gone");
    const ended = await command(["init"], cwd);
    expect(ended.code).toBe(2);
    expect(existsSync(cwd)).toBe(false);
  });
});

function models(): readonly CommandModel[] {
  const never = (): Promise<number> => Promise.reject(new Error("not run"));
  const names = [
    "run",
    "check",
    "types",
    "listTools",
    "searchTools",
    "showTools",
    "checkPolicy",
    "explainPolicy",
    "testPolicy",
    "printPolicySchema",
    "doctor",
    "init",
    "completion",
  ];
  const handlers = Object.fromEntries(names.map((name) => [name, never])) as unknown as Handlers;
  return commandModels(createProgram(handlers, { version: "0", done: () => {} }));
}

describe("completion", () => {
  test.each(SHELLS)(
    verifies("cli:completion", "the script for %s names every command and option"),
    (shell) => {
      const script = completionScript(shell, models());
      for (const { path, options, children } of models()) {
        for (const word of path) expect(script).toContain(word);
        for (const { name } of children) expect(script).toContain(name);
        for (const { names, choices } of options) {
          for (const name of names)
            expect(script).toContain(shell === "fish" ? name.replace(/^--?/, "") : name);
          for (const choice of choices) expect(script).toContain(choice);
        }
      }
    },
  );

  test(verifies("cli:completion", "it is printed on stdout; a shell it does not know is usage"), async () => {
    const printed = await command(["completion", "zsh"], folder());
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout).toMatch(/^#compdef callgate/);
    const unknown = await command(["completion", "csh"], folder());
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/bash, zsh, fish/);
  });

  const hasBash = spawnSync("bash", ["-c", "type compgen complete"]).status === 0;
  const complete = (words: readonly string[]): readonly string[] => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const script = `${completionScript("bash", models())}
      COMP_WORDS=(callgate ${line}); COMP_CWORD=${words.length}; _callgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { encoding: "utf8", cwd: folder({ "a.ts": "" }) })
      .stdout.trim()
      .split("\n");
  };

  test.runIf(hasBash)(
    verifies("cli:completion", "bash completes commands, options, choices and files"),
    () => {
      expect(complete(["ch"])).toEqual(["check"]);
      expect(complete(["tools", "se"])).toEqual(["search"]);
      expect(complete(["run", "--qu"])).toEqual(["--quiet"]);
      expect(complete(["run", "--check", "w"])).toEqual(["warn"]);
      expect(complete(["run", "a"])).toEqual(["a.ts"]);
      expect(complete(["run", "--config", "a"])).toEqual(["a.ts"]);
      expect(complete(["completion", ""])).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
    },
  );
});

test(verifies("cli:reference", "docs/cli.md is up to date: node scripts/cli-docs.ts"), () => {
  const file = new URL("../../docs/cli.md", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(cliDocs());
});

test(verifies("cli:reference", "it documents every command, option and exit code"), () => {
  const text = cliDocs();
  for (const { path, options } of models()) {
    if (path.length > 0) expect(text).toContain(`# callgate ${path.join(" ")}\n`);
    if (path.length > 0) for (const { flags } of options) expect(text).toContain(`\`${flags}\``);
  }
  for (const code of [0, 1, 2, 3, 4]) expect(text).toMatch(new RegExp(`^\\| ${code} \\|`, "m"));
});

test(verifies("cli:reference", "help and documentation say what --timezone leaves in UTC"), async () => {
  const { stdout } = await words(["run", "--help"], { cwd: folder() });
  for (const text of [stdout.replaceAll(/\s+/g, " "), cliDocs()]) {
    expect(text).toContain("time zone of Intl and toLocale…String in the script");
    expect(text).toContain("other Date methods stay in UTC");
  }
});
