// Owns `callgate policy`: what the policy says in vain, how it decides a call and why, and its schema.
import { CallgateError, policyJsonSchema, type CallExplanation, type JsonValue } from "../../index.ts";
import { EXIT } from "../exit-code.ts";
import { explanationLines, problemLine } from "../explanation.ts";
import { raced } from "../interrupt.ts";
import { openGate, type OpenGate, type Session } from "../open-gate.ts";
import { readCases, type PolicyCase } from "../policy-cases.ts";
import { counted } from "../text/amount.ts";
import { dim, green, red, yellow } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import type { ConfigFlags } from "../trust/require.ts";
import { UsageError } from "../usage-error.ts";

export interface PolicyFlags extends ConfigFlags {
  readonly json?: boolean;
}

export interface ExplainFlags extends PolicyFlags {
  readonly args: string;
  readonly labels?: readonly string[];
}

/** Resolves to 1 when anything of the policy is in vain, or could not be checked. */
export async function policyCheckCommand(session: Session, flags: PolicyFlags): Promise<number> {
  const { screen } = session;
  await using opened = await open(session, flags);
  const found = await raced(opened.gate.policy.check(), session.interrupt.signal);
  if (flags.json === true) screen.print(`${JSON.stringify(found, null, 2)}\n`);
  else for (const one of found) screen.show([problemLine(one), "\n"]);
  await screen.flush();
  if (found.length > 0) screen.note(red(counted(found.length, "problem")));
  else screen.note(green("no problems: everything in the policy can matter"));
  return found.length === 0 ? EXIT.completed : EXIT.failed;
}

/** Resolves to 0 whatever the decision is. */
export async function policyExplainCommand(
  session: Session,
  tool: string,
  flags: ExplainFlags,
): Promise<number> {
  const args = parseArguments(flags.args);
  await using opened = await open(session, flags);
  const told = await explainCall(session, opened, { tool, args, labels: flags.labels ?? [] });
  if (typeof told === "string") throw new UsageError(told);
  const { screen } = session;
  if (flags.json === true) screen.print(`${JSON.stringify(told, null, 2)}\n`);
  else for (const line of explanationLines(told)) screen.show([line, "\n"]);
  return EXIT.completed;
}

/** Resolves to 1 when a case is decided otherwise than it says. */
export async function policyTestCommand(session: Session, file: string, flags: PolicyFlags): Promise<number> {
  const { screen, world } = session;
  const cases = await readCases(world.cwd, file);
  await using opened = await open(session, flags);
  const results: { readonly name: string; readonly failure: string | undefined }[] = [];
  for (const one of cases) {
    const told = await explainCall(session, opened, one);
    const failure = typeof told === "string" ? told : difference(one, told);
    results.push({ name: one.name, failure });
    if (failure === undefined || flags.json === true) continue;
    screen.show([red("failed: "), `${visibleLine(one.name, 200)}: ${visibleLine(failure, 400)}`, "\n"]);
    if (typeof told === "string") continue;
    for (const line of explanationLines(told)) screen.show(["  ", line, "\n"]);
  }
  if (flags.json === true) {
    const shown = results.map(({ name, failure }) => ({ name, ok: failure === undefined, failure }));
    screen.print(`${JSON.stringify(shown, null, 2)}\n`);
  }
  await screen.flush();
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const passed = `${results.length - failed} of ${counted(results.length, "case")} as expected`;
  screen.note(failed === 0 ? green(passed) : red(passed));
  return failed === 0 ? EXIT.completed : EXIT.failed;
}

export function policySchemaCommand({ screen }: Session): Promise<number> {
  screen.print(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`);
  return Promise.resolve(EXIT.completed);
}

/** Servers that are away are told of: what the policy says of them cannot be judged. */
async function open(session: Session, flags: PolicyFlags): Promise<OpenGate> {
  const opened = await openGate(session, flags);
  for (const { server, state, error } of opened.gate.servers()) {
    if (state !== "failed") continue;
    const why = dim(`: ${visibleLine(error ?? "", 400)}`);
    session.screen.note([yellow("warning: "), `server ${visibleLine(server, 60)} is not available`, why]);
  }
  return opened;
}

/** A sentence when there is no such tool. */
async function explainCall(
  session: Session,
  { gate }: OpenGate,
  call: { readonly tool: string; readonly args: JsonValue; readonly labels: readonly string[] },
): Promise<CallExplanation | string> {
  try {
    const { tool, args, labels } = call;
    return await raced(gate.policy.explain(tool, args, { labels }), session.interrupt.signal);
  } catch (error) {
    if (CallgateError.is(error, "CALL_UNKNOWN_TOOL")) return error.message;
    throw error;
  }
}

function difference(expected: PolicyCase, { decision, refused }: CallExplanation): string | undefined {
  if (refused !== undefined) return `the call is refused before the policy is asked: ${refused}`;
  if (decision.effect !== expected.expect) return `expected ${expected.expect}, is ${decision.effect}`;
  const { rules } = expected;
  if (rules === undefined) return undefined;
  const found = decision.rules.toSorted().join(", ");
  const wanted = rules.toSorted().join(", ");
  return found === wanted ? undefined : `expected the rules ${wanted || "(none)"}, decided by ${found}`;
}

function parseArguments(written: string): JsonValue {
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (error) {
    throw new UsageError(`--args: not valid JSON: ${visibleLine((error as Error).message, 200)}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonValue;
  throw new UsageError('--args: expected a JSON object such as {"path":"/srv/app"}');
}
