// Owns the person of the conformance client: signs in where a server asks for it, and agrees to everything.
import { login, type Gate, type OAuthConfig, type TokenStore } from "../../index.ts";

/** A person who is asked more often than this gives up. */
const PATIENCE = 3;
/** The document that the suite expects a client to name; nobody fetches it. */
const DOCUMENT = "https://conformance-test.local/client-metadata.json";

export interface Person {
  /** Signs in when the server asks for it; false when it does not, or too often. Rejects when the sign-in fails. */
  satisfy(gate: Gate): Promise<boolean>;
}

/** What would stand in the configuration, from the scenario's own data. */
export function oauthOf(scenario: string, context: Readonly<Record<string, unknown>>): OAuthConfig {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const { signing_algorithm: signingAlgorithm } = context;
  const known = Object.entries({ clientId, clientSecret, privateKey, signingAlgorithm }).filter(
    ([, value]) => typeof value === "string",
  );
  return {
    ...(scenario.startsWith("auth/client-credentials") ? { grant: "client_credentials" } : {}),
    ...(scenario === "auth/basic-cimd" ? { clientMetadataUrl: DOCUMENT } : {}),
    ...(Object.fromEntries(known) as OAuthConfig),
  };
}

export function createPerson(
  server: string,
  entry: unknown,
  options: { readonly store: TokenStore; readonly signal: AbortSignal },
): Person {
  const { store, signal } = options;
  let asked = 0;
  return {
    async satisfy(gate) {
      const { auth } = gate.servers().find((one) => one.server === server) ?? {};
      if (auth === undefined || auth.state === "signed-in" || asked >= PATIENCE) return false;
      asked += 1;
      const scopes = auth.state === "scopes-needed" ? (auth.scopes ?? []) : [];
      await login(server, entry, {
        store,
        scopes,
        signal,
        async open(url) {
          const page = await fetch(url, { signal });
          await page.text();
        },
      });
      // A gate finds a sign-in before the next thing it does.
      await gate.check("");
      return true;
    },
  };
}
