// Owns how a question of an upstream server is passed on to a client's person, and how the answer is read.
import type { ElicitationAnswer, ElicitationRequest } from "../index.ts";
import type { Form } from "./put.ts";
import { visible, visibleLine } from "./visible.ts";

/** Security: the first line is ours and says who asks, so that a server cannot pass its words off as Callgate's. */
export function elicitationForm({ server, tool, message, requestedSchema }: ElicitationRequest): Form {
  const where = tool === undefined ? "" : ` while its tool ${visibleLine(tool, 128)} runs`;
  return {
    message: `The server ${visibleLine(server, 128)} asks${where}, not Callgate; your answer goes to it:\n${visible(message)}`,
    requestedSchema,
  };
}

/** The broker checks the content against the form. */
export function elicitationAnswer(response: unknown): ElicitationAnswer {
  const { action, content } = record(response);
  if (action === "accept")
    return { action, content: record(content) as ElicitationAnswer["content"] & object };
  return { action: action === "decline" ? action : "cancel" };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
