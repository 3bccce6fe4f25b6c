// Owns `callgate tools`: the catalog as a person looks at it, by the same search that scripts use.
import type { Detail, Gate, ListedTool } from "../../index.ts";
import { EXIT } from "../exit-code.ts";
import { raced } from "../interrupt.ts";
import { noteProblems } from "../gate-notes.ts";
import { openGate, type Session } from "../open-gate.ts";
import { counted } from "../text/amount.ts";
import { bold, cyan, dim, lines, yellow, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import type { ConfigFlags } from "../trust/require.ts";
import { UsageError } from "../usage-error.ts";

export interface ToolsFlags extends ConfigFlags {
  readonly server?: string;
  readonly detail: Detail;
  /** Hits of a search at most. @defaultValue 10 */
  readonly limit?: number;
  readonly json?: boolean;
}

/** Every tool, server by server. */
export async function listCommand(session: Session, flags: ToolsFlags): Promise<number> {
  return await withGate(session, flags, async (gate) => {
    const { detail, server } = flags;
    printHits(session, gate.catalog.list({ detail, ...(server !== undefined && { server }) }), flags);
    return Promise.resolve(EXIT.completed);
  });
}

/** Resolves to 1 when nothing matches. */
export async function searchCommand(session: Session, query: string, flags: ToolsFlags): Promise<number> {
  return await withGate(session, flags, async (gate) => {
    const { limit = 10, detail, server } = flags;
    const hits = await gate.catalog.search(query, { limit, detail, ...(server !== undefined && { server }) });
    printHits(session, hits, flags);
    return hits.length === 0 ? EXIT.failed : EXIT.completed;
  });
}

/** Resolves to 1 when a name is unknown. */
export async function showCommand(
  session: Session,
  names: readonly string[],
  flags: ToolsFlags,
): Promise<number> {
  return await withGate(session, flags, async (gate) => {
    const { detail, server } = flags;
    const answers = await gate.catalog.describe(names, { detail });
    const shown = answers.filter(
      (one) => !("server" in one) || server === undefined || one.server === server,
    );
    const { screen } = session;
    if (flags.json === true) screen.print(`${JSON.stringify(shown, null, 2)}\n`);
    let unknown = 0;
    for (const one of shown) {
      if ("near" in one) {
        unknown += 1;
        const hint =
          one.near.length === 0 ? "" : `; near: ${one.near.map((name) => visibleLine(name, 80)).join(", ")}`;
        screen.note([yellow("unknown tool: "), visibleLine(one.asked, 80), hint]);
      } else if (flags.json !== true) {
        screen.show(
          lines([one.signature, ...one.notes.map((note) => dim(`  note: ${visibleLine(note, 300)}`)), ""]),
        );
      }
    }
    return unknown > 0 || shown.length === 0 ? EXIT.failed : EXIT.completed;
  });
}

async function withGate(
  session: Session,
  flags: ToolsFlags,
  work: (gate: Gate) => Promise<number>,
): Promise<number> {
  await using opened = await openGate(session, flags);
  const known = opened.gate.servers().map(({ server }) => server);
  if (flags.server !== undefined && !known.includes(flags.server))
    throw new UsageError(
      `no server ${JSON.stringify(visibleLine(flags.server, 60))}; configured: ${known.join(", ") || "none"}`,
    );
  noteProblems(session, opened);
  return await raced(work(opened.gate), session.interrupt.signal);
}

function printHits({ screen }: Session, hits: readonly ListedTool[], flags: ToolsFlags): void {
  if (flags.json === true) {
    screen.print(`${JSON.stringify(hits, null, 2)}\n`);
    return;
  }
  screen.show(lines(hits.map((hit) => hitText(hit, flags.detail))));
  screen.note(dim(hits.length === 0 ? "no tools" : counted(hits.length, "tool")));
}

function hitText(hit: ListedTool, detail: Detail): Text {
  const call = cyan(visibleLine(hit.call, 120));
  if (detail === "name") return call;
  if (detail === "full") return [hit.signature, "\n"];
  return [
    bold(call),
    hit.description === "" ? "" : dim(`  ${visibleLine(hit.description, 160)}`),
    `\n  ${hit.signature}`,
  ];
}
