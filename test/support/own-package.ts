// Lets a program import "callgate" as a user does and get the sources: node --import test/support/own-package.ts main.ts
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../../", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  exports: Record<string, { default?: string } | string>;
};

registerHooks({
  resolve(specifier, context, next) {
    const entry = /^callgate(?:$|\/)/.test(specifier) ? exports[`.${specifier.slice(8)}`] : undefined;
    if (typeof entry !== "object" || entry.default === undefined) return next(specifier, context);
    const source = entry.default.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts");
    return { url: new URL(source, root).href, shortCircuit: true };
  },
});
