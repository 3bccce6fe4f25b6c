// Owns the worker process: one isolate per run, warm isolates in reserve, CPU poll. Trusted with nothing but the isolates.
import { readFileSync } from "node:fs";
import type { ToWorker } from "../../contract/message.ts";
import { openChannel } from "./channel.ts";
import { createEngine, type Isolate } from "./engine.ts";
import { startSession, type Session } from "./session.ts";

interface Configuration {
  readonly addonPath: string;
  readonly guestPath: string;
  readonly memoryMb: number;
  readonly warm: number;
}

const POLL_MS = 20;

const configuration = JSON.parse(process.argv[2] as string) as Configuration;
const sessions = new Map<number, Session>();
const warm: Isolate[] = [];

function slotOf(isolate: Isolate | undefined): number | undefined {
  for (const [slot, session] of sessions) if (session.isolate === isolate) return slot;
  return undefined;
}

const engine = createEngine({
  addonPath: configuration.addonPath,
  guestSource: readFileSync(configuration.guestPath, "utf8"),
  onCatastrophe: (isolate) => {
    const slot = slotOf(isolate);
    // Later runs may meet what an earlier one left behind: the broker then finds out who it is.
    if (isolate !== undefined && slot === 1 && sessions.size === 1)
      channel.sendLast({ type: "limit", slot, code: "RUN_MEMORY_LIMIT", cpuMs: isolate.cpuMs() });
    process.kill(process.pid, "SIGKILL");
  },
});

const channel = openChannel(receive);

function takeIsolate(memoryMb: number): Isolate {
  const index = warm.findIndex((isolate) => isolate.memoryMb === memoryMb);
  const [taken] = index < 0 ? [] : warm.splice(index, 1);
  return taken ?? engine.createIsolate(memoryMb);
}

function refill(): void {
  if (warm.length >= configuration.warm) return;
  warm.push(engine.createIsolate(configuration.memoryMb));
}

function receive(message: ToWorker): void {
  switch (message.type) {
    case "start":
      sessions.set(message.slot, startSession(message, takeIsolate(message.memoryMb), channel.send));
      return;
    case "deliver":
      return sessions.get(message.slot)?.deliver(message);
    case "drain":
      return sessions.get(message.slot)?.drain();
    case "end":
      sessions.get(message.slot)?.end();
      sessions.delete(message.slot);
      setImmediate(refill);
      return;
  }
}

setInterval(() => {
  for (const session of sessions.values()) session.poll();
}, POLL_MS);

for (let count = 0; count < configuration.warm; count += 1) refill();

// Security: nothing more is loaded or read after this line.
const permissions = ["addon", "fs.read", "fs.write", "child", "worker", "wasi", "inspector", "net"] as const;
const permission = process.permission as
  (typeof process.permission & { drop?: (scope: string) => void }) | undefined;
for (const scope of permissions) {
  try {
    permission?.drop?.(scope);
  } catch {
    // A Node without this scope; what remains is reported below.
  }
}
channel.send({
  type: "ready",
  permissions: permissions.filter((scope) => permission === undefined || permission.has(scope)),
});
