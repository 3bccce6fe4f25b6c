// The examples of the adapters, each run as its reader runs it; standard output is what its README says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";

const ownPackage = new URL("../support/own-package.ts", import.meta.url).href;
const examples = new URL("../../examples/", import.meta.url);

async function run(name: string): Promise<string> {
  const main = fileURLToPath(new URL(`${name}/main.ts`, examples));
  const child = spawn(process.execPath, ["--import", ownPackage, main], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  return text;
}

function promised(name: string): string | undefined {
  const readme = readFileSync(new URL(`${name}/README.md`, examples), "utf8");
  return /```text\n([^]*?)```/.exec(readme)?.[1];
}

test.each(["ai-sdk"])(
  verifies("adapters:examples", "examples/%s/main.ts prints what its README says"),
  async (name) => {
    expect(await run(name)).toBe(promised(name));
  },
);
