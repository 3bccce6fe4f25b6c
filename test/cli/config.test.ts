// callgate.json: what is read, what is refused and how it is named.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CallgateError } from "../../index.ts";
import { DocumentProblem, parseDocument } from "../../cli/config/document.ts";
import { loadConfig } from "../../cli/config/load.ts";
import { parseShape, pathText, ShapeProblem } from "../../cli/config/shape.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { verifies } from "../requirements.ts";
import { words } from "./inside.ts";
import { callgate, folder, workspace } from "./support.ts";

const load = (text: string | Buffer, file?: string): ReturnType<typeof loadConfig> =>
  loadConfig({ cwd: folder({ "callgate.json": text }), file });

describe("reading", () => {
  test(verifies("cli:config-errors", "no file and none asked for is no configuration"), async () => {
    expect(await loadConfig({ cwd: folder(), file: undefined })).toMatchObject({ config: { servers: {} } });
  });

  test.each([
    ["a file that is not there", "other.json", "other.json: there is no such file"],
    ["a folder", ".", "it is a folder, not a file"],
  ])(verifies("cli:config-errors", "%s is named"), async (_, file, message) => {
    await expect(load("{}", file)).rejects.toThrow(message);
    await expect(load("{}", file)).rejects.toBeInstanceOf(UsageError);
  });

  test(
    verifies("cli:config-errors", "comments, trailing commas, a byte order mark and CRLF are fine"),
    async () => {
      const text =
        '\ufeff{\r\n  // servers\r\n  "mcpServers": { "a": { "url": "http://x" }, }, /* end */\r\n}\r\n';
      expect((await load(text)).config.servers).toEqual({ a: { url: "http://x" } });
    },
  );

  test(
    verifies("cli:config-errors", "servers is another word for mcpServers; both at once is a mistake"),
    async () => {
      expect((await load('{ "servers": { "a": { "url": "http://x" } } }')).config.servers).toHaveProperty(
        "a",
      );
      await expect(load('{ "mcpServers": {}, "servers": {} }')).rejects.toThrow(
        "callgate.json:1:21: servers: ",
      );
    },
  );

  test(
    verifies("cli:config-errors", "a mcp.json of VS Code is read; a server that asks for input is named"),
    async () => {
      const { path, log } = workspace({ policy: { default: "allow" } });
      const { mcpServers } = JSON.parse(readFileSync(join(path, "callgate.json"), "utf8")) as {
        mcpServers: { items: object };
      };
      const items = { type: "stdio", ...mcpServers.items, envFile: "../vars.env" };
      const asks = { command: "node", env: { KEY: "${input:key}" } };
      mkdirSync(join(path, ".vscode"));
      writeFileSync(join(path, "vars.env"), "FIXTURE_EXTRA=1\n");
      writeFileSync(
        join(path, ".vscode", "mcp.json"),
        JSON.stringify({ inputs: [{ id: "key", type: "promptString" }], servers: { items, asks } }),
      );
      const ended = await callgate(["run", "-q", "-e", "return 1", "-c", ".vscode/mcp.json"], { cwd: path });
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "1\n" });
      expect(ended.stderr).toContain(
        "server asks is not available: env.KEY: ${input:key} asks the editor for a value",
      );
      expect(log().length).toBeGreaterThan(0);
    },
  );

  test.each([
    ["an empty file", "", "callgate.json:1:1: not valid JSON: expected an object, the file is empty"],
    ["a missing brace", '{\n  "limits": {\n', "callgate.json:3:1: not valid JSON: expected close brace"],
    ["a missing value", '{\n  "limits":\n}', "callgate.json:3:1: not valid JSON: expected value"],
    [
      "a missing comma",
      '{\n  "limits": {}\n  "policy": {}\n}',
      "callgate.json:3:3: not valid JSON: expected comma",
    ],
    ["a bare word", "{\n  limits: {}\n}", "callgate.json:2:3: not valid JSON: invalid symbol"],
    ["text after the end", "{}\nmore", "callgate.json:2:1: not valid JSON:"],
    [
      "a key written twice",
      '{\n  "limits": {},\n  "limits": {}\n}',
      'callgate.json:3:3: not valid JSON: the key "limits" is written twice',
    ],
  ])(verifies("cli:config-errors", "%s is placed by line and column"), async (_, text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });

  test.each([
    [
      "a number that is too small",
      '{ "sandbox": { "workers": 0 } }',
      "callgate.json:1:16: sandbox.workers: expected a number that is at least 1",
    ],
    [
      "a number that is not whole",
      '{ "sandbox": { "workers": 1.5 } }',
      "sandbox.workers: expected a whole number, got 1.5",
    ],
    [
      "a number that is too big",
      '{ "catalog": { "threshold": 5 } }',
      "catalog.threshold: expected a number that is at most 1",
    ],
    [
      "a key that is missing",
      '{ "audit": {} }',
      "callgate.json:1:3: audit.file: expected a text; it is missing",
    ],
    ["a list of nothing", '{ "policy": [] }', "policy: expected a list of at least 1 entry"],
    ["a list", "[]", "callgate.json:1:1: expected an object, got a list"],
    ["a number", "5", "callgate.json:1:1: expected an object, got a number"],
    [
      "an unknown key",
      '{\n  "mcpServer": {}\n}',
      'callgate.json:2:3: mcpServer: unknown key "mcpServer"; did you mean mcpServers?',
    ],
    [
      "a strange key",
      '{ "x": 1 }',
      'x: unknown key "x"; expected one of $schema, mcpServers, servers, policy',
    ],
    [
      "a key of the sandbox",
      '{ "sandbox": { "jitt": true } }',
      'sandbox.jitt: unknown key "jitt"; did you mean jit?',
    ],
    [
      "servers of the wrong type",
      '{\n  "mcpServers": []\n}',
      "callgate.json:2:3: mcpServers: expected an object, got a list",
    ],
    ["null", '{ "limits": null }', "limits: expected an object, got null"],
    [
      "a limit of the wrong type",
      '{\n  "limits": {\n    "wallMs": true\n  }\n}',
      "callgate.json:3:5: limits.wallMs: expected milliseconds",
    ],
    [
      "an unknown limit",
      '{ "limits": { "wall": 1 } }',
      "limits.wall: there is no limit wall; did you mean wallMs?",
    ],
    [
      "an unknown measure",
      '{ "sandbox": { "require": ["network", "disk"] } }',
      'sandbox.require[1]: expected "network" or "memory"',
    ],
    [
      "a policy of the wrong type",
      '{ "policy": "allow" }',
      "policy: expected an object, a path that ends in",
    ],
    [
      "a time zone that is none",
      '{ "timeZone": "Mars" }',
      'timeZone: expected a time zone such as "Europe/Berlin"',
    ],
    ["a share above 1", '{ "catalog": { "threshold": 2 } }', "catalog.threshold: "],
  ])(
    verifies("cli:config-errors", "%s is named with its path and what was expected"),
    async (_, text, message) => {
      await expect(load(text)).rejects.toThrow(message);
      await expect(load(text)).rejects.toBeInstanceOf(UsageError);
    },
  );

  test(verifies("cli:config-errors", "the line itself is shown with a caret"), async () => {
    const ended = await callgate(["run", "-e", "1"], {
      cwd: folder({ "callgate.json": '{\n  "polcy": {}\n}' }),
    });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toBe(
      'error CONFIG_INVALID: callgate.json:2:3: polcy: unknown key "polcy"; did you mean policy?\n    "polcy": {}\n    ^\n',
    );
  });
});

describe("what only the gate can judge", () => {
  test(verifies("cli:config-errors", "a server entry is placed in the file"), async () => {
    const text = '{\n  "mcpServers": {\n    "a.b": {\n      "command": "x", "args": "y"\n    }\n  }\n}';
    const ended = await words(["run", "-e", "1"], { cwd: folder({ "callgate.json": text }) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/callgate\.json:4:23: .*mcpServers\.a\.b\.args/);
  });

  test(verifies("cli:config-errors", "so it is when the file calls them servers"), async () => {
    const text = '{\n  "servers": {\n    "a": { "command": 5 }\n  }\n}';
    const ended = await words(["run", "-e", "1"], { cwd: folder({ "callgate.json": text }) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/callgate\.json:3:\d+: .*a\.command/);
  });

  test(verifies("cli:config-errors", "a limit below what could run is placed in the file"), async () => {
    const text = '{\n  "limits": {\n    "memoryMb": 1\n  }\n}';
    const ended = await words(["run", "-e", "1"], { cwd: folder({ "callgate.json": text }) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("callgate.json:3:5: limits.memoryMb: expected a whole number");
  });

  test(verifies("cli:config-errors", "a rule of the policy is placed in the file"), async () => {
    const text =
      '{\n  "policy": {\n    "rules": [\n      { "tools": "a.*", "effekt": "allow" }\n    ]\n  }\n}';
    const ended = await words(["run", "-e", "1"], { cwd: folder({ "callgate.json": text }) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/callgate\.json:4:\d+: policy\.rules\[0\]/);
  });

  test(verifies("cli:config-errors", "a rule in a list of policies is placed in its layer"), async () => {
    const text = '{ "policy": [\n  {},\n  { "rules": [{ "tools": "a.*", "effect": 5 }] }\n] }';
    const ended = await words(["run", "-e", "1"], { cwd: folder({ "callgate.json": text }) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/callgate\.json:3:\d+: policy\[1\]\.rules\[0\]\.effect/);
  });

  test(verifies("cli:config-errors", "other errors pass as they are"), async () => {
    const { explain } = await load("{}");
    const error = new CallgateError("WORKER_START_FAILED", "no");
    expect(explain(error)).toBe(error);
    expect(explain("text")).toBe("text");
  });
});

describe("paths", () => {
  test(
    verifies("cli:config-paths", "a server starts in the folder of the file, wherever the command runs"),
    async () => {
      const { path, log } = workspace({ policy: { default: "allow" } });
      const ended = await callgate(["run", "-q", "-e", "return 1", "--config", join(path, "callgate.json")]);
      expect(ended.code).toBe(0);
      expect(
        log().some((line) => line.startsWith("cwd ") && line.endsWith(path.split("/").at(-1) ?? "?")),
      ).toBe(true);
    },
  );

  test(
    verifies("cli:config-paths", "cwd and ./command are taken from that folder, args stay as they are"),
    async () => {
      const cwd = folder();
      mkdirSync(join(cwd, "deep"));
      const entry = { command: "./server", args: ["./a", "../b"], cwd: "data" };
      const servers = {
        one: entry,
        two: { ...entry, command: "node", cwd: "/elsewhere" },
        three: { command: "../x", cwd: "${HOME}/y" },
      };
      writeFileSync(join(cwd, "deep", "c.json"), JSON.stringify({ servers }));
      const { config, file } = await loadConfig({ cwd, file: "deep/c.json" });
      expect(file).toBe(join("deep", "c.json"));
      expect(config.servers).toEqual({
        one: { command: join(cwd, "deep", "server"), args: ["./a", "../b"], cwd: join(cwd, "deep", "data") },
        two: { command: "node", args: ["./a", "../b"], cwd: "/elsewhere" },
        three: { command: join(cwd, "x"), cwd: "${HOME}/y" },
      });
    },
  );

  test(verifies("cli:config-paths", "variables of the environment reach a server's entry"), async () => {
    const { path, log } = workspace({
      mcpServers: { other: { command: "${SHELL_NODE}", args: ["-e", "process.exit(1)"] } },
      policy: { default: "allow" },
    });
    const ended = await callgate(["run", "-e", "return 1"], {
      cwd: path,
      env: { SHELL_NODE: process.execPath },
    });
    expect(ended.stderr).toContain("server other is not available");
    expect(ended.stderr).not.toContain("SHELL_NODE is not set");
    expect(log().length).toBeGreaterThan(0);
  });
});

describe("documents", () => {
  test(verifies("cli:config-prototype", "a key __proto__ is a key like any other, and refused"), async () => {
    const { value } = parseDocument('{ "__proto__": { "policy": { "default": "allow" } } }');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { policy?: unknown }).policy).toBeUndefined();
    await expect(load('{ "__proto__": {} }')).rejects.toThrow('unknown key "__proto__"');
  });

  test(verifies("cli:config-prototype", "a server may be called constructor"), async () => {
    const { config } = await load('{ "mcpServers": { "constructor": { "url": "http://x" } } }');
    expect(Object.hasOwn(config.servers, "constructor")).toBe(true);
  });

  test(verifies("cli:config-errors", "every JSON text is read as JSON.parse reads it"), () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.integer({ min: 0, max: 3 }),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(parseDocument(text).value).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test(
    verifies(
      "cli:config-errors",
      "no text is anything but a value or a DocumentProblem with a place in the text",
    ),
    () => {
      fc.assert(
        fc.property(
          fc.string({
            unit: fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "1", "a", "\n", "/", "*", "\\"),
          }),
          (text) => {
            try {
              parseDocument(text);
            } catch (error) {
              expect(error).toBeInstanceOf(DocumentProblem);
              const { line, column } = (error as DocumentProblem).position;
              expect(line).toBeGreaterThanOrEqual(1);
              expect(line).toBeLessThanOrEqual(text.split("\n").length);
              expect(column).toBeGreaterThanOrEqual(1);
            }
          },
        ),
      );
    },
  );

  test.each([
    ["a.b", 2],
    ["a.b[1]", 4],
    ['a["x.y"].z', 7],
    ["a.x.y.z", 7],
    ["a.b[9].c", 2],
    ["nothing", 1],
    ["", 1],
  ])(verifies("cli:config-errors", "the path %s leads to line %i, or as near as there is"), (path, line) => {
    const text = '{ "a": {\n "b": [\n 1,\n 2 ],\n "c": 0,\n "x.y":\n { "z": 1 } } }';
    const document = parseDocument(text.replace('"x.y":\n {', '"x.y": {\n'));
    expect(document.positionOfText(path).line).toBe(line);
  });
});

test(
  verifies("cli:config-errors", "whatever a value is, its shape is right or a ShapeProblem says where"),
  () => {
    const key = fc.constantFrom(
      "mcpServers",
      "policy",
      "limits",
      "sandbox",
      "catalog",
      "timeZone",
      "x",
      "wallMs",
      "jit",
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue()))),
    );
    fc.assert(
      fc.property(value, (given) => {
        try {
          expect(parseShape(given).servers).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeProblem);
          expect(typeof pathText((error as ShapeProblem).path)).toBe("string");
        }
      }),
    );
  },
);

test(verifies("cli:own-words", "an entry of a server that is none is told in our own words"), async () => {
  for (const entry of [
    5,
    { command: 5 },
    { command: "a", args: "b" },
    { url: "https://a.example", headers: 5 },
  ]) {
    const cwd = folder({ "callgate.json": JSON.stringify({ mcpServers: { a: entry } }) });
    const { stderr } = await words(["run", "-q", "-e", "1"], { cwd });
    expect(stderr).toMatch(/^error CONFIG_INVALID: callgate\.json:1:\d+: mcpServers\.a[\w.]*: /);
    expect(stderr).not.toMatch(/Invalid input|Unrecognized|received/);
  }
});
