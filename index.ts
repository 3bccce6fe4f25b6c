// Owns the complete public surface.
export { callTool, type OneCall } from "./call-tool.ts";
export { createCallgate } from "./callgate.ts";
export { createAuditFile } from "./broker/audit/file.ts";
export { verifyAudit } from "./broker/audit/verify.ts";
export { createPinFile } from "./broker/pins-file.ts";
export { policyJsonSchema } from "./broker/policy/json-schema.ts";
export { login, logout } from "./broker/upstream/auth/login.ts";
export { createTokenFolder } from "./broker/upstream/auth/token-folder.ts";
export { createMemoryTokens } from "./broker/upstream/auth/token-store.ts";
export { defineTool } from "./broker/upstream/define-tool.ts";
export { CallgateError, ERROR_CODES } from "./contract/error.ts";
export { elicitationOptions, elicitationProblem } from "./contract/elicitation-value.ts";
export { DEFAULT_LIMITS } from "./contract/limits.ts";

export type { AuditBodies, AuditBody, AuditEntry, AuditSink } from "./broker/audit/entry.ts";
export type { AuditFile } from "./broker/audit/file.ts";
export type { AuditFileOptions } from "./broker/audit/options.ts";
export type { AuditLine, AuditVerdict } from "./broker/audit/verify.ts";
export type { PinChange } from "./broker/pins.ts";
export type { DiffLine } from "./broker/pins-diff.ts";
export type { Pin, PinStore, PinTable } from "./broker/pins-file.ts";
export type { LoginOptions, LoginResult } from "./broker/upstream/auth/login.ts";
export type { OAuthConfig } from "./broker/upstream/auth/oauth-config.ts";
export type { AuthStatus } from "./broker/upstream/auth/session.ts";
export type { TokenStore } from "./broker/upstream/auth/token-store.ts";
export type { LocalTool, LocalToolContext } from "./broker/upstream/define-tool.ts";
export type { McpServerConfig } from "./broker/upstream/config.ts";
export type { CatalogCacheOptions } from "./broker/upstream/catalog-options.ts";
export type { UpstreamStatus } from "./broker/upstream/upstream.ts";
export type { CallExplanation, ExplainOptions } from "./broker/policy-inspector.ts";
export type { PolicyProblemFound } from "./broker/policy/check.ts";
export type { ExplainedFinding } from "./broker/policy/decide.ts";
export type { PolicyInput } from "./broker/policy/parse.ts";
export type { CallError, CallOutcome, CallReceipt } from "./contract/call.ts";
export type { BinaryKind, EmittedContent } from "./contract/content.ts";
export type { CheckMode } from "./contract/compile.ts";
export type {
  ApprovalAnswer,
  ApprovalCall,
  ApprovalRequest,
  Approve,
  Effect,
  LabelInPlay,
} from "./contract/decision.ts";
export type {
  Elicit,
  ElicitationAnswer,
  ElicitationField,
  ElicitationRequest,
  ElicitationSchema,
  ElicitationValue,
} from "./contract/elicitation.ts";
export type { Diagnostic } from "./contract/diagnostic.ts";
export type { Audience, CallErrorCode, ErrorCode } from "./contract/error.ts";
export type { JsonObject, JsonValue } from "./contract/json.ts";
export type { RunLimits } from "./contract/limits.ts";
export type { RunProgress, UpstreamProgress } from "./contract/progress.ts";
export type { Delivery, RunEvent, RunRecord, RunStart, RunStore } from "./contract/record.ts";
export type { RunError, RunResult, SandboxReport, Usage } from "./contract/result.ts";
export type { Detail, NamedTool, ToolAnnotations, ToolDefinition } from "./contract/tool.ts";
export type {
  CallgateOptions,
  Gate,
  GateCatalog,
  GatePins,
  GatePolicy,
  MetaTool,
  MetaToolResult,
  RemoveServerOptions,
  RunOptions,
} from "./gate.ts";
export type { SandboxOptions } from "./runtime/sandbox-options.ts";
export type { ListedTool, SearchHit } from "./stubs/catalog-types.ts";
export type { DescribedTool, UnknownName } from "./stubs/describe.ts";
