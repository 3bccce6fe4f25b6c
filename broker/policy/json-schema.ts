// Owns the JSON Schema of a policy, for editors.
import { z } from "zod";
import type { JsonObject } from "../../contract/json.ts";
import { policySchema } from "./schema.ts";

/** The JSON Schema (2020-12) of one policy layer; it knows the shape, `parsePolicy` also the meaning. */
export function policyJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(policySchema, { io: "input" });
  return { ...(schema as unknown as JsonObject), title: "Callgate policy" };
}
