// Where a policy comes from, and how a mistake in it is placed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentProblem } from "../../cli/config/document.ts";
import { loadConfig } from "../../cli/config/load.ts";
import { parseYaml } from "../../cli/config/yaml.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { createCallgate } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { words } from "./inside.ts";
import { callgate, folder, workspace } from "./support.ts";

const READ = "return (await items.read_item({ id: 1 })).title";
const ALLOW_YAML = `# who may do what
rules:
  - tools: items.read_item
    effect: allow
    when:
      id: { max: 5 }
`;

async function problem(files: Readonly<Record<string, string>>, policies: string[] = []): Promise<string> {
  const cwd = folder(files);
  let loaded;
  try {
    loaded = await loadConfig({ cwd, file: undefined, policies });
    const { values, sources } = loaded.policy;
    await using _gate = await createCallgate({ policy: values, policySources: sources });
  } catch (error) {
    const told = loaded?.explain(error) ?? error;
    expect(told).toBeInstanceOf(UsageError);
    return (told as Error).message;
  }
  return "none";
}

describe("files", () => {
  test(
    verifies("cli:policy-files", "a YAML file beside the configuration is the policy of a run"),
    async () => {
      const { path } = workspace({ policy: "rules/mine.yaml" });
      const made = workspace({ policy: "mine.yaml" }, { "mine.yaml": ALLOW_YAML });
      expect(await callgate(["run", "-q", "-e", READ], { cwd: made.path })).toMatchObject({
        code: 0,
        stdout: "item 1\n",
      });
      const beyond = READ.replace("1", "6");
      expect((await callgate(["run", "-q", "-e", beyond], { cwd: made.path })).code).toBe(3);
      const missing = await callgate(["run", "-q", "-e", READ], { cwd: path });
      expect(missing.code).toBe(2);
      expect(missing.stderr).toMatch(
        /callgate\.json:\d+:\d+: policy: rules\/mine\.yaml: there is no such file/,
      );
    },
  );

  test(
    verifies("cli:policy-files", "a file nested without end is refused, in JSON and in YAML"),
    async () => {
      const deep = "[".repeat(100_000);
      const config = JSON.stringify({ mcpServers: {} });
      for (const name of ["deep.json", "deep.yaml"])
        expect(await problem({ "callgate.json": config, [name]: deep }, [name])).toMatch(
          /^deep\.(json: it is nested too deeply|yaml:\d+:\d+: not valid YAML)/,
        );
    },
  );

  test(verifies("cli:policy-files", "a path is taken from the folder of the configuration"), async () => {
    const { path } = workspace(
      { policy: "mine.jsonc" },
      { "mine.jsonc": '{ /* all */ "default": "allow", }' },
    );
    const config = join(path, "callgate.json");
    const ended = await words(["run", "-q", "-c", config, "-e", READ], { cwd: folder() });
    expect(ended).toMatchObject({ code: 0, stdout: "item 1\n" });
  });

  test(
    verifies("cli:policy-layers", "a list joins inline layers and files, and later ones only tighten"),
    async () => {
      const rule = (effect: string): string => JSON.stringify({ rules: [{ tools: "items.*", effect }] });
      const tightened = workspace(
        { policy: [{ default: "allow" }, "more.json"] },
        { "more.json": rule("deny") },
      );
      const refused = await words(["run", "-q", "-e", READ], { cwd: tightened.path });
      expect(refused.stderr).toContain("CALL_DENIED");
      const widened = workspace(
        { policy: [{ default: "deny" }, "more.json"] },
        { "more.json": rule("allow") },
      );
      expect((await words(["run", "-q", "-e", READ], { cwd: widened.path })).stderr).toContain("CALL_DENIED");
    },
  );

  test(
    verifies("cli:policy-layers", "--policy tightens, in order and more than once; it never widens"),
    async () => {
      const files = {
        "deny.yaml": "rules: [{ id: no-items, tools: items.read_item, effect: deny }]\n",
        "allow.json": '{ "default": "allow", "rules": [{ "tools": "items.*", "effect": "allow" }] }',
      };
      const open = workspace({ policy: { default: "allow" } }, files);
      const both = ["--policy", "allow.json", "--policy", "deny.yaml"];
      const refused = await callgate(["run", "-q", "-e", READ, ...both], { cwd: open.path });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('rule "no-items" denies items.read_item');
      const built = workspace({}, files);
      expect(
        (await words(["run", "-q", "-e", READ, "--policy", "allow.json"], { cwd: built.path })).code,
      ).toBe(3);
    },
  );
});

describe("mistakes", () => {
  test.each([
    [
      "in a YAML file",
      { "callgate.json": '{ "policy": "p.yaml" }', "p.yaml": "rules:\n  - tools: a.b\n    efect: allow\n" },
      'p.yaml:3:5: rules[0]: unknown key "efect", did you mean "effect"? (and 1 more)',
    ],
    [
      "in the second layer",
      { "callgate.json": '{ "policy": [{}, "p.json"] }', "p.json": '{\n  "default": "perhaps"\n}' },
      'p.json:2:3: default: expected "allow", "ask", "deny"',
    ],
    [
      "in an inline layer",
      { "callgate.json": '{\n  "policy": [{},\n    { "defalt": "ask" }]\n}' },
      'callgate.json:3:7: policy[1]: unknown key "defalt", did you mean "default"?',
    ],
    [
      "of YAML itself",
      { "callgate.json": '{ "policy": "p.yml" }', "p.yml": "default: ask\n  rules: []\n" },
      "p.yml:1:10: not valid YAML: ",
    ],
    [
      "of JSON itself",
      { "callgate.json": '{ "policy": "p.json" }', "p.json": '{\n  "default" "ask"\n}' },
      "p.json:2:13: not valid JSON: expected colon",
    ],
    [
      "a file that is a list",
      { "callgate.json": '{ "policy": "p.yaml" }', "p.yaml": "- default: ask\n" },
      "p.yaml:1:1: expected an object: one policy",
    ],
    [
      "a path of another kind",
      { "callgate.json": '{ "policy": ["p.txt"] }' },
      "callgate.json:1:14: policy[0]: expected an object, a path that ends in .json, .jsonc, .yaml or .yml",
    ],
  ])(
    verifies("cli:policy-files", "%s is placed by file, line, column and path"),
    async (_, files, message) => {
      expect(await problem(files)).toContain(message);
    },
  );

  test(verifies("cli:policy-files", "a file of --policy is named even without a configuration"), async () => {
    const files = { "p.yaml": "rules:\n- tools: a.b\n  effect: allow\n  unless: { x: { equals: 1 } }\n" };
    expect(await problem(files, ["p.yaml"])).toContain('p.yaml:4:3: rules[0].unless: expected no "unless"');
    expect(await problem({}, ["gone.yaml"])).toBe("--policy gone.yaml: there is no such file");
  });

  test(verifies("cli:policy-files", "the same file twice is two layers"), async () => {
    const files = { "p.json": '{ "rules": [{ "id": "x", "tools": "a.*", "effect": "deny" }] }' };
    expect(await problem(files, ["p.json", "p.json"])).toContain('"x" names another rule or flow');
  });
});

describe("YAML", () => {
  test.each([
    ["an anchor", "a: &x 1\nb: *x\n", "1:7", "anchors and aliases are not read here"],
    ["an alias bomb", "a: [&x [1], *x, *x]\n", "1:8", "anchors and aliases are not read here"],
    ["a tag of its own", "a: !run ls\n", "1:4", "unresolved tag"],
    ["a key that is no text", "1: ask\n", "1:1", "expected a key in quotes"],
    ["a list as a key", "? [a]\n: b\n", "1:3", "expected a key that is a text"],
    ["a key written twice", "a: 1\na: 2\n", "2:1", "a key is written twice"],
    ["a number that is none", "a: .nan\n", "1:4", "expected a value that JSON has too"],
    ["a second document", "a: 1\n---\nb: 2\n", "2:1", "expected one document"],
    ["no document", "# nothing\n", "1:1", "the file is empty"],
    [
      "more levels than anybody writes",
      `a: ${"[".repeat(200)}${"]".repeat(200)}\n`,
      "1:",
      "at most 100 levels",
    ],
  ])(verifies("cli:policy-files", "%s is refused in its place"), (_, text, place, message) => {
    const caught = (() => {
      try {
        return parseYaml(text).value;
      } catch (error) {
        return error;
      }
    })();
    expect(caught).toBeInstanceOf(DocumentProblem);
    const { position } = caught as DocumentProblem;
    expect((caught as Error).message.toLowerCase()).toContain(message.toLowerCase());
    expect(`${position.line}:${position.column}`).toContain(place);
  });

  test(
    verifies(
      "cli:policy-files",
      "what it reads is plain: no key reaches a prototype, no word becomes a date",
    ),
    () => {
      const { value } = parseYaml("__proto__: { a: 1 }\nyes: no\nday: 2024-01-01\n<<: { b: 1 }\nnothing:\n");
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(value as object)).toEqual(["__proto__", "yes", "day", "<<", "nothing"]);
      expect(value).toMatchObject({ yes: "no", day: "2024-01-01", nothing: null });
    },
  );

  test(verifies("cli:policy-files", "JSON is read by it as JSON reads it"), () => {
    const json = fc.json({ maxDepth: 4, stringUnit: "grapheme" }).filter((text) => text !== "null");
    fc.assert(
      fc.property(json, (text) => {
        expect(parseYaml(text).value).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  test(verifies("cli:policy-files", "any text is a value or a mistake with a place in it"), () => {
    const text = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc
        .array(
          fc.constantFrom(
            "a",
            ":",
            " ",
            "\n",
            "-",
            "[",
            "]",
            "{",
            "}",
            "&",
            "*",
            "!",
            "'",
            '"',
            "|",
            ">",
            "?",
            "#",
            ",",
            "%",
            "\t",
          ),
          { maxLength: 40 },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (written) => {
        try {
          parseYaml(written);
        } catch (error) {
          expect(error).toBeInstanceOf(DocumentProblem);
          const { line, column } = (error as DocumentProblem).position;
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test(verifies("cli:policy-files", "an editor's $schema is no part of the policy"), async () => {
  const cwd = folder({
    "callgate.json": '{ "policy": { "$schema": "./policy.schema.json", "default": "allow" } }',
  });
  writeFileSync(join(cwd, "x.ts"), "return 1");
  expect((await words(["run", "-q", "x.ts"], { cwd })).code).toBe(0);
});
