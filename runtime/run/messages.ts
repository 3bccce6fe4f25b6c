// Owns the sentences of a stopped run.
import type { RunLimits } from "../../contract/limits.ts";
import type { StopCode } from "./request.ts";

export function limitMessage(code: StopCode, limits: RunLimits): string {
  switch (code) {
    case "RUN_TIMEOUT":
      return `The script did not end within ${limits.wallMs} ms (limit wallMs). Do less in one script, or raise the limit.`;
    case "RUN_CPU_LIMIT":
      return `The script used more than ${limits.cpuMs} ms of CPU time (limit cpuMs). Look for an endless loop.`;
    case "RUN_MEMORY_LIMIT":
      return `The script needed more than ${limits.memoryMb} MB of memory (limit memoryMb). Keep less data at one time.`;
    case "RUN_CALL_LIMIT":
      return `The script made more than ${limits.calls} calls (limit calls).`;
    case "RUN_OUTPUT_LIMIT":
      return `The script logged more than ${limits.logBytes} bytes (limit logBytes). Log a summary.`;
    case "RUN_ABORTED":
      return "The run was aborted by its caller.";
    default:
      return "The run was stopped.";
  }
}
