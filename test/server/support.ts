// A gate with local tools, served over HTTP, and real clients of both eras.
import { Client, StreamableHTTPClientTransport, type ElicitResult } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createCallgate, defineTool, type CallgateOptions, type Gate } from "../../index.ts";
import {
  createCallgateServer,
  type CallgateServer,
  type HttpOptions,
  type ServerOptions,
} from "../../server/index.ts";

export const ERAS = ["legacy", "modern"] as const;
export type Era = (typeof ERAS)[number];

export const POLICY: Readonly<Record<string, unknown>> = {
  default: "allow",
  rules: [
    { tools: "notes.add", effect: "ask" },
    { tools: "notes.burn", effect: "deny" },
  ],
};

export interface Notes {
  readonly added: string[];
  /** Waits that were begun, and how many of them ended by a signal. */
  readonly waits: { begun: number; ended: number };
  readonly waiting: () => Promise<void>;
}

export interface World extends AsyncDisposable {
  readonly gate: Gate;
  readonly server: CallgateServer;
  readonly notes: Notes;
  readonly errors: Error[];
}

/** `notes.read` may be called, `notes.add` needs approval, `notes.burn` is denied, `notes.wait` ends with its signal. */
export async function openWorld(
  options: { readonly gate?: CallgateOptions; readonly server?: ServerOptions; readonly asks?: boolean } = {},
): Promise<World> {
  const added: string[] = [];
  const waits = { begun: 0, ended: 0 };
  const wakers = new Set<() => void>();
  const text = z.object({ text: z.string() });
  const tools = {
    read: defineTool({
      description: "Reads a note.",
      input: z.object({ id: z.number() }),
      output: z.object({ id: z.number(), title: z.string() }),
      annotations: { readOnlyHint: true },
      run: ({ id }) => ({ id, title: `note ${id}` }),
    }),
    add: defineTool({
      description: "Adds a note.",
      input: text,
      run: ({ text: given }) => `note ${added.push(given)}`,
    }),
    burn: defineTool({ description: "Burns all notes.", input: z.object({}), run: () => "burnt" }),
    wait: defineTool({
      description: "Waits until it is ended.",
      input: z.object({}),
      run: async (_input, { signal }) => {
        waits.begun += 1;
        for (const wake of wakers) wake();
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve(), { once: true });
        await promise;
        waits.ended += 1;
        return "ended";
      },
    }),
    echo: defineTool({
      description: "Gives back what it gets.",
      input: z.looseObject({}),
      run: (input) => input,
    }),
  };
  const gate = await createCallgate({ tools: { notes: tools }, policy: POLICY, ...options.gate });
  const errors: Error[] = [];
  const server = createCallgateServer(gate, {
    asksClients: options.asks !== false,
    onError: (error) => errors.push(error),
    ...options.server,
  });
  return {
    gate,
    server,
    errors,
    notes: {
      added,
      waits,
      waiting: () =>
        new Promise((resolve) => {
          const before = waits.begun;
          const wake = (): void => {
            if (waits.begun === before) return;
            wakers.delete(wake);
            resolve();
          };
          wakers.add(wake);
        }),
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await gate[Symbol.asyncDispose]();
    },
  };
}

export interface Question {
  readonly message: string;
  readonly requestedSchema: unknown;
}

export type Answer = (question: Question) => ElicitResult | Promise<ElicitResult>;

/** A client that is closed after the test. With `answer` it declares that it can ask its user. */
export async function connect(
  url: string,
  era: Era,
  options: { readonly answer?: Answer; readonly token?: string; readonly close?: boolean } = {},
): Promise<Client> {
  const { answer, token } = options;
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", (request) =>
      answer(request.params as unknown as Question),
    );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  if (options.close !== false) onTestFinished(() => client.close());
  return client;
}

export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  options: Parameters<Client["callTool"]>[1] = {},
): Promise<Told> {
  const result = await client.callTool({ name, arguments: input }, options);
  const [first] = result.content;
  return {
    isError: result.isError === true,
    text: first?.type === "text" ? first.text : "",
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
  };
}

export function script(
  client: Client,
  text: string,
  options: Parameters<Client["callTool"]>[1] = {},
): Promise<Told> {
  return call(client, "run_script", { script: text }, options);
}

export async function served(world: World, options: HttpOptions = {}): Promise<string> {
  return (await world.server.http(options)).url;
}

export interface Headers {
  readonly [name: string]: string;
}

/** One request of the 2026-07-28 revision, as bytes of our own. */
export function modernPost(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<Response> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  };
  const name = params["name"];
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    ...(signal !== undefined && { signal }),
  });
}

/** The result in a JSON answer or at the end of a stream. */
export async function resultOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const lines = text.split("\n").filter((line) => line.startsWith("data:") && line.length > 6);
  const body = JSON.parse(lines.at(-1)?.slice(5) ?? text) as { result?: object; error?: object };
  return { ...(body.result ?? { error: body.error }) };
}
