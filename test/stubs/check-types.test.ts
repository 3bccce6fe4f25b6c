// Shows what a model is told about a script that does not fit the tools.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { useCompiler } from "./check-support.ts";

const { compile, one, places } = useCompiler();

test(
  verifies(
    "check:unknown-tool",
    "a mistyped tool is answered with the tool that was meant, and its signature",
  ),
  async () => {
    const diagnostic = await one('await github.list_isues({ owner: "a", repo: "b" });');
    expect(diagnostic).toMatchObject({ severity: "error", code: "SCRIPT_TYPE", line: 1, column: 14 });
    expect(diagnostic.message).toBe("`github` has no tool `list_isues`. Did you mean `github.list_issues`?");
    expect(diagnostic.suggestion).toContain("github.list_issues(input: { owner: string;");
  },
);

test.each([
  ['await github.read_file({ path: "a" });', "files.read_file"],
  ['await github["list-issues"]({});', "github.list_issues"],
  ["await github.listIssues({});", "github.list_issues"],
  ["await github.issues_list({});", "github.list_issues"],
  ['await mcp__github__list_issues({ owner: "a", repo: "b" });', "github.list_issues"],
  ["await github_list_issues({});", "github.list_issues"],
  ["await list_issues({});", "github.list_issues"],
  ["await slack.read_file({});", "files.read_file"],
  ["await gihub.list_issues({});", "github"],
  ["await GitHub.list_issues({});", "github"],
  ['await tools.call("x");', "files, github"],
])(verifies("check:unknown-tool", "%j finds %s"), async (script, meant) => {
  const { message, suggestion = "" } = await one(script);
  expect(`${message}\n${suggestion}`).toContain(meant);
});

test(verifies("check:unknown-tool", "a tool like no other points at the search"), async () => {
  expect((await one("await github.zzz({});")).suggestion).toContain("catalog.search");
});

test(
  verifies("check:unknown-tool", "a name the script declares itself is not taken for a server"),
  async () => {
    const { message } = await one(
      "const github = { a: 1 };\nreturn github.list_isues;".replace("a: 1", "list: 1"),
    );
    expect(message).toContain("list_isues");
    expect(message).not.toContain("has no tool");
  },
);

test(verifies("check:arguments", "all missing and unknown keys are listed, not only the first"), async () => {
  const { message, suggestion } = await one('await github.list_issues({ onwer: "a", rep: "b", foo: 1 });');
  expect(message).toBe(
    "The argument of `github.list_issues` lacks `owner` (string), `repo` (string); " +
      "has unknown `onwer` (did you mean `owner`?), `rep` (did you mean `repo`?), `foo`.",
  );
  expect(suggestion).toContain("github.list_issues(input:");
});

test.each([
  ["await github.list_issues({});", "lacks `owner` (string), `repo` (string)."],
  [
    'await github.list_issues({ owner: "a", ...{ repo: "b" }, label: [] });',
    "has unknown `label` (did you mean `labels`?)",
  ],
  ['await github.create_issue({ title: "a", meta: {} });', "lacks `kind` (string)."],
  ['await github.create_issue({ title: "a", meta: { kind: "a", levl: 1 } });', "did you mean `level`?"],
  ["const q: { a: number; b: number } = {}; return q;", "This object lacks `a` (number), `b` (number)."],
])(verifies("check:arguments", "%j says: %s"), async (script, words) => {
  expect((await one(script)).message).toContain(words);
});

test.each([
  [
    'await github.list_issues({ owner: "a", repo: "b", state: "opne" });',
    '`state`: "opne" is not one of "open", "closed". Did you mean "open"?',
  ],
  [
    'await github.list_issues({ owner: "a", repo: "b", labels: "x" });',
    "`labels`: Type 'string' is not assignable to type 'string[]'.",
  ],
  [
    'await github.get_issue({ owner: "a", repo: "b", number: "1" });',
    "`number`: Type 'string' is not assignable to type 'number'.",
  ],
  ["await github.get_issue();", "Expected 1 arguments, but got 0."],
  ['await github.get_issue("a", 1);', "Expected 1 arguments, but got 2."],
])(verifies("check:arguments", "%j says: %s"), async (script, words) => {
  const { message, suggestion } = await one(script);
  expect(message).toContain(words);
  expect(suggestion).toMatch(/^github\./);
});

test.each([
  'const r = github.get_issue({ owner: "a", repo: "b", number: 1 });\nreturn r.title;',
  'return files.read_file({ path: "a" }).content;',
  'for (const f of files.list_directory({ path: "a" })) console.log(f);',
  'const names: string[] = files.list_directory({ path: "a" }); return names;',
  'const [a] = files.list_directory({ path: "a" }); return a;',
  'return (await catalog.search("x")).concat(catalog.search("y"));',
])(verifies("check:await", "%j is told of await"), async (script) => {
  const { diagnostics } = await compile(script);
  expect(diagnostics.map(({ suggestion = "" }) => suggestion).join()).toContain("`await`");
});

test(verifies("check:await", "a result that is any, or is used rightly, is fine"), async () => {
  const script = `const all = await files.read_file({ path: "a" });
const issue = await github.get_issue({ owner: "a", repo: "b", number: all.deep[0].number });
const names = await files.list_directory({ path: issue.body ?? issue.title });
return names.map((name) => name.toUpperCase());`;
  expect(await places(script)).toEqual([]);
});

test(verifies("check:arguments", "a property a result has not is answered with those it has"), async () => {
  const near = await one('return (await github.get_issue({ owner: "a", repo: "b", number: 1 })).titel;');
  expect(near.message).toContain("Did you mean 'title'?");
  const far = await one('return (await github.get_issue({ owner: "a", repo: "b", number: 1 })).zzz;');
  expect(far.suggestion).toBe("It has: title, body.");
});

test(verifies("check:bounded", "five diagnostics at most, the first positions first"), async () => {
  expect(await places("a;\nb;\nc;\nd;\ne;\nf;\ng;")).toEqual(
    [1, 2, 3, 4, 5].map((line) => `error SCRIPT_TYPE ${line}:1`),
  );
});

test(
  verifies("check:bounded", "the same unknown name is told once, and leaves room for others"),
  async () => {
    expect(
      await places("fetch('a');\nfetch('b');\nnowhere;\nfetch('c');\nnowhere;\nconst n: number = 'a';"),
    ).toEqual(["error SCRIPT_TYPE 1:1", "error SCRIPT_TYPE 3:1", "error SCRIPT_TYPE 6:7"]);
  },
);

test(
  verifies(["check:bounded", "check:modes"], "errors behind any number of doubts are still errors"),
  async () => {
    const doubts = Array.from(
      { length: 8 },
      (_, i) => `let v${i}; [{ v: 1 }].forEach((x) => { v${i} = x }); v${i}.v;`,
    );
    const { code, diagnostics } = await compile(`${doubts.join("\n")}\nconst n: number = 'a';`);
    expect(code).toBeUndefined();
    expect(diagnostics.at(-1)).toMatchObject({ severity: "error", line: 9 });
  },
);

test(verifies("check:bounded", "errors are kept before warnings"), async () => {
  const script = `${"sleep(1);\n".repeat(6)}nowhere;`;
  expect((await places(script)).at(-1)).toBe("error SCRIPT_TYPE 7:1");
});

test(
  verifies("check:bounded", "messages, suggestions and source lines are short and printable"),
  async () => {
    const keys = Array.from({ length: 300 }, (_, i) => `key_number_${i}: ${i}`).join(", ");
    const scripts = [
      `await github.list_issues({ ${keys} });`,
      `const x: { ${keys.replaceAll(/: \d+/g, ": number")} } = {}; return x;`,
      `const x: number = { ${keys} };`,
      `const o = { ${keys} }; return o.nope;`,
      `await github.${"list".repeat(5_000)}({});`,
      `const u: "${"x".repeat(5_000)}" = "y"; return u;`,
      `\`\u202E\u001B[31m\`; nowhere; /* ${"y".repeat(5_000)} */`,
    ];
    for (const script of scripts) {
      const { diagnostics } = await compile(script);
      expect(diagnostics.length).toBeGreaterThan(0);
      for (const { message, suggestion = "", source } of diagnostics) {
        expect(message.length).toBeLessThanOrEqual(700);
        expect(suggestion.length).toBeLessThanOrEqual(700);
        expect(source.length).toBeLessThanOrEqual(202);
        expect(message + suggestion + source).not.toMatch(
          /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/,
        );
      }
    }
  },
);

test(verifies("check:bounded", "of a long line the part around the error is shown"), async () => {
  const { source, column } = await one(
    `const a = "${"x".repeat(1_000)}"; nowhere; const b = "${"y".repeat(1_000)}";`,
  );
  expect(source).toContain("nowhere");
  expect(column).toBe(1_015);
});

test(verifies("check:modes", "error forbids, warn advises, off does not look"), async () => {
  const script = "const x: number = 'a';";
  expect(await compile(script, "error")).toMatchObject({
    diagnostics: [{ severity: "error", code: "SCRIPT_TYPE" }],
  });
  expect((await compile(script, "error")).code).toBeUndefined();
  const warned = await compile(script, "warn");
  expect(warned.diagnostics).toMatchObject([{ severity: "warning", code: "SCRIPT_TYPE", typescript: 2322 }]);
  expect(warned.code).toContain("const x         = 'a';");
  expect(await compile(script, "off")).toMatchObject({ code: warned.code, diagnostics: [] });
});
