// Owns what of another host's `oauth` means the same here.
import { isEntry, textOf } from "../servers/entry.ts";

const TEXTS = ["clientId", "clientSecret", "authServerMetadataUrl"] as const;

export interface OAuthTaken {
  /** Undefined when nothing of it means anything here. */
  readonly oauth: Readonly<Record<string, unknown>> | undefined;
  /** Keys that were left out. */
  readonly left: readonly string[];
}

/** Texts, a port and scopes; anything else would make the whole configuration invalid. */
export function takenOAuth(value: unknown): OAuthTaken {
  if (!isEntry(value)) return { oauth: undefined, left: value === undefined ? [] : ["oauth"] };
  const { scopes, callbackPort } = value;
  const taken: Record<string, unknown> = {};
  for (const key of TEXTS) {
    const text = textOf(value[key]);
    if (text !== undefined && text.length <= 2_000) taken[key] = text;
  }
  if (areScopes(scopes)) taken["scopes"] = scopes;
  if (Number.isInteger(callbackPort) && Number(callbackPort) >= 1 && Number(callbackPort) <= 65_535)
    taken["callbackPort"] = callbackPort;
  const left = Object.keys(value).filter((key) => !Object.hasOwn(taken, key));
  return {
    oauth: Object.keys(taken).length === 0 ? undefined : taken,
    left: left.map((key) => `oauth.${key}`),
  };
}

function areScopes(value: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length <= 50 && list.every((scope) => typeof scope === "string" && scope.length <= 2_000);
}
