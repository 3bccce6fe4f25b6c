// Owns the reason why a request to an HTTP server was not made, or was refused for want of authorization.

/** What is missing: a sign-in, or scopes of the one there is. */
export interface AuthNeed {
  readonly need: "login" | "scopes";
  /** Names that the server asks for; printable and bounded. */
  readonly scopes?: readonly string[];
}

/** Thrown through the protocol's client; the request had no effect. The message is for a person, printable and bounded. */
export class AccessProblem extends Error {
  readonly auth: AuthNeed | undefined;
  readonly status: number | undefined;
  constructor(message: string, facts: { readonly auth?: AuthNeed; readonly status?: number } = {}) {
    super(message);
    this.auth = facts.auth;
    this.status = facts.status;
  }
}

/** Looks under what others wrapped around it. */
export function accessProblemIn(error: unknown): AccessProblem | undefined {
  for (let at = error, depth = 0; typeof at === "object" && at !== null && depth < 6; depth += 1) {
    if (at instanceof AccessProblem) return at;
    const { cause, data, errors } = at as { cause?: unknown; data?: { cause?: unknown }; errors?: unknown[] };
    at = cause ?? data?.cause ?? errors?.[0];
  }
  return undefined;
}
