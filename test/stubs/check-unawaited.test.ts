// Shows which calls count as dropped and which do not.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { useCompiler } from "./check-support.ts";

const { one, places } = useCompiler();
const READ = 'files.read_file({ path: "a" })';

test.each([
  [`${READ};`, "1:1"],
  [`(${READ});`, "1:2"],
  [`${READ} as any as Promise<string>;`, "1:1"],
  [`if (true) ${READ};`, "1:11"],
  [`true && ${READ};`, "1:9"],
  [`true ? ${READ} : null;`, "1:8"],
  [`${READ}.then(console.log);`, "1:1"],
  [`${READ}.then(console.log).catch(() => {});`, "1:1"],
  [`Promise.all([${READ}]);`, "1:14"],
  [`(async () => { await ${READ}; })();\nreturn;`, "1:22"],
  [`[1].forEach(async () => { await ${READ}; });`, "1:33"],
  [`[1].forEach(() => ${READ});`, "1:19"],
  [`[1].map(async () => ${READ});`, "1:21"],
  [`[1].forEach(() => { ${READ}; });`, "1:21"],
  [`async function go() { await ${READ}; }\ngo();\nreturn;`, "2:1"],
  [`const go = async () => ${READ};\ngo();\nreturn;`, "2:1"],
  [`async function go() { ${READ}; }\nawait go();`, "1:23"],
  ["sleep(5);", "1:1"],
  ['catalog.search("x");', "1:1"],
  ["for (const path of ['a', 'b']) files.read_file({ path });", "1:32"],
])(verifies("check:unawaited", "%j drops a call"), async (script, place) => {
  const diagnostic = await one(script);
  expect(diagnostic).toMatchObject({ severity: "warning", code: "UNAWAITED_CALL" });
  expect(`${diagnostic.line}:${diagnostic.column}`).toBe(place);
  expect(diagnostic.suggestion).toContain("await");
});

test.each([
  `await ${READ};`,
  `void ${READ};`,
  `return ${READ};`,
  `const p = ${READ}; await p;`,
  `let p; p = ${READ}; await p;`,
  `const all: Promise<any>[] = []; all.push(${READ}); await Promise.all(all);`,
  `await Promise.all([1].map(() => ${READ}));`,
  `await Promise.all([1].map(async () => { await ${READ}; }));`,
  `await ${READ}.then(console.log);`,
  `const go = () => ${READ}; await go();`,
  `async function go() { await ${READ}; }\nawait go();`,
  `await (async () => { await ${READ}; })();`,
  `for (const x of [1, 2]) { await ${READ}; }`,
  `[await ${READ}].forEach((x) => console.log(x));`,
  `const o = { read: ${READ} }; await o.read;`,
  `const files = { read_file: (x: any) => 1 }; ${READ};`,
  "const sleep = (n: number) => n; sleep(1);",
  `async function log(x: any) {}\nlog(await ${READ});`,
  "Promise.resolve(1);",
])(verifies("check:unawaited", "%j drops nothing"), async (script) => {
  expect(await places(script)).toEqual([]);
});

test(verifies("check:unawaited", "with the check off nothing is looked for"), async () => {
  expect(await places(`${READ};`, "off")).toEqual([]);
});
