// Owns how a decision of the policy, and a problem in it, read on a terminal.
import type { CallExplanation, ExplainedFinding, PolicyProblemFound } from "../index.ts";
import { bold, dim, green, red, yellow, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

const COLOURS = { allow: green, ask: yellow, deny: red } as const;

/** The verdict, every rule, flow and default that names the tool, and what would let the call pass. */
export function explanationLines(told: CallExplanation): readonly Text[] {
  const { decision, findings, refused, howToAllow } = told;
  const { effect } = decision;
  const name = visibleLine(`${told.server}.${told.tool}`, 200);
  return [
    ...(refused === undefined ? [] : [[bold(name), ": ", red("refused"), `: ${visibleLine(refused, 800)}`]]),
    [
      refused === undefined ? bold(name) : "without that",
      ": ",
      COLOURS[effect](effect),
      `: ${visibleLine(decision.reason, 800)}`,
    ],
    dim(
      `${told.external ? "reaches outside" : "does not reach outside"}; known as ${told.classes.join(", ")}`,
    ),
    ...findings.flatMap(findingLines),
    ...(howToAllow === "" || refused !== undefined ? [] : [visibleLine(howToAllow, 1_000)]),
  ];
}

function findingLines({ kind, id, source, effect, holds, won, because }: ExplainedFinding): readonly Text[] {
  const state = won ? bold("wins") : holds ? "holds" : dim("does not hold");
  return [
    [
      `  ${kind} "${visibleLine(id, 120)}" `,
      COLOURS[effect](effect),
      " ",
      state,
      dim(`  ${visibleLine(source, 120)}`),
    ],
    ...because.map((reason) => dim(`    ${visibleLine(reason, 400)}`)),
  ];
}

export function problemLine({ source, place, kind, message }: PolicyProblemFound): Text {
  const where = source === undefined ? "" : `${visibleLine(source, 120)}: `;
  return [where, bold(visibleLine(place, 120)), `: ${visibleLine(message, 400)} `, dim(`(${kind})`)];
}
