// An HTTP host with one gate for all users: the bearer token says whose run it is.
import { createHash } from "node:crypto";
import type { Gate } from "callgate";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    principal: string;
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const runBody = {
  type: "object",
  required: ["script"],
  additionalProperties: false,
  properties: { script: { type: "string" } },
} as const;

/** `tokens`: bearer token → user. Closing the host ends the runs that are going on, and answers them. */
export function createHost(gate: Gate, tokens: ReadonlyMap<string, string>): FastifyInstance {
  // Security: looked up by digest, so that the time it takes tells nothing about a token.
  const users = new Map([...tokens].map(([token, user]) => [sha256(token), user]));
  const closing = new AbortController();
  const app = fastify({ bodyLimit: 512 << 10 });

  app.decorateRequest("principal", "");
  app.addHook("onRequest", async (request, reply) => {
    const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    const user = users.get(sha256(token));
    if (user === undefined) return reply.code(401).send({ error: "a bearer token is needed" });
    request.principal = user;
  });

  app.get("/tools", () => gate.catalog.list().map(({ call, description }) => ({ call, description })));

  app.post<{ Body: { script: string } }>("/run", { schema: { body: runBody } }, async (request, reply) => {
    const result = await gate.run(request.body.script, {
      principal: request.principal,
      // Ends when the client goes away, and when the host closes.
      signal: AbortSignal.any([whenGone(reply), closing.signal]),
    });
    // A script that fails is no error of HTTP: its model reads why, and repairs it.
    const { status, output, error } = result;
    return { status, output, ...(error !== undefined && { error: `${error.code}: ${error.message}` }) };
  });

  app.addHook("preClose", async () => closing.abort());
  return app;
}

/** Aborts when the client goes away. Fastify's `request.signal` would abort as soon as the body has been read. */
function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  return gone.signal;
}
