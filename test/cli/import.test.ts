// `callgate import`: shown, asked, written, trusted.
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addServers, withServers } from "../../cli/import/write.ts";
import { parseDocument } from "../../cli/config/document.ts";
import { verifies } from "../requirements.ts";
import { CURSOR, desk, servers, WINDSURF, type Desk } from "./import-support.ts";
import { callgate, fixtureServer, folder } from "./support.ts";
import { atTerminal, quietly } from "./trust-support.ts";

const written = ({ cwd }: Desk): { readonly mcpServers: Readonly<Record<string, unknown>> } =>
  parseDocument(readFileSync(join(cwd, "callgate.json"), "utf8")).value as ReturnType<typeof written>;
const items = { command: process.execPath, args: [fixtureServer] };

describe("the command", () => {
  test(
    verifies(["import:shown", "import:asked"], "without a terminal it shows, and writes only with --yes"),
    async () => {
      const person = desk();
      person.put(
        CURSOR,
        servers({ items: { ...items, env: { FIXTURE_LOG: join(person.cwd, "log"), A_TOKEN: "s3cret-1" } } }),
      );
      const options = { cwd: person.cwd, env: person.env };
      const shown = await callgate(["import"], options);
      expect(shown.code).toBe(2);
      expect(shown.stdout).toContain("1 server for callgate.json, which is made\n  items\n    starts ");
      expect(shown.stdout).toContain("variables: FIXTURE_LOG, A_TOKEN\n");
      expect(shown.stdout).toContain("from cursor: ");
      expect(shown.stderr).toContain(
        "nothing was written: there is no terminal to ask at; --yes imports what is shown",
      );
      expect(existsSync(join(person.cwd, "callgate.json"))).toBe(false);
      const done = await callgate(["import", "--yes"], options);
      expect(done, done.stderr).toMatchObject({ code: 0 });
      expect(done.stderr).toContain("they need variables that hold what was not copied: A_TOKEN");
      expect(shown.stdout + shown.stderr + done.stdout + done.stderr).not.toContain("s3cret-1");
      expect(readFileSync(join(person.cwd, "callgate.json"), "utf8")).not.toContain("s3cret-1");
      expect(existsSync(join(person.cwd, "log"))).toBe(false);
      const env = { ...person.env, A_TOKEN: "s3cret-1" };
      const run = await callgate(["run", "-q", "-e", "return (await items.read_item({ id: 7 })).title"], {
        cwd: person.cwd,
        env,
      });
      expect(run, run.stderr).toMatchObject({ code: 3 });
      expect(run.stderr).not.toContain("CONFIG_UNTRUSTED");
      expect(existsSync(join(person.cwd, "log"))).toBe(true);
    },
  );

  test(verifies("import:asked", "at a terminal y takes all, n none"), async () => {
    const person = desk();
    person.put(CURSOR, servers({ a: { command: "a" }, b: { command: "b" } }));
    const no = await atTerminal(["import"], person.cwd, person, "n");
    expect(no).toMatchObject({ code: 1, questions: 1 });
    expect(existsSync(join(person.cwd, "callgate.json"))).toBe(false);
    const yes = await atTerminal(["import"], person.cwd, person, "y");
    expect(yes, yes.stderr).toMatchObject({ code: 0, questions: 1 });
    expect(Object.keys(written(person).mcpServers)).toEqual(["a", "b"]);
  });

  test(verifies("import:asked", "p asks for each"), async () => {
    const person = desk();
    person.put(CURSOR, servers({ a: { command: "a" }, b: { command: "b" }, c: { command: "c" } }));
    const ended = await atTerminal(["import"], person.cwd, person, ["p", "y", "n", "y"]);
    expect(ended, ended.stderr).toMatchObject({ code: 0, questions: 4 });
    expect(Object.keys(written(person).mcpServers)).toEqual(["a", "c"]);
  });

  test(
    verifies("import:asked", "--dry-run asks nothing and writes nothing; --from looks at one host"),
    async () => {
      const person = desk();
      person.put(CURSOR, servers({ a: { command: "a" } }));
      person.put(WINDSURF, servers({ b: { command: "b" } }));
      const ended = await quietly(["import", "--dry-run", "--from", "windsurf"], person.cwd, person);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain("starts b");
      expect(ended.stdout).not.toContain("starts a");
      expect(existsSync(join(person.cwd, "callgate.json"))).toBe(false);
      expect((await quietly(["import", "--from", "emacs"], person.cwd, person)).code).toBe(2);
    },
  );

  test(verifies("import:shown", "--json is the same as data, on stdout alone"), async () => {
    const person = desk();
    const file = person.put(CURSOR, servers({ a: { command: "a", env: { KEY: "s3cret-2" } }, bad: 5 }));
    const ended = await quietly(["import", "--json", "--yes"], person.cwd, person);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      config: join(person.cwd, "callgate.json"),
      files: [file],
      servers: [
        { name: "a", action: "add", host: "cursor", variables: ["KEY"], written: true },
        { name: "bad", action: "unusable", reason: "it is no object", written: false },
      ],
    });
    expect(ended.stdout).not.toContain("s3cret-2");
  });

  test(verifies("import:shown", "nothing found, and nothing new, are told and give 0"), async () => {
    const person = desk();
    const none = await quietly(["import"], person.cwd, person);
    expect(none).toMatchObject({ code: 0 });
    expect(none.stderr).toContain("no servers found");
    person.put(CURSOR, servers({ a: { command: "a" } }));
    await quietly(["import", "--yes"], person.cwd, person);
    const again = await quietly(["import"], person.cwd, person);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain("nothing to add");
    expect(again.stdout).toContain("the same: a of cursor");
  });

  test(verifies("import:shown", "hostile names, commands and keys are shown as escapes"), async () => {
    const person = desk();
    const evil = "\u001b[2J\u202e\nimport all? [y/n]";
    person.put(
      CURSOR,
      servers({ [evil]: { command: "x" }, a: { command: evil, [evil]: 1, env: { [evil]: "" } } }),
    );
    const { stdout, stderr } = await quietly(["import"], person.cwd, person);
    expect(/[\p{Cc}\p{Cf}]/u.test(`${stdout}${stderr}`.replaceAll("\n", ""))).toBe(false);
    expect(stdout).not.toMatch(/^import all/m);
  });
});

describe("trust", () => {
  test(verifies("import:trusted", "what was imported is not asked about again"), async () => {
    const person = desk();
    person.put(CURSOR, servers({ items }));
    await quietly(["import", "--yes"], person.cwd, person);
    expect((await quietly(["doctor"], person.cwd, person)).code).toBe(0);
  });

  test(
    verifies("import:trusted", "servers that were there and nobody agreed to are still asked about"),
    async () => {
      const person = desk();
      person.put(CURSOR, servers({ items }));
      person.put("callgate.json", servers({ evil: { command: "/nowhere/evil" } }));
      expect((await quietly(["import", "--yes"], person.cwd, person)).code).toBe(0);
      const ended = await quietly(["run", "-e", "1"], person.cwd, person);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain("CONFIG_UNTRUSTED");
    },
  );
});

describe("trust in what a project brought along", () => {
  test(verifies("import:trusted", "it is asked about when --yes was all the answer there was"), async () => {
    const person = desk();
    person.put(".mcp.json", servers({ items }));
    expect((await quietly(["import", "--yes"], person.cwd, person)).code).toBe(0);
    const ended = await quietly(["run", "-e", "1"], person.cwd, person);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("CONFIG_UNTRUSTED");
  });

  test(
    verifies("import:trusted", "it is asked about when what looks like a secret was copied and not shown"),
    async () => {
      const person = desk();
      const args = [fixtureServer, "--token=hidden-from-who-was-asked"];
      person.put(".mcp.json", servers({ items: { ...items, args } }));
      const imported = await atTerminal(["import", "--with-secrets"], person.cwd, person, "y");
      expect(imported.code).toBe(0);
      expect(imported.stdout).not.toContain("hidden-");
      const ended = await quietly(["run", "-e", "1"], person.cwd, person);
      expect(ended.code).toBe(2);
      expect(ended.stderr.replaceAll(/\n +┆ /g, "")).toContain("--token=hidden-from-who-was-asked");
    },
  );

  test(verifies("import:trusted", "it is not asked about again by whom it was shown to"), async () => {
    const person = desk();
    person.put(".mcp.json", servers({ items }));
    expect((await atTerminal(["import"], person.cwd, person, "y")).code).toBe(0);
    expect((await quietly(["doctor"], person.cwd, person)).code).toBe(0);
  });
});

describe("the file", () => {
  const one = new Map([["new", { command: "x", args: ["1"] }]]);

  test(verifies("import:written", "comments, order, indentation and line ends stay"), () => {
    const text =
      '\ufeff{\r\n\t// mine\r\n\t"policy": {}, // rules\r\n\t"servers": {\r\n\t\t"old": { "url": "u" } // one\r\n\t}\r\n}\r\n';
    const after = withServers(text, "servers", one);
    expect(after.startsWith('\ufeff{\r\n\t// mine\r\n\t"policy": {}, // rules\r\n\t"servers": {')).toBe(true);
    expect(after).toContain("// one");
    expect(after).toContain('\r\n\t\t"new": {\r\n\t\t\t"command": "x"');
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(parseDocument(after).value).toEqual({
      policy: {},
      servers: { old: { url: "u" }, new: { command: "x", args: ["1"] } },
    });
  });

  test(verifies("import:written", "it keeps its mode, and a link stays a link"), async () => {
    const path = folder({ "real.json": '{ "mcpServers": {} }' });
    const link = join(path, "callgate.json");
    symlinkSync("real.json", link);
    chmodSync(join(path, "real.json"), 0o640);
    await addServers(link, '{ "mcpServers": {} }', "mcpServers", one);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(link).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(path, "real.json"), "utf8")).toContain('"new"');
  });

  test(
    verifies("import:written", "a file that changed meanwhile, or appeared, is left as it is"),
    async () => {
      const path = folder({ "callgate.json": "{ }" });
      const file = join(path, "callgate.json");
      for (const before of ["{}", undefined])
        await expect(addServers(file, before, "mcpServers", one)).rejects.toThrow("changed meanwhile");
      expect(readFileSync(file, "utf8")).toBe("{ }");
    },
  );

  test(verifies("import:written", "a file that cannot be read is no place to write to"), async () => {
    const person = desk();
    person.put(CURSOR, servers({ a: { command: "a" } }));
    writeFileSync(join(person.cwd, "callgate.json"), "{ broken");
    const ended = await quietly(["import", "--yes"], person.cwd, person);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("callgate.json:1:3: not valid JSON");
    expect(readFileSync(join(person.cwd, "callgate.json"), "utf8")).toBe("{ broken");
    expect((await quietly(["import", "-c", "x.yaml", "--yes"], person.cwd, person)).code).toBe(2);
  });
});
