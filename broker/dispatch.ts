// Owns the one path of a call: validate, decide, approve, budget, perform, check, receipt.
// Security: nothing else in the project calls an upstream.
import type { CallError, CallOutcome, CallReceipt, CallRequest } from "../contract/call.ts";
import { mayHoldHandles, type ValuePath } from "../contract/content.ts";
import { CallgateError } from "../contract/error.ts";
import type { Decision } from "../contract/decision.ts";
import { byteLength, type JsonObject, type JsonValue } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { authorize } from "./authorize.ts";
import type { DispatchContext, DispatchOptions } from "./call-context.ts";
import { fileBlocks, placeBlocks, type Filed } from "./content/file.ts";
import { fillHandles, type Filled } from "./content/fill.ts";
import { resultLabels } from "./policy/decide.ts";
import type { ReceiptEnd } from "./receipts.ts";
import { callError, callName, MESSAGE_UNITS, thrownCallError } from "./refusal.ts";
import type { UpstreamResult } from "./upstream/upstream.ts";
import { toCallValue } from "./upstream/value.ts";
import { validateArguments, validateResult } from "./validate.ts";
import type { CallWitness } from "./witness.ts";

/** Ends of a call that was sent and had no answer: what it did is not known. */
const UNANSWERED: ReadonlySet<string> = new Set([
  "CALL_CANCELLED",
  "CALL_TIMEOUT",
  "CALL_UPSTREAM_UNAVAILABLE",
]);

const NOTHING_FILED: Filed = { blocks: [], handles: [], bytes: 0 };

type Ended = { readonly outcome: CallOutcome; readonly receipt: ReceiptEnd };

/** Rejects only for a fault of Callgate itself. Answers soon after `signal` aborts. */
export async function dispatch(
  request: CallRequest,
  context: DispatchContext,
  options: DispatchOptions,
): Promise<CallOutcome> {
  const receipt = context.receipts.open(request);
  const witness = context.witness.openCall(request);
  try {
    const { outcome, receipt: end } = await perform(request, context, options, receipt.sent, witness);
    await witness.ended(outcome, end);
    receipt.close(end);
    return outcome;
  } finally {
    // Closed already unless something above is broken; the run then ends with INTERNAL.
    receipt.close({ status: "error", code: "CALL_UPSTREAM_UNAVAILABLE" });
  }
}

async function perform(
  request: CallRequest,
  context: DispatchContext,
  options: DispatchOptions,
  sent: (contentBytes: number) => void,
  witness: CallWitness,
): Promise<Ended> {
  const found = await context.find(request, options.signal);
  if (found === undefined) return refused(callError("CALL_UNKNOWN_TOOL", request, unknownTool(request)));
  if ("error" in found) {
    // Security: it says why in the server's own words.
    context.origins.absorb(request, resultLabels(context.policy, request.server));
    return failed(found.error, { status: "error", rules: [], safeToRepeat: true });
  }
  const { definition, upstream } = found;
  const held = heldBack(request, context, witness);
  if (held !== undefined) return held;

  const maxBytes = context.limits.argumentBytes;
  // Security: before anything judges the arguments, so that what is judged is what is sent.
  const argumentsJson = context.resolve(request.argumentsJson, maxBytes);
  let filled: Filled | undefined;
  const fill = (value: JsonObject): JsonObject | string => {
    const given = fillHandles(value, definition.inputSchema, {
      store: context.content,
      maxBytes: context.limits.contentBytes,
    });
    if (typeof given === "string") return given;
    filled = given;
    return given.value;
  };
  const valid = validateArguments(definition, argumentsJson, {
    maxBytes,
    ...(mayHoldHandles(argumentsJson) && { fill }),
  });
  if (!valid.ok) return refused(callError("CALL_INVALID_ARGUMENTS", request, valid.message));
  const args = { sent: valid.value, shown: filled?.shown ?? valid.value, bytes: filled?.bytes ?? 0 };

  const authorized = await authorize(request, definition, args, context, options, witness);
  if ("error" in authorized) return refused(authorized.error, authorized.rules, authorized.approval);
  if ("planned" in authorized) return planned(request, definition, args.shown, context, authorized.planned);
  const { rules, release } = authorized;
  const reads = definition.annotations?.readOnlyHint === true;
  let sentContent: (() => void) | undefined;
  try {
    options.signal.throwIfAborted();
    if (args.bytes > 0) sentContent = await context.content.send(args.bytes, options.signal);
  } catch {
    release({ sent: false });
    return refused(callError("CALL_CANCELLED", request, "The run ended."), rules);
  }
  // Security: the tool may have changed while a person was asked, or while the call waited for its turn.
  const heldSince = heldBack(request, context, witness);
  if (heldSince !== undefined) {
    release({ sent: false });
    sentContent?.();
    return heldSince;
  }
  // Security: what cannot be recorded is not done.
  if (!(await witness.sending({ reads }))) {
    release({ sent: false });
    sentContent?.();
    const text = `${callName(request)} is refused: it cannot be recorded in the audit log.`;
    return refused(callError("CALL_DENIED", request, text), rules);
  }
  sent(args.bytes);
  try {
    const { onProgress } = context;
    const result = await witness.send(({ meta, onRequest }) =>
      upstream.call(definition, args.sent, {
        signal: options.signal,
        timeoutMs: context.limits.callTimeoutMs,
        principal: context.principal,
        ...(meta !== undefined && { meta }),
        onRequest,
        asker: context.questions.askerFor(request, { holdWall: options.holdWall }),
        ...(onProgress !== undefined && { onProgress: (progress) => onProgress(request, progress) }),
      }),
    );
    const ended = received(request, definition, result, context, rules, reads);
    release({ resultBytes: ended.receipt.resultBytes ?? 0 });
    return ended;
  } catch (error) {
    const thrown = thrownCallError(error, request);
    const unsent = CallgateError.is(error) && error.data["sent"] === false;
    release({ sent: !unsent });
    // Trying again is safe only where nothing can have been done.
    const failure = { ...thrown, retryable: thrown.retryable && (reads || unsent) };
    const status = UNANSWERED.has(failure.code) && !unsent ? "unknown" : "error";
    return failed(failure, { status, rules, safeToRepeat: reads || unsent });
  } finally {
    sentContent?.();
    // Security: an error carries the server's words as well as a result does.
    context.origins.absorb(request, resultLabels(context.policy, request.server));
  }
}

function heldBack(request: CallRequest, context: DispatchContext, witness: CallWitness): Ended | undefined {
  const reason = context.quarantine(request.server, request.tool);
  if (reason === undefined) return undefined;
  const decision = { effect: "deny", rules: ["pin"], reason } as const;
  witness.decided(decision, { labels: context.labels });
  const text = `${callName(request)} is quarantined: ${reason}.`;
  return refused(callError("CALL_DENIED", request, text), decision.rules);
}

function received(
  request: CallRequest,
  definition: ToolDefinition,
  result: UpstreamResult,
  context: DispatchContext,
  rules: readonly string[],
  reads: boolean,
): Ended {
  const facts = { rules, safeToRepeat: reads };
  // Content beside structured content reaches a script with an error only.
  const shows = result.isError || result.structuredContent === undefined || result.places !== undefined;
  const filed = shows ? fileBlocks(result.content, context.content, request) : undefined;
  if (filed !== undefined && "over" in filed) {
    const text = `The result of ${callName(request)} has binary content of ${filed.over} bytes, for which the run has no room (limit contentBytes: ${context.limits.contentBytes} in all). The call was made.`;
    const sized = { ...facts, resultBytes: filed.over };
    return failed(callError("CALL_INVALID_RESULT", request, text), { ...sized, status: "error" });
  }
  const { blocks: content, handles: filedAt, bytes } = filed ?? NOTHING_FILED;
  const { value, handles } = withHandles(result, content, filedAt);
  const valueJson = JSON.stringify(value);
  const jsonBytes = byteLength(valueJson);
  const resultBytes = jsonBytes + bytes;
  const structured = result.structuredContent;
  const extra = { content, handles, ...(structured !== undefined && { structuredContent: structured }) };
  const sized = { ...facts, resultBytes };
  if (result.isError) {
    const whole = typeof value === "string" ? value : valueJson;
    // Security: what is cut must be redacted before, or half a secret is found by nobody.
    const text = whole.length > MESSAGE_UNITS ? context.redactor.redact(whole) : whole;
    return failed(callError("CALL_TOOL_ERROR", request, text, extra), { ...sized, status: "error" });
  }
  if (jsonBytes > context.limits.resultBytes) {
    const text = `The result of ${callName(request)} has ${jsonBytes} bytes, over the limit of ${context.limits.resultBytes} (limit resultBytes). The call was made; ask for less.`;
    return failed(callError("CALL_INVALID_RESULT", request, text), { ...sized, status: "error" });
  }
  if (definition.outputSchema !== undefined && structured !== undefined) {
    const valid = validateResult(definition, structured);
    if (!valid.ok) {
      const text = `The result of ${callName(request)} does not match its outputSchema: ${valid.message}. The call was made; the result is in structuredContent.`;
      const beside = fileBlocks(result.content, context.content, request);
      const shown = "over" in beside ? extra : { ...extra, content: beside.blocks, handles: beside.handles };
      return failed(callError("CALL_INVALID_RESULT", request, text, shown), { ...sized, status: "error" });
    }
  }
  const found = handles.length > 0 ? { handles } : {};
  return { outcome: { ok: true, valueJson, ...found }, receipt: { ...sized, status: "ok" } };
}

/** What the script gets, and where in it the handles are. */
function withHandles(
  { content: _content, places, ...result }: UpstreamResult,
  content: readonly JsonObject[],
  filed: readonly ValuePath[],
): { readonly value: JsonValue; readonly handles: readonly ValuePath[] } {
  const value = toCallValue({ ...result, content });
  if (places === undefined) return { value, handles: filed };
  const handles = filed.map(([index]) => places[index as number] as ValuePath);
  return { value: placeBlocks(value, places, content), handles };
}

/** Security: what follows in the script is judged as if the call had been made. */
function planned(
  request: CallRequest,
  definition: ToolDefinition,
  args: JsonObject,
  context: DispatchContext,
  decision: Decision,
): Ended {
  const plan = context.plan?.add(request, definition, args, decision);
  if (plan === undefined) throw new CallgateError("INTERNAL", "a planned call outside a dry run");
  context.origins.absorb(request, resultLabels(context.policy, request.server));
  const facts = { rules: decision.rules, safeToRepeat: true, planned: plan.planned };
  return { outcome: { ok: true, valueJson: plan.valueJson }, receipt: { ...facts, status: "planned" } };
}

function failed(error: CallError, receipt: Omit<ReceiptEnd, "code">): Ended {
  return { outcome: { ok: false, error }, receipt: { ...receipt, code: error.code } };
}

function refused(error: CallError, rules: readonly string[] = [], approval?: CallReceipt["approval"]): Ended {
  // Cancelled before it was sent: it waited until the run ended.
  const status = error.code === "CALL_CANCELLED" ? "unsent" : "denied";
  const facts = { status, rules, safeToRepeat: true } as const;
  return failed(error, approval === undefined ? facts : { ...facts, approval });
}

function unknownTool(request: CallRequest): string {
  return `There is no tool ${callName(request)}. Use catalog.search(query) to find one.`;
}
