// Deferred tools of a real MCP server, called as a message of the Anthropic API calls them.
import { fileURLToPath } from "node:url";
import type Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { deferredTools, handleToolUse } from "../../adapters/anthropic.ts";
import { createCallgate } from "../../index.ts";
import { verifies } from "../requirements.ts";

const everything = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

const uses = (name: string, input: object, index: number): Anthropic.ToolUseBlock => ({
  type: "tool_use",
  id: `toolu_${index}`,
  name,
  input,
  caller: { type: "direct" },
});

test(
  verifies(
    "adapters:deferred",
    "tools and resources of a real server answer with text and images, all of one message at once",
  ),
  async () => {
    const every = { command: process.execPath, args: [everything, "stdio"] };
    await using gate = await createCallgate({ servers: { every }, policy: { default: "allow" } });
    const deferred = deferredTools(gate);
    const uri = "demo://resource/static/document/architecture.md";
    const blocks = [
      uses("every__get-sum", { a: 1, b: 2 }, 0),
      uses("every__get-tiny-image", {}, 1),
      uses("every__resources_read", { uri }, 2),
      uses("every__nothing", {}, 3),
    ];
    // What the provider's search did comes in the same message, and is no affair of ours.
    const search: Anthropic.ServerToolUseBlock = {
      type: "server_tool_use",
      id: "srvtoolu_0",
      name: "tool_search_tool_bm25",
      input: { query: "sum" },
      caller: { type: "direct" },
    };
    const answer = await handleToolUse(gate, { content: [search, ...blocks] }, { deferred });
    const results = (answer?.content ?? []) as readonly Anthropic.ToolResultBlockParam[];
    expect(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error ?? false])).toEqual([
      ["toolu_0", false],
      ["toolu_1", false],
      ["toolu_2", false],
      ["toolu_3", true],
    ]);
    const [sum, image, resource, unknown] = results.map(({ content }) => content);
    expect(sum).toEqual([{ type: "text", text: "The sum of 1 and 2 is 3." }]);
    expect(image).toMatchObject([{ type: "text" }, { type: "image", source: { media_type: "image/png" } }]);
    expect(resource).toMatchObject([{ text: expect.stringContaining(uri) as string }]);
    expect(unknown).toMatchObject([
      { text: 'There is no tool "every__nothing"; find one with the tool search.' },
    ]);
  },
);
