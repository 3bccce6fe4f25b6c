// Owns what is said while servers start: a live line on a terminal, elsewhere one line when it takes long.
import type { Screen } from "./screen.ts";
import { counted } from "./text/amount.ts";
import { dim } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

const LONG_MS = 2_000;
const MAX_NAMES = 8;

/** Disposing ends it and clears the live line. `longMs` is for tests. @defaultValue 2 000 */
export function createStartNotice(
  screen: Pick<Screen, "live" | "note" | "interactive">,
  servers: readonly string[],
  longMs: number = LONG_MS,
): Disposable {
  if (servers.length === 0) return { [Symbol.dispose]: () => {} };
  screen.live(`opening ${counted(servers.length, "server")}`);
  const timer = setTimeout(() => {
    const text = `waiting for servers to start: ${named(servers)}`;
    if (screen.interactive) screen.live(text);
    else screen.note(dim(text));
  }, longMs);
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      screen.live(undefined);
    },
  };
}

function named(servers: readonly string[]): string {
  const shown = servers.slice(0, MAX_NAMES).map((name) => visibleLine(name, 60));
  const more = servers.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
