// The import rule as a pure function: what is wrong with one import, in a sentence.
import { roomOf, type Import } from "./sources.ts";

const DOMAIN = ["contract"];
const JOINT = ["contract", "stubs", "runtime", "broker"];
const FACE = ["index.ts"];

/** Room → rooms it may import, besides itself. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ["contract", []],
  ["stubs", DOMAIN],
  ["runtime", DOMAIN],
  ["broker", DOMAIN],
  ["runtime/worker", DOMAIN],
  ["runtime/guest", DOMAIN],
  ["callgate.ts", [...JOINT, "gate.ts", "gate-options.ts"]],
  ["gate-options.ts", [...DOMAIN, "broker", "gate.ts"]],
  ["gate.ts", JOINT],
  ["call-tool.ts", [...DOMAIN, "gate.ts"]],
  ["index.ts", [...JOINT, "callgate.ts", "call-tool.ts", "gate.ts"]],
  ["server", FACE],
  ["cli", [...FACE, "server/index.ts"]],
  ["adapters", FACE],
]);

/** `undefined` when the import is fine. */
export function problemOf(entry: Import): string | undefined {
  const from = roomOf(entry.from);
  return entry.local ? localProblem(entry, from) : packageProblem(entry, from);
}

function localProblem({ from: path, target, typeOnly }: Import, from: string): string | undefined {
  const to = roomOf(target);
  if (!/\.(?:ts|json)$/.test(target)) return `${path} imports ${target} without its extension.`;
  if (to === from) return undefined;
  // The trusted side may know the shape of what it starts, never load it.
  if (from === "runtime" && to.startsWith("runtime/") && typeOnly) return undefined;
  const allowed = MAY_IMPORT.get(from);
  if (allowed === undefined)
    return `${path} is in no known room; add ${from} to the import rule or move the file.`;
  if (!allowed.includes(to) && !allowed.includes(target))
    return `${path} imports ${target}, but ${from} may import ${list([from, ...allowed])} only.`;
  if (from === "runtime/guest" && !typeOnly)
    return `${path} loads ${target}, but the guest may import types of contract only.`;
  if (from === "gate.ts" && !typeOnly)
    return `${path} loads ${target}, but it holds shapes only; callgate.ts joins the rooms.`;
  return undefined;
}

function packageProblem({ from: path, target, typeOnly }: Import, from: string): string | undefined {
  const builtin = target.startsWith("node:");
  if (from === "contract" && target !== "zod")
    return `${path} imports ${target}, but contract does no I/O and needs no package but zod.`;
  if (from === "runtime/guest" && builtin)
    return `${path} imports ${target}, but there is no Node in the isolate.`;
  if (from === "runtime/worker" && !builtin && target !== "isolated-vm")
    return `${path} imports ${target}, but the worker may use node: builtins and isolated-vm only.`;
  if (from !== "runtime/worker" && target === "isolated-vm" && !typeOnly)
    return `${path} imports isolated-vm, which only runtime/worker may load.`;
  return undefined;
}

function list(rooms: readonly string[]): string {
  return rooms.join(", ");
}
