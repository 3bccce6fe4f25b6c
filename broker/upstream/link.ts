// Owns when a server is connected: on first need, one attempt at a time, again after a death, with back-off.
import { CallgateError } from "../../contract/error.ts";
import { createLiveSecrets } from "../live-secrets.ts";
import { accessProblemIn } from "./access-problem.ts";
import { createBackoff } from "./backoff.ts";
import { pause, type Clock } from "./clock.ts";
import type { McpServerConfig } from "./config.ts";
import type { McpUpstreamOptions } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { eraKey, forgetEra, type Prior } from "./era.ts";
import type { HttpAccess } from "./http-access.ts";
import type { UpstreamStatus } from "./upstream.ts";
import type { Wording } from "./wording.ts";

/** A wait for a restart up to this long is waited out inside the call; a longer one fails it at once. */
const SHORT_WAIT_MS = 1_000;

export interface LinkOptions {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly options: McpUpstreamOptions;
  readonly clock: Clock;
  readonly wording: Wording;
  readonly onNote: (note: string) => void;
  /** The server said so. */
  readonly onToolsChanged: () => void;
  /** The connection is gone: whatever the server says meanwhile is not heard. */
  readonly onAway: () => void;
}

export interface Link {
  /** Aborts when disposed. */
  readonly life: AbortSignal;
  /** The live connection. Rejects with `CALL_UPSTREAM_UNAVAILABLE` or `DISPOSED`. */
  connect(): Promise<Connection>;
  /** What an earlier process learned of the server, for the next attempt to connect. */
  setPrior(prior: Prior): void;
  /** Gives up a connection whose server does not speak as it was remembered to; the next one negotiates. */
  distrust(connection: Connection): void;
  /** True while a server is connected that tells when its tools change. */
  tellsChanges(): boolean;
  /** Gives a connection up that is of no use for new calls; those in flight on it may finish. */
  drop(connection: Connection): void;
  /** What the last answer says of the server's health: a reason, or undefined when it is well. */
  report(trouble: string | undefined): void;
  status(): Pick<UpstreamStatus, "state" | "error" | "protocolVersion" | "auth">;
  /** True when somebody has signed in since that was asked for: it is worth another try at once. */
  revived(): Promise<boolean>;
  /** Throws `DISPOSED` once disposed. */
  refuseWhenDisposed(): void;
  /** Afterwards no process, socket or timer is left. */
  dispose(): Promise<void>;
}

export function createLink({ server, config, options, clock, wording, ...hooks }: LinkOptions): Link {
  const backoff = createBackoff();
  const life = new AbortController();
  const retired = new Set<Promise<void>>();
  let access: HttpAccess | undefined;
  let connection: Connection | undefined;
  let connecting: Promise<Connection> | undefined;
  let disposing: Promise<void> | undefined;
  let state: UpstreamStatus["state"] = "idle";
  let trouble: string | undefined;
  let protocolVersion: string | undefined;
  let prior: Prior | undefined;

  function refuseWhenDisposed(): void {
    if (life.signal.aborted) throw wording.disposed();
  }

  async function attempt(): Promise<Connection> {
    refuseWhenDisposed();
    const wait = backoff.remaining(clock.now());
    if (wait > SHORT_WAIT_MS) {
      const again = `${trouble ?? "it failed before"} (it may be tried again in ${Math.ceil(wait / 1000)} s)`;
      throw wording.unavailable(again, { sent: false, retryAfterMs: Math.ceil(wait) });
    }
    state = "connecting";
    await pause(clock, wait, life.signal);
    refuseWhenDisposed();
    try {
      // Loaded here, since a gate with fifty servers must not pay for the SDK before it needs one of them.
      const { connectServer, createHttpAccess } = await import("./connect.ts");
      if (config.url !== undefined) {
        const connectTimeoutMs = Math.min(options.connectTimeoutMs ?? 60_000, 15_000);
        const powers = { secrets: createLiveSecrets(), ...options.http, connectTimeoutMs };
        access ??= createHttpAccess(server, config, powers, life.signal);
      }
      const opened = await connectServer(server, config, options, {
        access,
        clock,
        signal: life.signal,
        prior,
        onNote: hooks.onNote,
        onToolsChanged: hooks.onToolsChanged,
        onClosed: () => noticeEnd(),
      });
      connection = opened;
      refuseWhenDisposed();
      backoff.succeeded();
      protocolVersion = opened.protocolVersion;
      state = "ready";
      trouble = undefined;
      return opened;
    } catch (error) {
      refuseWhenDisposed();
      backoff.startFailed(clock.now());
      state = "failed";
      trouble = wording.clean(error instanceof Error ? error.message : String(error), 900);
      const auth = accessProblemIn(error)?.auth;
      const data = { sent: false, ...(auth === undefined ? {} : { auth }) };
      throw CallgateError.is(error) ? error : wording.unavailable(trouble, data);
    }
  }

  /** Takes note of a death, once; the next need starts the server again. */
  function noticeEnd(): void {
    const why = connection?.ended();
    if (connection === undefined || why === undefined) return;
    backoff.crashed(clock.now(), connection.openedAt);
    retire(connection);
    connection = undefined;
    if (life.signal.aborted) return;
    state = "failed";
    trouble = wording.clean(why, 900);
    hooks.onAway();
  }

  function retire(old: Connection): void {
    const done = old.retire().finally(() => retired.delete(done));
    retired.add(done);
  }

  function giveUp(useless: Connection): void {
    if (connection !== useless) return;
    connection = undefined;
    retire(useless);
    hooks.onAway();
  }

  async function end(): Promise<void> {
    life.abort(new Error("disposed"));
    state = "closed";
    await connecting?.catch(() => {});
    await connection?.close();
    connection = undefined;
    await Promise.all(retired);
    await access?.release();
  }

  return {
    life: life.signal,
    refuseWhenDisposed,
    connect() {
      noticeEnd();
      if (connection !== undefined && !life.signal.aborted) return Promise.resolve(connection);
      connecting ??= attempt().finally(() => (connecting = undefined));
      return connecting;
    },
    setPrior: (learned) => (prior = learned),
    distrust(mistaken) {
      prior = undefined;
      forgetEra(eraKey(config));
      giveUp(mistaken);
    },
    tellsChanges: () => connection?.tellsChanges() === true && connection.ended() === undefined,
    drop: giveUp,
    report(why) {
      trouble = why === undefined ? undefined : wording.clean(why, 900);
    },
    status() {
      noticeEnd();
      const auth = access?.session?.status();
      return {
        state,
        ...(auth === undefined ? {} : { auth }),
        ...(trouble === undefined ? {} : { error: trouble }),
        ...(protocolVersion === undefined ? {} : { protocolVersion }),
      };
    },
    async revived() {
      if ((await access?.session?.revived()) !== true) return false;
      backoff.forgiven();
      return true;
    },
    dispose: () => (disposing ??= end()),
  };
}
