// Owns the way from configuration to an open gate, and who answers questions about calls.
import { join } from "node:path";
import { CallgateError, createCallgate, type ApprovalAnswer, type Approve, type Gate } from "../index.ts";
import { cacheFolder } from "./cache-folder.ts";
import { loadConfig, type LoadedConfig } from "./config/load.ts";
import { raced, type Interrupt } from "./interrupt.ts";
import type { Screen } from "./screen.ts";
import { createStartNotice } from "./starting.ts";
import { withCode } from "./usage-error.ts";
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
}

/** Throws UsageError for a configuration that cannot be used, and WORKER_START_FAILED for the sandbox. */
export async function openGate(
  session: Session,
  options: {
    readonly config: string | undefined;
    /** Files of `--policy`. */
    readonly policies?: readonly string[] | undefined;
    readonly approve?: Approve | undefined;
    readonly quiet?: boolean;
    /** Asks every server for its tools, whatever is kept of them. */
    readonly refresh?: boolean | undefined;
    /** Opens even where `sandbox.require` is not met. */
    readonly unrequired?: boolean;
  },
): Promise<OpenGate> {
  const { world, screen, interrupt } = session;
  const loaded = await loadConfig({ cwd: world.cwd, file: options.config, policies: options.policies }).catch(
    (error: unknown) => {
      throw withCode(error, "CONFIG_INVALID");
    },
  );
  const layers = loaded.policy;
  const { servers, limits, sandbox, catalog, audit } = loaded.config;
  const cache = loaded.config.catalogCache === false ? undefined : cacheFolder(world.env);
  using _notice = createStartNotice(screen, options.quiet === true ? [] : Object.keys(servers));
  const making = createCallgate({
    servers,
    env: world.env,
    ...(layers.values.length > 0 && { policy: layers.values, policySources: layers.sources }),
    ...(limits !== undefined && { limits }),
    ...(sandbox !== undefined && {
      sandbox: options.unrequired === true ? { ...sandbox, require: [] } : sandbox,
    }),
    ...(catalog !== undefined && { catalog }),
    ...(audit !== undefined && { audit }),
    ...(loaded.lockFile !== undefined && { pins: { file: loaded.lockFile } }),
    ...(cache !== undefined && {
      catalogCache: { folder: join(cache, "tools"), refresh: options.refresh === true },
    }),
    ...(options.approve !== undefined && { approve: options.approve }),
  });
  let gate: Gate;
  try {
    gate = await raced(making, interrupt.signal);
  } catch (error) {
    // Interrupted: what has been started so far is ended with this process.
    making.then((late) => late[Symbol.asyncDispose]()).catch(() => {});
    throw CallgateError.is(error) ? withCode(loaded.explain(error), error.code) : error;
  }
  return { gate, loaded, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
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
