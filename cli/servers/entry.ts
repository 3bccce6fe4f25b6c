// Owns what an entry of `mcpServers` says, read before anybody has judged it.

/** Whatever is written there; every part may be of the wrong kind. */
export type RawEntry = Readonly<Record<string, unknown>>;

export function isEntry(value: unknown): value is RawEntry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isDisabled(value: unknown): boolean {
  return isEntry(value) && value["disabled"] === true;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `url`, or `serverUrl` as some hosts write it. */
export function addressOf(entry: RawEntry): string | undefined {
  return textOf(entry["url"]) ?? textOf(entry["serverUrl"]);
}

/** Texts as they are, numbers and booleans as texts; what is neither is shown as JSON. */
export function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Own names of an object; none of anything else. */
export function namesOf(value: unknown): readonly string[] {
  return isEntry(value) ? Object.keys(value) : [];
}
