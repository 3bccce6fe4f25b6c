// Owns writing: results to stdout, everything for people to stderr, one live line on a terminal.
import { render, wantsColour, type Text } from "./text/styled.ts";
import { visible } from "./text/visible.ts";
import { fileProblem } from "./usage-error.ts";
import type { Output, World } from "./world.ts";

export interface Screen {
  /** Result text: byte for byte as it is, but made visible when stdout is a terminal. */
  print(text: string): void;
  /** Result text made by the command itself. */
  show(text: Text): void;
  /** A line for people, on stderr. */
  note(text: Text): void;
  /** Replaces the live line, or clears it; nothing happens when stderr is no terminal. */
  live(text: string | undefined): void;
  /** While held, the live line stays away. */
  hold(): () => void;
  /** True when stderr is a terminal. */
  readonly interactive: boolean;
  /** Resolves when everything is written, or can no longer be. */
  flush(): Promise<void>;
  /** Why text for stdout was lost; undefined while none was, and when its reader went away. */
  readonly lost: string | undefined;
}

const CLEAR_LINE = "\r\u001b[K";

/** `closed` is called once when stdout takes no more; what is written later is dropped. */
export function createScreen(
  world: Pick<World, "stdout" | "stderr" | "env">,
  options: {
    readonly closed: () => void;
    /** Says that stdout leads nowhere, though it takes what is written. */
    readonly unopened?: () => boolean;
  },
): Screen {
  const { stdout, stderr, env } = world;
  const out = createSink(stdout, options.closed);
  const err = createSink(stderr, () => {});
  let written = false;
  const interactive = stderr.isTTY === true && env["TERM"] !== "dumb";
  const unopened = options.unopened ?? ((): boolean => false);
  const outColour = wantsColour(stdout, env);
  const errColour = wantsColour(stderr, env);
  let liveShown = false;
  let holds = 0;

  const clearLive = (): void => {
    if (liveShown) err.write(CLEAR_LINE);
    liveShown = false;
  };
  const writeOut = (text: string): void => {
    clearLive();
    written ||= text !== "";
    out.write(text);
  };
  return {
    interactive,
    print: (text) => writeOut(stdout.isTTY === true ? visible(text) : text),
    show: (text) => writeOut(render(text, outColour)),
    note(text) {
      clearLive();
      err.write(`${render(text, errColour)}\n`);
    },
    live(text) {
      if (!interactive || holds > 0) return;
      clearLive();
      if (text === undefined) return;
      err.write(render(text, false).slice(0, Math.max(10, (stderr.columns || 80) - 1)));
      liveShown = true;
    },
    hold() {
      clearLive();
      holds += 1;
      return () => {
        holds -= 1;
      };
    },
    async flush() {
      clearLive();
      await Promise.all([out.flush(), err.flush()]);
    },
    get lost() {
      return out.lost() ?? (written && unopened() ? "it is closed" : undefined);
    },
  };
}

interface Sink {
  write(text: string): void;
  flush(): Promise<void>;
  lost(): string | undefined;
}

function createSink(stream: Output, closed: () => void): Sink {
  let open = true;
  let lost: string | undefined;
  const pending = new Set<Promise<void>>();
  const end = (error: NodeJS.ErrnoException): void => {
    if (!open) return;
    open = false;
    // A reader that has gone away (`| head`) is no failure of ours.
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") lost = fileProblem(error);
    closed();
  };
  stream.on("error", end);
  return {
    write(text) {
      if (!open || text === "") return;
      const written = new Promise<void>((resolve) => {
        stream.write(text, (error) => {
          if (error) end(error);
          resolve();
        });
      });
      pending.add(written);
      void written.then(() => pending.delete(written));
    },
    async flush() {
      await Promise.all(pending);
    },
    lost: () => lost,
  };
}
