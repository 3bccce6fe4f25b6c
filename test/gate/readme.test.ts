// Runs the library example of the README as it is printed there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

test(verifies("gate:readme", "the library example prints what the README says"), async () => {
  const example = [...readme.matchAll(/```ts\n([\s\S]*?)```/gu)]
    .map(([, code]) => code as string)
    .find((code) => code.includes("createCallgate"));
  const index = fileURLToPath(new URL("../../index.ts", import.meta.url));
  const program = (example ?? "").replace('"callgate"', JSON.stringify(index));
  const said = /It prints `([^`]+)`/u.exec(readme)?.[1];
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  await once(child, "close");
  expect(text.trim()).toBe(said);
});
