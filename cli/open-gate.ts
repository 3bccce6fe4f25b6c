// Owns the way from configuration to an open gate, and who answers questions about calls.
import { join } from "node:path";
import {
  CallgateError,
  createCallgate,
  type ApprovalAnswer,
  type Approve,
  type Elicit,
  type Gate,
} from "../index.ts";
import { cacheFolder } from "./cache-folder.ts";
import { loadConfig, type LoadedConfig } from "./config/load.ts";
import { raced, type Interrupt } from "./interrupt.ts";
import type { Screen } from "./screen.ts";
import { createStartNotice } from "./starting.ts";
import { tokenStore } from "./token-place.ts";
import { withCode } from "./usage-error.ts";
import { isTrusted, requireTrust, type ConfigFlags, type Standing } from "./trust/require.ts";
import type { World } from "./world.ts";

/** What every command works with. */
export interface Session {
  readonly world: World;
  readonly screen: Screen;
  readonly interrupt: Interrupt;
}

export interface OpenGate extends AsyncDisposable {
  readonly gate: Gate;
  readonly loaded: LoadedConfig;
  /** Whether the configuration may start its servers; without `unasked` it may. */
  readonly standing: Standing;
}

/** Throws UsageError for a configuration that cannot be used or is not trusted, WORKER_START_FAILED for the sandbox. */
export async function openGate(
  session: Session,
  flags: ConfigFlags,
  options: {
    readonly approve?: Approve | undefined;
    /** Who answers servers. */
    readonly elicit?: Elicit | undefined;
    readonly quiet?: boolean;
    /** Opens soon, without the servers that take long to start. */
    readonly impatient?: boolean;
    /** Asks every server for its tools, whatever is kept of them. */
    readonly refresh?: boolean;
    /** Opens even where `sandbox.require` is not met. */
    readonly unrequired?: boolean;
    /** Asks nobody for trust: what is not trusted yet is not started. */
    readonly unasked?: boolean;
  } = {},
): Promise<OpenGate> {
  const { world, screen, interrupt } = session;
  const loaded = await loadConfig({ cwd: world.cwd, file: flags.config, policies: flags.policy }).catch(
    (error: unknown) => {
      throw withCode(error, "CONFIG_INVALID");
    },
  );
  const layers = loaded.policy;
  const { limits, sandbox, catalog, audit } = loaded.config;
  const standing = await requireTrust(session, loaded, flags, { unasked: options.unasked === true });
  const servers = isTrusted(standing) ? loaded.config.servers : {};
  const cache = loaded.config.catalogCache === false ? undefined : cacheFolder(world.env);
  const store = tokenStore(world);
  using _notice = createStartNotice(screen, options.quiet === true ? [] : Object.keys(servers));
  const making = createCallgate({
    servers,
    env: world.env,
    ...(store !== undefined && { auth: { store } }),
    ...(layers.values.length > 0 && { policy: layers.values, policySources: layers.sources }),
    ...(limits !== undefined && { limits }),
    ...(sandbox !== undefined && {
      sandbox: options.unrequired === true ? { ...sandbox, require: [] } : sandbox,
    }),
    ...(catalog !== undefined && { catalog }),
    ...(audit !== undefined && { audit }),
    ...(loaded.lockFile !== undefined && { pins: { file: loaded.lockFile } }),
    ...(cache !== undefined && {
      catalogCache: { folder: join(cache, "tools"), refresh: options.refresh ?? flags.refresh === true },
    }),
    // A server that its package manager has to fetch first takes its time, once.
    listWaitMs: options.impatient === true ? 10_000 : 60_000,
    ...(options.approve !== undefined && { approve: options.approve }),
    ...(options.elicit !== undefined && { elicit: options.elicit }),
  });
  let gate: Gate;
  try {
    gate = await raced(making, interrupt.signal);
  } catch (error) {
    // Interrupted: what has been started so far is ended with this process.
    making.then((late) => late[Symbol.asyncDispose]()).catch(() => {});
    throw CallgateError.is(error) ? withCode(loaded.explain(error), error.code) : error;
  }
  return { gate, loaded, standing, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
}

const REFUSED: ApprovalAnswer = { decision: "deny", reason: "refused by --deny" };

/** The answer to every question, given beforehand; undefined when a person is to be asked. */
export function standingAnswer(options: {
  readonly yes?: boolean;
  readonly deny?: boolean;
}): Approve | undefined {
  if (options.yes === true) return () => Promise.resolve({ decision: "allow", scope: "run" });
  if (options.deny === true) return () => Promise.resolve(REFUSED);
  return undefined;
}
