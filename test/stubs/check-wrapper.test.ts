// Shows with random token soups that what compiles is one function, and that nothing of it runs before it is called.
import { Script } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Pipeline } from "../../stubs/check/pipeline.ts";
import { verifies } from "../requirements.ts";

const TOKENS = [
  ..."}{)(];[,`'\"/\\*<>!-=?:.#@&|+x1$".split(""),
  "/*",
  "*/",
  "//",
  "<!--",
  "-->",
  "\n",
  " ",
  "\u2028",
  "${",
  "=>",
  "?.",
  "??",
  "...",
  "**",
  "evil()",
  ";evil();",
  "}evil();{",
  "});evil();(async function(){",
  "})();evil();(async()=>{",
  "async ",
  "function ",
  "function*",
  "return ",
  "await ",
  "yield ",
  "class A",
  "static ",
  "get ",
  "in ",
  "of ",
  "new ",
  "if(x)",
  "for(;;)",
  "do ",
  "while(0)",
  "try{",
  "catch{",
  "switch(x){case 1:",
  "x:",
  "let x",
  "var x=1",
  "'use strict'",
  " as any",
  " as ",
  "satisfies ",
  ":any",
  "<any>",
  "!",
  "type T=",
  "interface I{",
  "declare ",
  "enum E{",
  "namespace N{",
  "abstract ",
  "readonly ",
  "this",
  "x is ",
  "<T>(",
  "<T,>(",
  "/x/",
  "/[/]/",
  "/[}]/g",
  "`}`",
  "'}'",
  "// }\n",
  "/* } */",
  "export default ",
  "import(",
  "main()",
  "async function main(){",
  "(async()=>{",
  "})()",
] as const;

const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 14 }).map((tokens) => tokens.join(""));
const statements = fc.constantFrom(
  "",
  "x",
  "let y=1;",
  "async function main(){await 0}",
  "x\n",
  "type Q=1\n",
);
const script = fc.tuple(statements, soup, statements).map((parts) => parts.join(""));

test(
  verifies(
    "check:wrapper",
    "no soup of tokens compiles to more than one function, or runs before it is called",
  ),
  () => {
    const pipeline = new Pipeline();
    const runs = { compiled: 0 };
    fc.assert(
      fc.property(script, (text) => {
        const { code } = pipeline.compile(text, "off");
        if (code === undefined) return;
        runs.compiled += 1;
        let ran = false;
        const evil = (): void => void (ran = true);
        const main = new Script(code).runInNewContext({ evil }) as unknown;
        expect(ran).toBe(false);
        expect(String(main)).toBe(code.slice(1, -1));
      }),
      { numRuns: 2_000 },
    );
    expect(runs.compiled).toBeGreaterThan(50);
  },
);
