// Owns `callgate audit`: whether a log is the one that was written, and what it says.
import { resolve } from "node:path";
import { verifyAudit, type AuditLine, type AuditVerdict } from "../../index.ts";
import { EXIT } from "../exit-code.ts";
import type { Session } from "../open-gate.ts";
import { counted } from "../text/amount.ts";
import { dim, green, red, yellow, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { UsageError } from "../usage-error.ts";

export interface VerifyFlags {
  readonly head?: string;
  readonly json?: boolean;
}

export interface ShowFlags {
  readonly run?: string;
  readonly json?: boolean;
}

/** Resolves to 0 for an unbroken log, 1 for a broken one. */
export async function verifyCommand(
  { world, screen }: Session,
  file: string,
  { head, json }: VerifyFlags,
): Promise<number> {
  if (head !== undefined && !/^[0-9a-fA-F]{64}$/.test(head))
    throw new UsageError("--head: expected the SHA-256 that verify printed, 64 hexadecimal digits");
  const verdict = await verifyAudit(resolve(world.cwd, file), { head });
  if (json === true) screen.print(`${JSON.stringify(verdict, null, 2)}\n`);
  else {
    for (const line of verdictLines(verdict, visibleLine(file))) screen.show([line, "\n"]);
    if (verdict.ok && head === undefined)
      screen.note(dim("lines cut off the end are found only with --head, a hash kept from before"));
  }
  return verdict.ok ? EXIT.completed : EXIT.failed;
}

/** One line per entry; stops where the log is broken. Resolves to 1 then, and when nothing matches. */
export async function showCommand(
  { world, screen }: Session,
  file: string,
  { run, json }: ShowFlags,
): Promise<number> {
  let shown = 0;
  const verdict = await verifyAudit(resolve(world.cwd, file), {
    onLine(line) {
      const { runId } = line.facts;
      if (run !== undefined && !(typeof runId === "string" && runId.startsWith(run))) return;
      shown += 1;
      if (json === true) screen.print(`${JSON.stringify({ n: line.n, ...line.facts })}\n`);
      else screen.show([entryText(line), "\n"]);
    },
  });
  await screen.flush();
  if (!verdict.ok) for (const line of verdictLines(verdict, visibleLine(file))) screen.note(line);
  else if (shown === 0 && run !== undefined) screen.note(dim("no entry of such a run"));
  return verdict.ok && (shown > 0 || run === undefined) ? EXIT.completed : EXIT.failed;
}

function verdictLines(verdict: AuditVerdict, file: string): readonly Text[] {
  const { broken, lines, head, torn } = verdict;
  return [
    ...(broken === undefined
      ? [[green("unbroken: "), `${file}, ${counted(lines, "line")}`]]
      : [
          [red("broken: "), `${file}:${broken.line}: line ${broken.line} ${broken.reason}`],
          `${counted(lines, "line")} before it can be relied on`,
        ]),
    `head ${head}`,
    ...torn.map(({ line, bytes, recorded }): Text => {
      const after = recorded ? "the log went on after it and says so" : "nothing was written since";
      return [yellow("torn: "), `line ${line}, ${bytes} bytes, half written at a crash; ${after}`];
    }),
  ];
}

function entryText({ n, facts }: AuditLine): Text {
  const text = (key: string): string => {
    const value = Object.hasOwn(facts, key) ? facts[key] : undefined;
    return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  };
  const list = (key: string): string => {
    const value = facts[key];
    return Array.isArray(value) ? value.map(String).join(", ") : "";
  };
  const type = text("type");
  const head = dim(`${n}  ${visibleLine(text("at"), 30)}  ${visibleLine(text("runId").slice(0, 8), 48)}  `);
  const call = [text("server"), text("tool")].filter(Boolean).join(".");
  const name = call === "" ? "" : `#${text("seq")} ${visibleLine(call, 80)} `;
  const what = [text("effect"), text("answer"), text("status"), text("code")].filter(Boolean).join(" ");
  const why = [list("rules"), text("reason")].filter(Boolean).join(": ");
  const bodies = bodyText(facts["arguments"] ?? facts["result"] ?? facts["script"]);
  return [head, type, "  ", name, colour(what), dim(visibleLine(` ${why}${bodies}`, 400))];
}

function colour(what: string): Text {
  const shown = visibleLine(what, 80);
  if (/^(?:allow|granted|ok|completed)/.test(what)) return green(shown);
  return /^(?:ask|unknown|unsent|paused)/.test(what) ? yellow(shown) : red(shown);
}

function bodyText(body: unknown): string {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "value")) return "";
  return ` ${JSON.stringify((body as { readonly value: unknown }).value)}`;
}
