// Owns where a policy comes from: inline, its own files, the command line; and the place of a mistake in any of them.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CallgateError } from "../../index.ts";
import { fileProblem, UsageError } from "../usage-error.ts";
import { parseDocument, type Document } from "./document.ts";
import { displayName, located, readDocument } from "./located.ts";

/** One layer, and where it is written. */
interface Layer {
  readonly value: unknown;
  /** As a person knows it; no two layers share it. */
  readonly source: string;
  readonly file: string;
  readonly document: Document;
  /** Its place in the document; empty for the whole. */
  readonly at: string;
}

export interface PolicyLayers {
  /** In order: later ones only tighten. Empty when no policy was given. */
  readonly values: readonly unknown[];
  readonly sources: readonly string[];
  /** What the gate says of a layer, with file and place; undefined when it is not about one. */
  explain(error: CallgateError): UsageError | undefined;
}

/** The configuration that holds the key `policy`. */
export interface PolicyHolder {
  readonly file: string;
  readonly folder: string;
  readonly document: Document;
  readonly policy: unknown;
}

/**
 * Layers of the configuration, then one for each further file. Further files only tighten, so that without a policy in
 * the configuration they tighten the built-in one. Throws UsageError.
 */
export async function loadPolicy(options: {
  readonly cwd: string;
  readonly holder: PolicyHolder | undefined;
  /** Paths from the command line, relative to `cwd`. */
  readonly further: readonly string[];
}): Promise<PolicyLayers> {
  const { cwd, holder, further } = options;
  const layers: Layer[] = [];
  if (holder?.policy !== undefined) {
    const parts = Array.isArray(holder.policy) ? (holder.policy as readonly unknown[]) : [holder.policy];
    for (const [index, part] of parts.entries()) {
      const at = Array.isArray(holder.policy) ? `policy[${index}]` : "policy";
      layers.push(await layerOf(part, at, holder, cwd));
    }
  }
  if (layers.length === 0 && further.length > 0) {
    layers.push({ value: {}, source: "built-in", file: "built-in", document: parseDocument("{}"), at: "" });
  }
  for (const path of further) {
    const whole = resolve(cwd, path);
    layers.push(
      await fileLayer(whole, cwd, (why) => {
        throw new UsageError(`--policy ${displayName(cwd, whole)}: ${why}`);
      }),
    );
  }
  const sources = distinct(layers.map(({ source }) => source));
  return {
    values: layers.map(({ value }) => value),
    sources,
    explain: (error) => explain(error, layers, sources),
  };
}

async function layerOf(part: unknown, at: string, holder: PolicyHolder, cwd: string): Promise<Layer> {
  const { file, folder, document } = holder;
  if (typeof part !== "string")
    return { value: part, source: at === "policy" ? file : `${file} ${at}`, file, document, at };
  const path = resolve(folder, part);
  return fileLayer(path, cwd, (why) => {
    throw located(file, document.positionOfText(at), at, `${displayName(cwd, path)}: ${why}`);
  });
}

async function fileLayer(path: string, cwd: string, refuse: (why: string) => never): Promise<Layer> {
  const file = displayName(cwd, path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return refuse(fileProblem(error));
  }
  const document = await readDocument(text, file);
  const { value } = document;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw located(file, document.positionOf([]), "", "expected an object: one policy");
  return { value, source: file, file, document, at: "" };
}

function distinct(names: readonly string[]): readonly string[] {
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name} #${before + 1}`;
  });
}

function explain(
  { data }: CallgateError,
  layers: readonly Layer[],
  sources: readonly string[],
): UsageError | undefined {
  const { source, problems } = data as {
    source?: unknown;
    problems?: readonly { readonly path: string; readonly expected: string }[];
  };
  const [first] = Array.isArray(problems) ? problems : [];
  const layer = layers[sources.indexOf(String(source))];
  if (first === undefined || layer === undefined) return undefined;
  const inside = first.path === "(top)" ? "" : first.path;
  const path = layer.at === "" || inside === "" ? `${layer.at}${inside}` : `${layer.at}.${inside}`;
  const more = problems === undefined || problems.length < 2 ? "" : ` (and ${problems.length - 1} more)`;
  const key = /^unknown key ("(?:[^"\\]|\\.)*")/.exec(first.expected)?.[1];
  const position = layer.document.positionOfText(key === undefined ? path : `${path}[${key}]`);
  return located(layer.file, position, path, `${first.expected}${more}`);
}
