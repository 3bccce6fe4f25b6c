// Owns the stubs a listing shows: emitted once per tool and detail, grouped by server.
import type { Detail, NamedTool } from "../contract/tool.ts";
import { heading } from "./catalog-line.ts";
import { emitTool, type EmittedTool } from "./emit.ts";

const emitted: Readonly<Record<Detail, WeakMap<NamedTool, EmittedTool>>> = {
  name: new WeakMap(),
  summary: new WeakMap(),
  full: new WeakMap(),
};

/** The stub of a tool at a detail; a tool is immutable, so it is emitted once. */
export function stubOf(named: NamedTool, detail: Detail): EmittedTool {
  let stub = emitted[detail].get(named);
  if (stub === undefined) {
    stub = emitTool(named, { detail });
    emitted[detail].set(named, stub);
  }
  return stub;
}

/** The stubs of one server under its name. */
export function stubBlock(server: string, namespace: string, stubs: readonly string[]): string {
  return [`# ${heading(server, namespace)}`, ...stubs].join("\n");
}

/** Stubs by server, in the order the servers appear; `left` holds those beyond `maxLength` UTF-16 units. */
export function stubBlocks(
  tools: readonly NamedTool[],
  detail: Detail,
  maxLength: number,
): { readonly text: string; readonly left: readonly NamedTool[] } {
  const blocks = new Map<string, { namespace: string; stubs: string[] }>();
  const left: NamedTool[] = [];
  let length = 0;
  for (const named of tools) {
    const { text } = stubOf(named, detail);
    if (length + text.length > maxLength) {
      left.push(named);
      continue;
    }
    length += text.length;
    const block = blocks.get(named.tool.server);
    if (block === undefined) blocks.set(named.tool.server, { namespace: named.namespace, stubs: [text] });
    else block.stubs.push(text);
  }
  const shown = [...blocks].map(([server, { namespace, stubs }]) => stubBlock(server, namespace, stubs));
  return { text: shown.join("\n"), left };
}
