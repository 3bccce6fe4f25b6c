// The real AI SDK with its own mock model, over a gate.
import { convertToModelMessages, generateText, isStepCount, readUIMessageStream, streamText } from "ai";
import type { LanguageModel, ModelMessage, UIMessage } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { aiSdkTools } from "../../adapters/ai-sdk.ts";
import { verifies } from "../requirements.ts";
import * as claims from "./claims.ts";
import { openShop, runs, WRONG_SCRIPT, type Turn } from "./support.ts";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

const usage: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const finish = (turn: Turn): Generated["finishReason"] => ({
  unified: typeof turn === "string" ? "stop" : "tool-calls",
  raw: undefined,
});

const toolCalls = (turn: Exclude<Turn, string>) =>
  turn.map(({ id, name, input }) => ({ type: "tool-call" as const, toolCallId: id, toolName: name, input }));

function heard(messages: readonly ModelMessage[]): readonly claims.Heard[] {
  const parts = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  return parts.flatMap((part) => {
    if (part.type !== "tool-result" || !("value" in part.output)) return [];
    const { type, value } = part.output;
    if (typeof value === "string") return [{ isError: type.startsWith("error-"), text: value }];
    const parts = type === "content" ? value : [];
    const text = parts.map((one) => (one.type === "text" ? one.text : "")).join("");
    const images = parts.flatMap((one) =>
      one.type === "file" && one.data.type === "data" && typeof one.data.data === "string"
        ? [one.data.data]
        : [],
    );
    return [{ isError: false, text, images }];
  });
}

const drive: claims.Drive = async (gate, turns, { signal, ...options } = {}) => {
  const model = new MockLanguageModelV4({
    doGenerate: turns.map((turn) => ({
      content: typeof turn === "string" ? [{ type: "text", text: turn }] : toolCalls(turn),
      finishReason: finish(turn),
      usage,
      warnings: [],
    })),
  });
  const { text, responseMessages } = await generateText({
    model: model as LanguageModel,
    tools: aiSdkTools(gate, options),
    stopWhen: isStepCount(turns.length),
    prompt: "Sell a tea.",
    ...(signal !== undefined && { abortSignal: signal }),
  });
  const offered = (model.doGenerateCalls[0]?.tools ?? []).map(({ name }) => name);
  return { text, heard: heard(responseMessages), offered };
};

test(verifies(["adapters:loop", "adapters:error"], "generateText repairs a wrong script and succeeds"), () =>
  claims.expectRepair(drive, true),
);

test(verifies("adapters:abort", "abortSignal ends the run and its calls"), () => claims.expectAbort(drive));

test(verifies("adapters:approval", "approve and principal belong to the conversation"), () =>
  claims.expectApproval(drive),
);

test(verifies("adapters:malformed", "the loop outlives whatever the model sends"), () =>
  claims.expectMalformed(drive, [/sell_everything/, /Invalid input for tool run_script/, /script/]),
);

test(verifies("adapters:parallel", "two calls of one turn run at the same time"), () =>
  claims.expectParallel(drive),
);

test(verifies("adapters:choice", "the set holds the tools asked for"), () => claims.expectChoice(drive));

test(verifies("adapters:images", "emitted images are shown to the model"), () => claims.expectImages(drive));

test(
  verifies("adapters:error", "after a round trip through UI messages the model still reads the error"),
  async () => {
    await using shop = await openShop();
    const tools = aiSdkTools(shop.gate);
    const turn = [runs(WRONG_SCRIPT)];
    const model = new MockLanguageModelV4({
      doStream: {
        stream: convertArrayToReadableStream([
          { type: "stream-start" as const, warnings: [] },
          ...toolCalls(turn),
          { type: "finish" as const, finishReason: finish(turn), usage },
        ]),
      },
    });
    const result = streamText({ model: model as LanguageModel, tools, prompt: "Sell a tea." });
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) last = message;
    const kept = JSON.parse(JSON.stringify([last])) as UIMessage[];
    const [again] = heard(await convertToModelMessages(kept, { tools }));
    expect(again?.isError).toBe(true);
    expect(again?.text).toContain("has unknown `itm`");
  },
);
