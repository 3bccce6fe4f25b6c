// Owns the one error class and the one table of codes (docs/errors.md has a section per code).

/** Who meets a code: `guest` = the script, `caller` = RunResult.error, `operator` = thrown or logged. */
export type Audience = "guest" | "caller" | "operator";

interface CodeFacts {
  readonly audience: readonly Audience[];
  /** Whether the same thing may succeed when tried again unchanged. */
  readonly retryable: boolean;
}

const operator: CodeFacts = { audience: ["operator"], retryable: false };
const caller: CodeFacts = { audience: ["caller"], retryable: false };
const call: CodeFacts = { audience: ["guest", "caller"], retryable: false };

export type ErrorCode =
  | "CONFIG_INVALID"
  | "CONFIG_POLICY_INVALID"
  | "CONFIG_UNKNOWN_UPSTREAM"
  | "CONFIG_UNTRUSTED"
  | "STUB_SCHEMA_UNSUPPORTED"
  | "STUB_NAME_COLLISION"
  | "STUB_TOO_LARGE"
  | "SCRIPT_SYNTAX"
  | "SCRIPT_UNSUPPORTED_SYNTAX"
  | "SCRIPT_TYPE"
  | "SCRIPT_TOO_LARGE"
  | "SCRIPT_THREW"
  | "RUN_TIMEOUT"
  | "RUN_CPU_LIMIT"
  | "RUN_MEMORY_LIMIT"
  | "RUN_CALL_LIMIT"
  | "RUN_OUTPUT_LIMIT"
  | "RUN_ABORTED"
  | "RUN_PENDING_CALLS"
  | "RUN_DIVERGED"
  | "RUN_QUEUE_FULL"
  | "CALL_UNKNOWN_TOOL"
  | "CALL_INVALID_ARGUMENTS"
  | "CALL_DENIED"
  | "CALL_APPROVAL_REJECTED"
  | "CALL_APPROVAL_EXPIRED"
  | "CALL_BUDGET_EXCEEDED"
  | "CALL_TIMEOUT"
  | "CALL_TOOL_ERROR"
  | "CALL_INVALID_RESULT"
  | "CALL_UPSTREAM_UNAVAILABLE"
  | "CALL_CANCELLED"
  | "CALL_OUTCOME_UNKNOWN"
  | "WORKER_START_FAILED"
  | "WORKER_CRASHED"
  | "WORKER_PROTOCOL_VIOLATION"
  | "DISPOSED"
  | "INTERNAL";

export const ERROR_CODES: Readonly<Record<ErrorCode, CodeFacts>> = {
  CONFIG_INVALID: operator,
  CONFIG_POLICY_INVALID: operator,
  CONFIG_UNKNOWN_UPSTREAM: operator,
  CONFIG_UNTRUSTED: operator,
  STUB_SCHEMA_UNSUPPORTED: caller,
  STUB_NAME_COLLISION: caller,
  STUB_TOO_LARGE: caller,
  SCRIPT_SYNTAX: caller,
  SCRIPT_UNSUPPORTED_SYNTAX: caller,
  SCRIPT_TYPE: caller,
  SCRIPT_TOO_LARGE: caller,
  SCRIPT_THREW: caller,
  RUN_TIMEOUT: caller,
  RUN_CPU_LIMIT: caller,
  RUN_MEMORY_LIMIT: caller,
  RUN_CALL_LIMIT: caller,
  RUN_OUTPUT_LIMIT: caller,
  RUN_ABORTED: caller,
  RUN_PENDING_CALLS: caller,
  RUN_DIVERGED: caller,
  RUN_QUEUE_FULL: { audience: ["caller"], retryable: true },
  CALL_UNKNOWN_TOOL: call,
  CALL_INVALID_ARGUMENTS: call,
  CALL_DENIED: call,
  CALL_APPROVAL_REJECTED: call,
  CALL_APPROVAL_EXPIRED: call,
  CALL_BUDGET_EXCEEDED: call,
  CALL_TIMEOUT: { audience: ["guest", "caller"], retryable: true },
  CALL_TOOL_ERROR: call,
  CALL_INVALID_RESULT: call,
  CALL_UPSTREAM_UNAVAILABLE: { audience: ["guest", "caller"], retryable: true },
  CALL_CANCELLED: call,
  CALL_OUTCOME_UNKNOWN: call,
  WORKER_START_FAILED: { audience: ["operator", "caller"], retryable: false },
  WORKER_CRASHED: { audience: ["operator", "caller"], retryable: true },
  WORKER_PROTOCOL_VIOLATION: { audience: ["operator", "caller"], retryable: false },
  DISPOSED: operator,
  INTERNAL: operator,
};

export type CallErrorCode = Extract<ErrorCode, `CALL_${string}`>;

const BRAND: symbol = Symbol.for("callgate.error");

/** The only error class Callgate throws. Match on `code`, never on `message`. */
export class CallgateError extends Error {
  override readonly name: string = "CallgateError";
  readonly code: ErrorCode;
  /** Facts of this code, JSON-safe. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { data?: Readonly<Record<string, unknown>>; cause?: unknown; retryable?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for a CallgateError of any copy of this package, optionally of one code. */
  static is(value: unknown, code?: ErrorCode): value is CallgateError {
    return (
      typeof value === "object" &&
      value !== null &&
      (value as Record<symbol, unknown>)[BRAND] === true &&
      (code === undefined || (value as CallgateError).code === code)
    );
  }
}
