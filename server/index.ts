// Owns the public surface of `callgate/server`.
export type { HttpOptions, HttpServing } from "./http/listen.ts";
export { createCallgateServer, type CallgateServer, type ServerOptions } from "./serve.ts";
export type { StdioServing, StdioStreams } from "./stdio.ts";
export { TOOL_NAMES, type ToolName } from "./tools.ts";
