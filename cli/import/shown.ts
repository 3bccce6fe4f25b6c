// Owns how a planned import is shown: to a person in rows, to a program as data.
import { entryLines, entryRows } from "../servers/shown.ts";
import { counted } from "../text/amount.ts";
import { dim, yellow, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import type { Finding } from "./find.ts";
import type { Planned } from "./plan.ts";

const MAX_ROWS = 100;

/** What would be added, what is there already, what cannot be used and why. */
export function planRows(
  plan: readonly Planned[],
  problems: Finding["problems"],
  width: number,
): readonly Text[] {
  const adding = plan.filter(({ action }) => action === "add");
  const same = plan.filter(({ action }) => action === "same");
  const unusable = plan.filter(({ action }) => action === "unusable");
  return [
    ...bounded(adding, "to add").flatMap((one) => (isPlanned(one) ? addRows(one, width) : [one])),
    ...bounded(same, "that are there").map((one) => (isPlanned(one) ? dim(`  ${sameLine(one)}`) : one)),
    ...bounded(unusable, "that cannot be used").map((one): Text =>
      isPlanned(one)
        ? [yellow("  not usable: "), `${placeOf(one)}: ${visibleLine(one.reason ?? "", 300)}`]
        : one,
    ),
    ...problems
      .slice(0, MAX_ROWS)
      .map(({ file, problem }): Text =>
        dim(`  note: ${visibleLine(file, 400)}: ${visibleLine(problem, 300)}`),
      ),
  ];
}

function addRows(one: Planned, width: number): readonly Text[] {
  const { found, name, shown, notes, variables } = one;
  const renamed = name === found.name ? "" : `, where it is called ${visibleLine(found.name, 128)}`;
  const lines = [
    ...entryLines(shown),
    `from ${found.host}: ${visibleLine(found.file, 400)}${renamed}`,
    ...notes,
    ...(variables.length === 0 ? [] : [`needs the variables ${variables.join(", ")}`]),
  ];
  return entryRows(name, lines, width);
}

function sameLine(one: Planned): string {
  return `the same: ${placeOf(one)} is ${visibleLine(one.name, 128)}`;
}

function placeOf({ found }: Planned): string {
  return `${visibleLine(found.name, 128)} of ${found.host} (${visibleLine(found.file, 400)})`;
}

function bounded(list: readonly Planned[], what: string): readonly (Planned | Text)[] {
  const more = list.length - MAX_ROWS;
  return more > 0 ? [...list.slice(0, MAX_ROWS), dim(`  and ${counted(more, "more server")} ${what}`)] : list;
}

function isPlanned(one: Planned | Text): one is Planned {
  return typeof one === "object" && "found" in one;
}

/** The same as data; no value of a secret is in it. */
export function planData(plan: readonly Planned[]): readonly Readonly<Record<string, unknown>>[] {
  return plan.map(({ found, action, name, shown, reason, notes, variables }) => ({
    name,
    action,
    host: found.host,
    file: found.file,
    foundAs: found.name,
    ...(shown !== undefined && { shown: entryLines(shown) }),
    ...(reason !== undefined && { reason }),
    notes,
    variables,
  }));
}
