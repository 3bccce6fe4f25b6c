// Owns the check of what a gate and its runs are given.
import type { PolicyLayer } from "./broker/policy/parse.ts";
import { CallgateError } from "./contract/error.ts";
import type { CallgateOptions } from "./gate.ts";

const OPTIONS: ReadonlySet<string> = new Set<keyof CallgateOptions>([
  "servers",
  "tools",
  "policy",
  "policySources",
  "limits",
  "approve",
  "sandbox",
  "catalog",
  "store",
  "env",
  "audit",
  "pins",
  "telemetry",
]);

/** Throws CONFIG_INVALID for a key that is no option. */
export function refuseUnknown(options: CallgateOptions): void {
  for (const key of Object.keys(options)) {
    if (OPTIONS.has(key)) continue;
    const text = `createCallgate: there is no option ${JSON.stringify(key.slice(0, 80))}; there are ${[...OPTIONS].join(", ")}`;
    throw new CallgateError("CONFIG_INVALID", text, { data: { path: key } });
  }
}

/** The layers of `policy`, each with its name. */
export function policyLayers({ policy, policySources }: CallgateOptions): readonly PolicyLayer[] {
  return [policy ?? {}].flat().map((value: unknown, index) => ({
    source: policySources?.[index] ?? `policy ${index + 1}`,
    value,
  }));
}

/** The name as Intl knows it. Throws CONFIG_INVALID. */
export function parseTimeZone(timeZone: string = "UTC"): string {
  if (timeZone === "UTC") return timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    const text = `timeZone: ${JSON.stringify(timeZone.slice(0, 80))} is no IANA time zone, such as "Europe/Berlin"`;
    throw new CallgateError("CONFIG_INVALID", text, { data: { path: "timeZone" } });
  }
}
