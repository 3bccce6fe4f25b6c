// Error codes that no test cites yet, each with the reason. An entry goes when its test comes.
import type { ErrorCode } from "../../contract/error.ts";

export const untestedCodes: Readonly<Partial<Record<ErrorCode, string>>> = {};
