// Owns the joining of the broker's parts: upstreams, policy, pins, tokens, audit and telemetry, opened and closed as one.
import { randomBytes } from "node:crypto";
import type { Approve } from "../contract/decision.ts";
import type { Elicit } from "../contract/elicitation.ts";
import { openAudit, type AuditFileOptions, type OpenAudit } from "./audit/options.ts";
import type { AuditSink } from "./audit/entry.ts";
import { createAuditTrail } from "./audit/trail.ts";
import { createBroker, type Broker } from "./broker.ts";
import type { PinStore } from "./pins-file.ts";
import { createLiveSecrets } from "./live-secrets.ts";
import { openPins } from "./pins-options.ts";
import type { Pins } from "./pins.ts";
import { createPolicyInspector, type PolicyInspector } from "./policy-inspector.ts";
import { policyNotes } from "./policy/notes.ts";
import { parsePolicy, type PolicyLayer } from "./policy/parse.ts";
import { createRedactor } from "./redact.ts";
import { createTelemetry, parseTelemetry } from "./telemetry.ts";
import { createTokens, type Tokens } from "./tokenize.ts";
import type { TokenStore } from "./upstream/auth/token-store.ts";
import { openCatalogMemory, type CatalogCacheOptions } from "./upstream/catalog-options.ts";
import type { LocalTool } from "./upstream/define-tool.ts";
import { createUpstreams } from "./upstreams.ts";
import { createWitness, type Witness } from "./witness.ts";

export interface BrokerSideOptions {
  readonly servers?: Readonly<Record<string, unknown>> | undefined;
  readonly tools?: Readonly<Record<string, Readonly<Record<string, LocalTool>>>> | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly auth?: { readonly store?: TokenStore } | undefined;
  /** Each with its name; later ones only tighten. */
  readonly policy: readonly PolicyLayer[];
  readonly approve?: Approve | undefined;
  readonly elicit?: Elicit | undefined;
  readonly audit?: AuditFileOptions | AuditSink | undefined;
  readonly pins?: { readonly file: string } | PinStore | undefined;
  readonly telemetry?: { readonly bodies?: boolean } | undefined;
  readonly catalogCache?: CatalogCacheOptions | undefined;
  /** A name no upstream may have. */
  readonly reserved: string;
  /** How long one list of tools is waited for, ms. @defaultValue 10 000 */
  readonly listWaitMs?: number | undefined;
}

/** Everything on the trusted side that decides on calls and performs them. */
export interface BrokerSide extends AsyncDisposable {
  readonly broker: Broker;
  readonly pins: Pins | undefined;
  readonly tokens: Tokens;
  readonly witness: Witness;
  readonly inspector: PolicyInspector;
  /** Hash of the policy, all layers. */
  readonly policyHash: string;
  /** One more server, from now on. Nothing is started. Throws CONFIG_INVALID. */
  addServer(name: string, config: unknown): void;
  /**
   * Takes a server out: no new call from now on. Resolves when it is closed. False when there is no such server.
   */
  removeServer(name: string, inFlight: "finish" | "cancel"): Promise<boolean>;
  /** What a person should know, now. */
  notes(): readonly string[];
}

/** No server is started. Throws CONFIG_INVALID, CONFIG_POLICY_INVALID. */
export async function openBrokerSide(options: BrokerSideOptions): Promise<BrokerSide> {
  const policy = parsePolicy(options.policy);
  const memory = openCatalogMemory(options.catalogCache);
  const live = createLiveSecrets();
  const redactor = createRedactor({ secrets: [], live });
  const configured = createUpstreams(
    {
      servers: options.servers ?? {},
      tools: options.tools ?? {},
      env: options.env ?? {},
      tokens: options.auth?.store,
      live,
      reserved: options.reserved,
      memory,
      elicits: options.elicit !== undefined,
    },
    redactor.learn,
  );
  const { upstreams, peers, warnings } = configured;
  const tokens = createTokens({ kinds: policy.kinds, redactor, key: randomBytes(32) });
  const bodies = parseTelemetry(options.telemetry);
  const pins = await openPins(options.pins, { exempt: new Set(Object.keys(options.tools ?? {})) });
  const audit: OpenAudit = await openAudit(options.audit);
  const trail = createAuditTrail({ ...audit, redactor, record: tokens.record, clock: Date.now });
  const { approve, elicit, listWaitMs } = options;
  const broker = createBroker({ upstreams, policy, approve, elicit, tokens, pins, listWaitMs });
  const clock = (): number => performance.now();
  const witness = createWitness({
    audit: trail,
    telemetry: createTelemetry({ bodies, record: tokens.record, peers, clock }),
    clock,
    protocolVersion: (server) => broker.statuses().find((one) => one.server === server)?.protocolVersion,
  });
  const inspector = createPolicyInspector({
    policy,
    tools: broker.lists.tools,
    statuses: () => broker.statuses(),
    quarantine: (server, tool) => pins?.quarantine(server, tool),
  });
  return {
    broker,
    pins,
    tokens,
    witness,
    inspector,
    policyHash: policy.hash,
    addServer: (name, config) => broker.lists.add(configured.add(name, config)),
    async removeServer(name, inFlight) {
      const removing = broker.lists.remove(name, inFlight);
      if (removing === undefined) return false;
      configured.release(name);
      await removing;
      return true;
    },
    notes: () => [
      ...(pins?.notes() ?? []),
      ...trail.notes(),
      ...(memory?.store.notes() ?? []),
      ...warnings,
      ...policyNotes(inspector.check()),
    ],
    async [Symbol.asyncDispose]() {
      const closed = await Promise.allSettled([broker[Symbol.asyncDispose](), audit[Symbol.asyncDispose]()]);
      const failed = closed.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    },
  };
}
