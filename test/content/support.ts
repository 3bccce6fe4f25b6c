// Owns a gate over the server of binary content.
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createCallgate, type CallgateOptions, type Gate, type RunResult } from "../../index.ts";

export const server: string = fileURLToPath(new URL("../fixtures/servers/content.mjs", import.meta.url));

/** The server `s`; `answers` are its first argument. */
export function openContent(options: CallgateOptions = {}, answers: object = {}): Promise<Gate> {
  const s = { command: process.execPath, args: [server, JSON.stringify(answers)] };
  return createCallgate({ servers: { s }, policy: { default: "allow" }, ...options });
}

/** A gate over the server of content with these answers, closed after the test. */
export async function open(answers: object, options: CallgateOptions = {}): Promise<Gate> {
  const gate = await openContent(options, answers);
  onTestFinished(() => gate[Symbol.asyncDispose]());
  return gate;
}

/** Answers of a server with one resource. */
export const READ: object = {
  resources: { "resources/read": { "a:b": { contents: [{ uri: "a:b", text: "hello" }] } } },
};

/** As the server makes them. */
export function bytesOf(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 255;
  return bytes;
}

/** The returned JSON value of a run that must complete. */
export function returned(result: RunResult): unknown {
  if (result.error !== undefined) throw new Error(`${result.error.code}: ${result.error.message}`);
  return JSON.parse(result.output) as unknown;
}

/** A script that has the server answer `content`. */
export function answering(content: unknown, then: string): string {
  return `const r = await s.raw({ result: { content: ${JSON.stringify(content)} } });\n${then}`;
}
