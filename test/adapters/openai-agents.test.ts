// The real OpenAI Agents SDK with a model of its own interface, over a gate.
import { Agent, Runner, type Model, type ModelRequest, type ModelResponse } from "@openai/agents";
import { test } from "vitest";
import { agentTools } from "../../adapters/openai-agents.ts";
import { verifies } from "../requirements.ts";
import * as claims from "./claims.ts";
import type { Turn } from "./support.ts";

class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #turns: readonly Turn[];

  constructor(turns: readonly Turn[]) {
    this.#turns = turns;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const turn = this.#turns[this.requests.push(request) - 1] ?? "";
    const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const output: ModelResponse["output"] =
      typeof turn === "string"
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: turn }],
            },
          ]
        : turn.map(({ id, name, input }) => ({
            type: "function_call",
            callId: id,
            name,
            arguments: input,
            status: "completed",
          }));
    return { usage: usage as unknown as ModelResponse["usage"], output };
  }

  // eslint-disable-next-line require-yield
  async *getStreamedResponse(): AsyncGenerator<never> {
    throw new Error("not streamed");
  }
}

const runner = new Runner({ tracingDisabled: true, toolNotFoundBehavior: "return_error_to_model" });

const drive: claims.Drive = async (gate, turns, { signal, ...options } = {}) => {
  const model = new ScriptedModel(turns);
  const agent = new Agent({ name: "clerk", model, tools: agentTools(gate, options) });
  const result = await runner.run(agent, "Sell a tea.", signal === undefined ? {} : { signal });
  const heard = result.history.flatMap((item) => {
    if (item.type !== "function_call_result") return [];
    const { output } = item;
    const parts = typeof output === "string" ? [{ type: "text", text: output }] : [output].flat();
    const text = parts.map((part) => ("text" in part ? part.text : "")).join("");
    const images = parts.flatMap((part) =>
      "image" in part ? [JSON.stringify(part.image).slice(1, -1).replace("data:image/png;base64,", "")] : [],
    );
    return [{ isError: undefined, text, ...(images.length > 0 && { images }) }];
  });
  const offered = (model.requests[0]?.tools ?? []).map((tool) => tool.name);
  return { text: result.finalOutput ?? "", heard, offered };
};

test(verifies(["adapters:loop", "adapters:error"], "run repairs a wrong script and succeeds"), () =>
  claims.expectRepair(drive, false),
);

test(verifies("adapters:abort", "the signal of run ends the script's run and its calls"), () =>
  claims.expectAbort(drive),
);

test(verifies("adapters:approval", "approve and principal belong to the conversation"), () =>
  claims.expectApproval(drive),
);

test(verifies("adapters:malformed", "the loop outlives whatever the model sends"), () =>
  claims.expectMalformed(drive, [/sell_everything/, /JSON/, /run_script: .*code/s]),
);

test(verifies("adapters:parallel", "two calls of one turn run at the same time"), () =>
  claims.expectParallel(drive),
);

test(verifies("adapters:choice", "the tools are those asked for"), () => claims.expectChoice(drive));

test(verifies("adapters:images", "emitted images are shown to the model"), () => claims.expectImages(drive));
