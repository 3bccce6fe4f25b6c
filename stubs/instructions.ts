// Owns what a model is told about writing scripts. Pinned by tests: a change is a decision.

export const SCRIPT_RULES = `Write one TypeScript script instead of many tool calls. It runs in a sandbox whose only way out is tools.
- A tool is an async function of its server's namespace with one object argument: \`const page = await github.list_issues({ owner, repo })\`.
- Only what the script logs comes back: console.log a short summary, or \`return\` it. Results of tools stay in the script; filter and join them there.
- Top-level await and return work. No imports, no fetch, no require, no process, no Buffer, no file system: use tools.
- Await every call. Run independent calls together with Promise.all.
- A failed call throws ToolError with code, server, tool, message, retryable. Catch it where the script can go on without the result.
- The script is type-checked before it runs: on a type error nothing has been done, so fix the script and send it again.
- When a run fails midway, its report lists the calls already done. Do not repeat those that changed something; continue from there.
- Results without a declared type are any: log a small sample first when the shape is not known.
- Images, audio and binary resources are handles { type, mimeType, bytes, id }: pass the handle itself to a tool, emit(handle) to see it, await handle.read() for bytes.
- Also in scope: console, URL, TextEncoder/TextDecoder, structuredClone, atob/btoa, timers, sleep(ms), AbortController, crypto.randomUUID, Intl, catalog.search(query), catalog.describe(names).`;

/** The rules and the listing, for a system prompt; `note` stands between them. */
export function instructions(listing: string, note: string = ""): string {
  return [SCRIPT_RULES, note, listing].filter((part) => part !== "").join("\n\n");
}
