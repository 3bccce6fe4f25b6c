// Resources and prompts of real servers, and of one that lies, as calls of a script.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CallgateOptions, Gate } from "../../index.ts";
import { createCallgate } from "../../index.ts";
import { listening } from "../broker/upstream/support.ts";
import { callgate, folder } from "../cli/support.ts";
import { scratch } from "../gate/catalog-support.ts";
import { verifies } from "../requirements.ts";
import { open, READ, returned, server } from "./support.ts";

const package_ = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/", import.meta.url),
);
const EVERYTHING = join(package_, "dist/index.js");
const ID = expect.stringMatching(/^content_[0-9a-f]{32}$/) as unknown;

async function everything(transport: "stdio" | "streamableHttp"): Promise<Gate> {
  const command = process.execPath;
  const port = String(20_000 + (process.pid % 20_000));
  const ev =
    transport === "stdio"
      ? { command, args: [EVERYTHING] }
      : {
          url: `http://127.0.0.1:${(await listening({ command, args: [EVERYTHING, transport] }, { PORT: port })).port}/mcp`,
        };
  const gate = await createCallgate({ servers: { ev }, policy: { default: "allow" } });
  onTestFinished(() => gate[Symbol.asyncDispose]());
  return gate;
}

describe.each(["stdio", "streamableHttp"] as const)("server-everything over %s", (transport) => {
  test(
    verifies("content:methods", "resources are listed and read, prompts listed and filled"),
    async () => {
      const gate = await everything(transport);
      const script = `
        const { resources } = await ev.resources.list();
        const { contents: [text] } = await ev.resources.read(resources[0]!.uri);
        const { resourceTemplates } = await ev.resources.templates();
        const { contents: [binary] } = await ev.resources.read({ uri: resourceTemplates[1]!.uriTemplate.replace(/\\{.*\\}/, "7") });
        const { prompts } = await ev.prompts.list();
        const { messages } = await ev.prompts.get("args-prompt", { city: "Paris" });
        const blob = await ev.prompts.get({ name: "resource-prompt", arguments: { resourceType: "Blob", resourceId: "2" } });
        return [resources.length > 3, text.text.length > 100, binary, await binary.text(), prompts.map((p) => p.name).slice(0, 2), messages, blob.messages[1]]`;
      expect(returned(await gate.run(script))).toEqual([
        true,
        true,
        expect.objectContaining({
          type: "resource",
          uri: "demo://resource/dynamic/blob/7",
          id: ID,
        }) as unknown,
        expect.stringContaining("Resource 7") as unknown,
        ["simple-prompt", "args-prompt"],
        [{ role: "user", content: { type: "text", text: "What's weather in Paris?" } }],
        { role: "user", content: expect.objectContaining({ type: "resource", id: ID }) as unknown },
      ]);
    },
    120_000,
  );

  test(
    verifies(
      ["content:handles", "content:unchanged"],
      "its picture, its embedded resources and its zip file are handles",
    ),
    async () => {
      const gate = await everything(transport);
      const script = `
        const [, image, last] = await ev.get_tiny_image({});
        const reference = await ev.get_resource_reference({ resourceType: "Blob", resourceId: 3 });
        const zip = await ev.gzip_file_as_resource({ name: "a.gz", data: "data:text/plain;base64,aGVsbG8=", outputType: "resource" });
        emit(image);
        return [[...await image.read({ length: 4 })], last.type, await reference[1].text(), [...await zip[0].read({ length: 2 })]]`;
      const result = await gate.run(script);
      expect(returned(result)).toEqual([
        [0x89, 0x50, 0x4e, 0x47],
        "text",
        expect.stringContaining("Resource 3") as unknown,
        [0x1f, 0x8b],
      ]);
      expect(result.content).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    },
    120_000,
  );

  test(
    verifies("content:methods", "what a server does not have fails with its words"),
    async () => {
      const gate = await everything(transport);
      const { error } = await gate.run("await ev.resources.read('nope://x')");
      expect(error).toMatchObject({ code: "CALL_TOOL_ERROR", server: "ev", tool: "resources/read" });
      expect(error?.message).toContain("nope://x");
    },
    120_000,
  );
});

const MODERN = fileURLToPath(new URL("../fixtures/servers/modern-content.mjs", import.meta.url));
const LOOK = `const { resources } = await m.resources.list();
  const { contents: [picture] } = await m.resources.read("a:picture");
  const { messages: [message] } = await m.prompts.get("look");
  return [resources.map(({ uri }) => uri), (await m.resources.read("a:text")).contents[0].text, [...await picture.read()], message!.content.bytes]`;
const SEEN = [["a:text", "a:picture"], "hello", [0, 1, 2, 3], 3];

test.each(["stdio", "http"])(
  verifies("content:methods", "a server of the newer era without any tool, over %s"),
  async (transport) => {
    const server = { command: process.execPath, args: [MODERN, transport] };
    const m =
      transport === "stdio" ? server : { url: `http://127.0.0.1:${(await listening(server)).port}/mcp` };
    await using gate = await createCallgate({ servers: { m }, policy: { default: "allow" } });
    expect(gate.servers()[0]?.protocolVersion).toBe("2026-07-28");
    expect(returned(await gate.run(LOOK))).toEqual(SEEN);
  },
);

test(verifies("content:methods", "resources and prompts are known from an earlier process"), async () => {
  const options: CallgateOptions = {
    servers: {
      m: { command: process.execPath, args: [MODERN] },
      s: { command: process.execPath, args: [server, JSON.stringify(READ)] },
    },
    policy: { default: "allow" },
    catalogCache: { folder: scratch() },
  };
  const first = await createCallgate(options);
  const listed = first.catalog.text();
  await first[Symbol.asyncDispose]();
  await using gate = await createCallgate(options);
  expect(gate.servers().map(({ state }) => state)).toEqual(["idle", "idle"]);
  expect(gate.catalog.text()).toBe(listed);
  expect(returned(await gate.run(LOOK))).toEqual(SEEN);
  expect((await gate.run("return (await s.resources.read('a:b')).contents[0].text")).output).toBe("hello");
});

test(verifies("content:methods", "a server without tools writes nothing to stdout"), async () => {
  const config = {
    mcpServers: { m: { command: process.execPath, args: [MODERN] } },
    policy: { default: "allow" },
  };
  const cwd = folder({ "callgate.json": JSON.stringify(config) });
  const script = "return (await m.resources.read('a:text')).contents[0].text";
  const { stdout, stderr } = await callgate(["run", "-e", script], { cwd });
  expect([stdout, stderr]).toEqual(["hello\n", expect.stringContaining("1 call")]);
});

describe("answers of any shape", () => {
  const lists = {
    result: {
      resources: [{ uri: "a:1", name: "one" }, null, "x", { name: "no uri" }, { uri: 7 }],
      nextCursor: "2",
    },
    "2": { resources: [{ uri: "a:2", name: "two", extra: { kept: true } }], nextCursor: "3" },
    "3": { resources: "no list", nextCursor: "2" },
  };

  test(
    verifies(
      "content:methods-hostile",
      "pages are walked, faulty items left out and named, a loop of cursors ends",
    ),
    async () => {
      const gate = await open({ resources: { "resources/list": lists } });
      expect(returned(await gate.run("return await s.resources.list()"))).toEqual({
        resources: [
          { uri: "a:1", name: "one" },
          { uri: "a:2", name: "two", extra: { kept: true } },
        ],
        notes: [
          "an item without uri was left out",
          "an answer has no list of resources",
          "the server gave a cursor for the second time; the list ends here",
        ],
      });
      expect(
        returned(await gate.run("return (await s.resources.list({ cursor: '2' })).resources.length")),
      ).toBe(1);
    },
  );

  test(
    verifies("content:methods-hostile", "a list beyond the bound ends with the cursor of the rest"),
    async () => {
      const page = (at: number): object => ({
        resources: [{ uri: `a:${at}`, name: "n" }],
        nextCursor: `p${at + 1}`,
      });
      const pages = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`p${at}`, page(at)]));
      const gate = await open({ resources: { "resources/list": { ...pages, result: page(-1) } } });
      const script = "const r = await s.resources.list(); return [r.resources.length, r.nextCursor]";
      expect(returned(await gate.run(script))).toEqual([50, "p49"]);
    },
  );

  test(
    verifies("content:methods-hostile", "contents and messages that are none are left out and named"),
    async () => {
      const contents = [
        { uri: "a:b", text: "x" },
        { uri: "a:c", blob: "AAAA", mimeType: "image/png" },
        { uri: "a:d", blob: "not base64" },
        { uri: "a:e" },
        7,
      ];
      const messages = [
        { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
        { role: "user", content: { type: "text", text: "x" } },
        { role: 7, content: { type: "text", text: "x" } },
        { role: "user" },
      ];
      const gate = await open({
        resources: { "resources/read": { result: { contents }, none: {}, odd: null } },
        prompts: { "prompts/get": { result: { messages } } },
      });
      expect(
        returned(
          await gate.run(
            "return [await s.resources.read('a'), await s.resources.read('none'), await s.prompts.get('p')]",
          ),
        ),
      ).toEqual([
        {
          contents: [
            { uri: "a:b", text: "x" },
            { type: "resource", uri: "a:c", mimeType: "image/png", bytes: 3, id: ID },
            {
              type: "text",
              text: '[resource whose data is not base64: 10 characters, starting "not base64"]',
            },
          ],
          notes: [
            "a content without text and blob was left out",
            "a content that is no object, or nests too deep, was left out",
          ],
        },
        { contents: [], notes: ["the answer has no list of contents"] },
        {
          messages: [
            { role: "user", content: { type: "image", mimeType: "image/png", bytes: 3, id: ID } },
            { role: "user", content: { type: "text", text: "x" } },
          ],
          notes: ["a message without role or content, or that nests too deep, was left out"],
        },
      ]);
      expect(await gate.run("return (await s.resources.read('odd')).contents.length")).toHaveProperty(
        "status",
      );
    },
  );

  test(
    verifies(["content:methods-hostile", "content:room"], "a resource too large for the run fails the call"),
    async () => {
      const blob = Buffer.alloc(5_000).toString("base64");
      const gate = await open({
        resources: { "resources/read": { result: { contents: [{ uri: "a", blob }] } } },
      });
      const { error } = await gate.run("await s.resources.read('a')", { limits: { contentBytes: 4_000 } });
      expect(error).toMatchObject({ code: "CALL_INVALID_RESULT" });
    },
  );
});
