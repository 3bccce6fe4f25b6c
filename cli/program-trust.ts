// Owns the definition of `callgate trust`: of changed tools, and of the configuration itself.
import { type Command, Option } from "commander";
import type { TrustConfigFlags } from "./commands/trust-config.ts";
import type { TrustFlags } from "./commands/trust.ts";
import { configOption, jsonOption, withExamples, type Ending } from "./options.ts";

export interface TrustHandlers {
  trust(name: string | undefined, flags: TrustFlags): Promise<number>;
  trustConfig(flags: TrustConfigFlags): Promise<number>;
}

export function addTrust(program: Command, handlers: TrustHandlers, ending: Ending): void {
  const trust = program
    .command("trust")
    .description("look at what changed since it was trusted, and trust it as it is now");
  withExamples(trust, ["callgate trust", "callgate trust files", "callgate trust config"]);
  const tools = trust
    .command("tools", { isDefault: true })
    .description("show how tools changed since they were accepted, and accept them as they are now")
    .argument("[name]", "a server, or server.tool; without it nothing is accepted")
    .addOption(configOption())
    .addOption(new Option("--all", "accept the tools of every server"))
    .addOption(new Option("--yes", "accept without asking"))
    .action(ending(handlers.trust));
  withExamples(tools, ["callgate trust", "callgate trust files", "callgate trust --all --yes"]);
  const config = trust
    .command("config")
    .description("show what the configuration starts and sends to, and agree to it; nothing is started")
    .addOption(configOption())
    .addOption(new Option("--yes", "agree without asking"))
    .addOption(new Option("--forget", "take back what was agreed to for this file").conflicts("yes"))
    .addOption(jsonOption())
    .action(ending(handlers.trustConfig));
  withExamples(config, ["callgate trust config", "callgate trust config --config other.json --yes"]);
}
