// The shape of the repository, enforced: rooms and their imports, sizes, headers, promises, error codes, traces.
import { homedir } from "node:os";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../contract/error.ts";
import { problemOf } from "./repository/import-rule.ts";
import {
  countLines,
  readSource,
  readText,
  repositoryFiles,
  root,
  ROOMS,
  roomOf,
} from "./repository/sources.ts";
import { untestedCodes } from "./repository/untested-codes.ts";
import { requirements, verifies } from "./requirements.ts";

const files = repositoryFiles();
const inRoom = (path: string): boolean => (ROOMS as readonly string[]).includes(path.split("/")[0] ?? "");
const isSource = (path: string): boolean =>
  path.endsWith(".ts") && (inRoom(path) || /^[^/]+(?<!\.config)\.ts$/.test(path));
const sources = files.filter(isSource).map(readSource);
const tests = files.filter((path) => /^test\/.*\.ts$/.test(path) && !path.startsWith("test/fixtures/"));
const testTexts = tests.filter((path) => path.endsWith(".test.ts")).map(readText);

/** Fails with the sentences themselves. */
function expectNone(sentences: readonly string[]): void {
  if (sentences.length > 0) expect.fail(sentences.join("\n"));
}

test(verifies("repository:import-rule", "every import keeps the import rule"), () => {
  expectNone(
    sources.flatMap(({ imports }) => imports.map(problemOf).filter((problem) => problem !== undefined)),
  );
});

test(
  verifies(
    "repository:import-rule",
    "every package that the published code loads is a dependency, bundled, or an adapter's own optional peer",
  ),
  () => {
    const own = JSON.parse(readText("package.json")) as Record<string, Record<string, string>>;
    const optional = own["peerDependenciesMeta"] as unknown as Record<string, { optional?: boolean }>;
    const isPeer = (name: string): boolean =>
      Object.hasOwn(own["peerDependencies"] ?? {}, name) && optional[name]?.optional === true;
    const sentences = sources.flatMap((source) =>
      source.imports
        .filter(({ local, target }) => !local && !target.startsWith("node:"))
        .filter(({ target }) => {
          if (roomOf(source.path) === "adapters" && isPeer(packageOf(target))) return false;
          const kind = roomOf(source.path) === "runtime/guest" ? "devDependencies" : "dependencies";
          return !Object.hasOwn(own[kind] ?? {}, target);
        })
        .map(({ target }) => `${source.path} imports ${target}, which package.json does not give it.`),
    );
    expectNone(sentences);
  },
);

test(verifies("repository:one-isolate-import", "one file names isolated-vm"), () => {
  const users = sources.filter(({ imports }) => imports.some(({ target }) => target === "isolated-vm"));
  const paths = users.map(({ path }) => path);
  expectNone(
    paths.length <= 1 && paths.every((path) => path.startsWith("runtime/worker/"))
      ? []
      : [`isolated-vm is imported by ${paths.join(" and ")}; exactly one file of runtime/worker may.`],
  );
});

test(verifies("repository:no-cycles", "no two folders load each other, directly or around a corner"), () => {
  const edges = new Map<string, Set<string>>();
  for (const { from, target, local, typeOnly } of sources.flatMap(({ imports }) => imports)) {
    const [a, b] = [dirname(from), dirname(target)];
    // A folder and the folders inside it are one thing here; the linter finds circles of files within it.
    if (!local || typeOnly || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`) || b === ".")
      continue;
    edges.set(a, (edges.get(a) ?? new Set()).add(b));
  }
  const circles: string[] = [];
  const walk = (folder: string, path: readonly string[]): void => {
    const at = path.indexOf(folder);
    if (at !== -1)
      circles.push(`These folders import each other: ${[...path.slice(at), folder].join(" → ")}.`);
    else for (const next of edges.get(folder) ?? []) walk(next, [...path, folder]);
  };
  for (const folder of edges.keys()) walk(folder, []);
  expectNone(circles.slice(0, 5));
});

test(verifies("repository:sizes", "files are small"), () => {
  const long = sources.filter(({ lines }) => lines > 400);
  expectNone(long.map(({ path, lines }) => `${path} has ${lines} lines; split it, 400 is the limit.`));
  const sorted = sources.map(({ lines }) => lines).toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)], "lines of the median source file").toBeLessThanOrEqual(120);
});

test(verifies("repository:first-line", "each source says in its first line what it owns"), () => {
  const silent = sources.filter(({ text }) => {
    const [first = "", second = ""] = text.split("\n", 2);
    return !/^(?:\/\/|\/\*\*) \S.{9,}/.test(first.startsWith("#!") ? second : first);
  });
  expectNone(silent.map(({ path }) => `${path} does not begin with a comment that says what it owns.`));
});

test(verifies("repository:authority", "only the command line reads the environment"), () => {
  const forbidden = new Set(["env", "cwd", "argv"]);
  const sentences = sources
    .filter(({ path }) => !["cli", "runtime/worker"].includes(roomOf(path)))
    .flatMap(({ path, processReads, imports }) => [
      ...processReads
        .filter((name) => forbidden.has(name))
        .map((name) => `${path} reads process.${name}; have it passed in.`),
      ...imports
        .filter(({ target }) => target === "node:process")
        .map(() => `${path} imports node:process; have what it needs passed in.`),
    ]);
  expectNone(sentences);
});

/** Lines of test for a line of source. Raise it when the ratio has risen; the aim is 1.5. */
const LEAST_TEST_RATIO = 0.5;

test(verifies("repository:tests-outweigh", "tests do not fall behind the code"), () => {
  const code = sources.reduce((sum, { lines }) => sum + lines, 0);
  const proof = tests.reduce((sum, path) => sum + countLines(readText(path)), 0);
  const sentence = `${proof} lines of test for ${code} lines of source; the least is ${LEAST_TEST_RATIO} to 1.`;
  expect(proof / code, sentence).toBeGreaterThanOrEqual(LEAST_TEST_RATIO);
});

test(verifies("repository:requirements-cited", "each promise is cited by a test"), () => {
  const uncited = Object.keys(requirements).filter(
    (id) => !testTexts.some((text) => text.includes(`"${id}"`)),
  );
  expectNone(uncited.map((id) => `No test cites the requirement ${id} (${requirements[id]}).`));
});

test(
  verifies("repository:errors-documented", "docs/errors.md has a section for each code and for nothing else"),
  () => {
    const sections = [...readText("docs/errors.md").matchAll(/^### `?([A-Z_]+)`?$/gm)].map(
      ([, code]) => code ?? "",
    );
    const codes = Object.keys(ERROR_CODES);
    expectNone([
      ...codes
        .filter((code) => !sections.includes(code))
        .map((code) => `docs/errors.md has no section for ${code}.`),
      ...sections
        .filter((code) => !codes.includes(code))
        .map((code) => `docs/errors.md describes ${code}, which does not exist.`),
      ...sections
        .filter((code, index) => sections.indexOf(code) !== index)
        .map((code) => `docs/errors.md has two sections for ${code}.`),
    ]);
  },
);

test(verifies("repository:errors-reserved", "docs/errors.md knows which codes nothing raises"), () => {
  const text = readText("docs/errors.md");
  const sentences = Object.keys(ERROR_CODES).flatMap((code) => {
    const section = text.split(`### \`${code}\``)[1]?.split(/^##/m)[0] ?? "";
    const reserved = section.includes("*Not raised yet.*");
    const raised = sources.some(
      (source) => source.path !== "contract/error.ts" && source.text.includes(`"${code}"`),
    );
    if (raised && reserved)
      return [`${code} is raised now; its section in docs/errors.md says that it is not.`];
    return raised || reserved
      ? []
      : [`Nothing raises ${code}; say "*Not raised yet.*" in its section of docs/errors.md.`];
  });
  expectNone(sentences);
});

test(
  verifies("repository:errors-tested", "each code is cited by a test, or its absence has a reason"),
  () => {
    const sentences = (Object.keys(ERROR_CODES) as ErrorCode[]).flatMap((code) => {
      const cited = testTexts.some((text) => new RegExp(`\\b${code}\\b`).test(text));
      const reason = untestedCodes[code];
      if (!cited && reason === undefined)
        return [`No test cites ${code}; test it or say why not in untested-codes.ts.`];
      return cited && reason !== undefined
        ? [`${code} is tested now; take it out of untested-codes.ts.`]
        : [];
    });
    expectNone(sentences);
  },
);

test(verifies("repository:no-traces", "no file names this machine or a package registry"), () => {
  const here = [root.replace(/\/$/, ""), process.env["CALLGATE_TEST_DATA"] ?? "", homedir()];
  const traces: readonly (readonly [RegExp, string])[] = [
    [/\bregistry\.(?:npmjs|yarnpkg|npmmirror)\b|\bnpm\.pkg\.github\b|\/artifactory\//, "a package registry"],
    [/"resolved": "https?:/, "where a package was downloaded from"],
    [/(?<![\w.])\/work\/(?:main|shared)\b/, "a folder of one machine"],
    // A path of one part (/root, /app) may well be meant as an example.
    ...here
      .filter((path) => path.split("/").length > 2)
      .map((path) => [literal(path), "a folder of this machine"] as const),
  ];
  const sentences = files
    .filter((path) => path !== "test/architecture.test.ts" && !/\.(?:png|ico|gz|sqlite)$/.test(path))
    .flatMap((path) => {
      const text = readText(path);
      return traces.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${path} names ${what}.`);
    });
  expectNone(sentences);
});

test(
  verifies("repository:lock-agrees", "package.json and the lock file name the same pinned dependencies"),
  () => {
    const own = JSON.parse(readText("package.json")) as Record<string, unknown>;
    const lock = JSON.parse(readText("package-lock.json")) as {
      packages: Record<string, Record<string, unknown>>;
    };
    for (const kind of ["dependencies", "devDependencies"]) {
      expect(lock.packages[""]?.[kind], kind).toEqual(own[kind]);
      const loose = Object.entries(own[kind] as Record<string, string>).filter(
        ([, version]) => !/^\d/.test(version),
      );
      expectNone(loose.map(([name, version]) => `${name} is not pinned: ${version}.`));
    }
  },
);

test(
  verifies("repository:scripts-exist", "no npm script pretends, and none runs when the package is installed"),
  () => {
    const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
    const onInstall = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    const sentences = Object.entries(scripts).flatMap(([name, command]) => [
      ...(command.match(/\S+\.(?:ts|mjs)\b/g) ?? [])
        .filter((path) => !files.includes(path))
        .map((path) => `npm run ${name} runs ${path}, which does not exist.`),
      ...(command.match(/bench\.ts (\w+)/)?.slice(1) ?? [])
        .filter((bench) => !files.includes(`bench/${bench}/main.ts`))
        .map((bench) => `npm run ${name} runs bench/${bench}/main.ts, which does not exist.`),
      ...(onInstall.includes(name)
        ? [`The script ${name} would run on every machine that installs the package.`]
        : []),
    ]);
    expectNone(sentences);
  },
);

/** `@scope/name/sub/path` → `@scope/name`. */
function packageOf(target: string): string {
  return target.split("/", target.startsWith("@") ? 2 : 1).join("/");
}

function literal(text: string): RegExp {
  return new RegExp(`${text.replace(/[^\w]/g, "\\$&")}(?![\\w-])`);
}
