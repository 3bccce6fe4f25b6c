// Owns the sentences about a value that does not fit its schema, written for the model that has to repair it.
import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { isJsonObject, own, type JsonValue } from "../contract/json.ts";
import { plain, quoted } from "./plain-text.ts";
import type { CompiledSchema } from "./schema-check.ts";
import { nearestName } from "./suggest.ts";

const MAX_MESSAGES = 5;
const MAX_CHOICES = 12;

interface Message {
  readonly at: string;
  readonly text: string;
  /** "must be" these, so that alternatives can be joined. */
  readonly wanted?: readonly string[];
  readonly is?: string;
}

/** At most five lines such as `input.state: must be one of "open", "closed"`. */
export function describeErrors(
  errors: readonly OutputUnit[],
  by: CompiledSchema,
  root: string,
  value: JsonValue,
): string {
  const messages = collect(errors, by, value);
  const lines = [...new Set(messages.map(({ at, text }) => `${place(root, at)}: ${text}`))];
  if (lines.length === 0) return `${root}: does not fit its schema`;
  const more = lines.length - MAX_MESSAGES;
  return lines.slice(0, MAX_MESSAGES).join("\n") + (more > 0 ? `\nand ${more} more` : "");
}

function collect(errors: readonly OutputUnit[], by: CompiledSchema, value: JsonValue): Message[] {
  const messages: Message[] = [];
  for (let index = 0; index < errors.length && messages.length <= 50; index++) {
    const error = errors[index]!;
    if (error.keyword === "anyOf" || error.keyword === "oneOf") {
      let end = index + 1;
      while (errors[end]?.keywordLocation.startsWith(`${error.keywordLocation}/`) === true) end++;
      messages.push(...alternatives(error, errors.slice(index + 1, end), by, value));
      index = end - 1;
      continue;
    }
    const message = describe(error, by, value);
    if (message !== undefined) messages.push({ at: error.instanceLocation, ...message });
  }
  return messages;
}

// Of several alternatives: all their types when the type is what is wrong, else the one that came furthest.
function alternatives(
  error: OutputUnit,
  below: readonly OutputUnit[],
  by: CompiledSchema,
  value: JsonValue,
): Message[] {
  if (below.length === 0 || (/\(\d+ matches\)/.test(error.error) && !error.error.includes("(0 matches)"))) {
    return [{ at: error.instanceLocation, text: "fits more than one alternative, must fit exactly one" }];
  }
  const branches = new Map<string, OutputUnit[]>();
  for (const unit of below) {
    const branch = /^\/\d+/.exec(unit.keywordLocation.slice(error.keywordLocation.length))?.[0] ?? "";
    branches.set(branch, [...(branches.get(branch) ?? []), unit]);
  }
  const options = [...branches.values()].map((units) => collect(units, by, value));
  const inside = options.filter((option) => option.some(({ at }) => at !== error.instanceLocation));
  if (inside.length > 0) return inside.toSorted((a, b) => a.length - b.length)[0]!;
  const flat = options.flat();
  if (flat.length > 0 && flat.every(({ wanted }) => wanted !== undefined)) {
    return [
      {
        at: error.instanceLocation,
        ...mustBe(
          flat.flatMap(({ wanted }) => wanted!),
          flat[0]!.is,
        ),
      },
    ];
  }
  return [{ at: error.instanceLocation, text: flat[0]?.text ?? "fits none of the alternatives" }];
}

function mustBe(wanted: readonly string[], is?: string): Omit<Message, "at"> {
  const unique = [...new Set(wanted)];
  const more = unique.length > MAX_CHOICES ? ` and ${unique.length - MAX_CHOICES} more` : "";
  const isType = unique.every((each) => /^(?:an? |null$)/.test(each));
  const shown = unique.slice(0, MAX_CHOICES).join(isType ? " or " : ", ");
  const text = `must be ${unique.length > 1 && !isType ? "one of " : ""}${shown}${more}`;
  return {
    text: is === undefined ? text : `${text}, is ${is}`,
    wanted: unique,
    ...(is !== undefined && { is }),
  };
}

function describe(error: OutputUnit, by: CompiledSchema, value: JsonValue): Omit<Message, "at"> | undefined {
  const { keyword } = error;
  const holder = schemaAt(by, error.keywordLocation.slice(0, error.keywordLocation.lastIndexOf("/")));
  const limit = holder === undefined ? undefined : own(holder, keyword);
  if (keyword === "type") {
    const found = valueAt(value, error.instanceLocation);
    return mustBe(
      [limit].flat().map(article),
      typeof found === "number" ? String(found) : article(typeName(found)),
    );
  }
  if (keyword === "enum" && Array.isArray(limit)) return mustBe((limit as JsonValue[]).map(show));
  if (keyword === "const") return mustBe([show(limit as JsonValue)]);
  const text = sentence(error, limit, by);
  return text === undefined ? undefined : { text };
}

function sentence(error: OutputUnit, limit: unknown, by: CompiledSchema): string | undefined {
  const { keyword } = error;
  switch (keyword) {
    case "required":
      return `property ${quoted(between(error.error, 'property "', '".'))} is missing`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return schemaAt(by, error.keywordLocation) === undefined ? unknownProperty(error, by) : undefined;
    case "propertyNames":
      return `property name ${quoted(between(error.error, 'name "', '" does'))} is not allowed`;
    case "minimum":
      return `must be at least ${String(limit)}`;
    case "maximum":
      return `must be at most ${String(limit)}`;
    case "exclusiveMinimum":
      return `must be more than ${String(limit)}`;
    case "exclusiveMaximum":
      return `must be less than ${String(limit)}`;
    case "multipleOf":
      return `must be a multiple of ${String(limit)}`;
    case "minLength":
      return limit === 1 ? "must not be empty" : `must have at least ${String(limit)} characters`;
    case "maxLength":
      return `must have at most ${String(limit)} characters`;
    case "minItems":
      return limit === 1 ? "must not be empty" : `must have at least ${String(limit)} items`;
    case "maxItems":
      return `must have at most ${String(limit)} items`;
    case "minProperties":
      return `must have at least ${String(limit)} properties`;
    case "maxProperties":
      return `must have at most ${String(limit)} properties`;
    case "uniqueItems":
      return "must not have the same item twice";
    case "pattern":
      return `must match the pattern ${plain(String(limit), 120)}`;
    case "not":
      return "is a value that is not allowed";
    case "contains":
    case "minContains":
    case "maxContains":
    case "dependentRequired":
    case "dependencies":
      return plain(error.error.replace(/^Instance has/, "has").replace(/\.$/, ""), 200);
    default:
      // properties, items, $ref, allOf …: the errors below them say what is wrong.
      return undefined;
  }
}

function unknownProperty(error: OutputUnit, by: CompiledSchema): string {
  const name = between(error.error, 'Property "', '" does');
  const holder = schemaAt(by, error.keywordLocation.slice(0, error.keywordLocation.lastIndexOf("/")));
  const properties = holder === undefined ? undefined : own(holder, "properties");
  const near = isJsonObject(properties) ? nearestName(name, Object.keys(properties)) : undefined;
  return `unknown property ${quoted(name)}${near === undefined ? "" : `, did you mean ${quoted(near)}?`}`;
}

function between(text: string, before: string, after: string): string {
  return text.slice(text.indexOf(before) + before.length, text.lastIndexOf(after));
}

function show(value: JsonValue): string {
  return plain(JSON.stringify(value), 60);
}

function typeName(value: JsonValue | undefined): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function article(type: unknown): string {
  const name = String(type);
  return name === "null" ? name : `${/^[aio]/.test(name) ? "an" : "a"} ${name}`;
}

/** The schema object at a location of the validator; undefined when it is a boolean or not there. */
function schemaAt({ schema, lookup }: CompiledSchema, location: string): Schema | undefined {
  let part: unknown = schema;
  for (const segment of segments(location)) {
    if (typeof part !== "object" || part === null) return undefined;
    const target = segment === "$ref" ? (part as Schema).__absolute_ref__ : undefined;
    part = target === undefined ? own(part, segment) : own(lookup, target);
  }
  return typeof part === "object" && part !== null ? (part as Schema) : undefined;
}

function valueAt(value: JsonValue, location: string): JsonValue | undefined {
  let part: unknown = value;
  for (const segment of segments(location)) {
    if (typeof part !== "object" || part === null) return undefined;
    part = own(part, segment);
  }
  return part as JsonValue | undefined;
}

function segments(location: string): string[] {
  return location
    .split("/")
    .slice(1)
    .map((part) => {
      const text = part.replace(/%23/g, "#");
      try {
        return decodeURI(text).replaceAll("~1", "/").replaceAll("~0", "~");
      } catch {
        return text;
      }
    });
}

function place(root: string, location: string): string {
  let text = root;
  for (const name of segments(location)) {
    if (/^\d{1,9}$/.test(name)) text += `[${name}]`;
    else if (/^[A-Za-z_$][\w$]{0,63}$/.test(name)) text += `.${name}`;
    else text += `[${quoted(name, 40)}]`;
  }
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
