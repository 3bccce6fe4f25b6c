// Error codes that no test cites yet, each with the reason. An entry goes when its test comes.
import type { ErrorCode } from "../../contract/error.ts";

const reserved = "reserved; nothing raises it yet";

export const untestedCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  STUB_SCHEMA_UNSUPPORTED: reserved,
  STUB_NAME_COLLISION: reserved,
  STUB_TOO_LARGE: reserved,
  CALL_OUTCOME_UNKNOWN: reserved,
};
