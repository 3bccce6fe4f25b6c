// Owns the definition of `callgate policy` and of the commands below it.
import { type Command, Option } from "commander";
import type { ExplainFlags, PolicyFlags } from "./commands/policy.ts";
import { configOption, jsonOption, policyOption, withExamples, type Ending } from "./options.ts";

export interface PolicyHandlers {
  checkPolicy(flags: PolicyFlags): Promise<number>;
  explainPolicy(tool: string, flags: ExplainFlags): Promise<number>;
  testPolicy(file: string, flags: PolicyFlags): Promise<number>;
  printPolicySchema(): Promise<number>;
}

export function addPolicy(program: Command, handlers: PolicyHandlers, ending: Ending): void {
  const policy = program.command("policy").description("look at what the policy says, and at how it decides");
  const check = policy
    .command("check")
    .description("say what the policy says in vain: names that are none, rules that can never win")
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(jsonOption())
    .action(ending(handlers.checkPolicy));
  withExamples(check, ["callgate policy check", "callgate policy check --policy stricter.yaml"]);
  const explain = policy
    .command("explain")
    .description(
      "say how a call would be decided, by which rules, and what would allow it; nothing is called",
    )
    .argument("<tool>", "server.tool")
    .addOption(new Option("--args <json>", "its arguments").default("{}"))
    .addOption(
      new Option("--labels <names>", "what the run has read, such as private,untrusted").argParser(
        (written) => written.split(",").map((name) => name.trim()),
      ),
    )
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(jsonOption())
    .action(ending(handlers.explainPolicy));
  withExamples(explain, [
    `callgate policy explain files.write_file --args '{"path":"/srv/app/a"}'`,
    "callgate policy explain web.post --labels private,untrusted --json",
  ]);
  const test = policy
    .command("test")
    .description("hold the policy against calls and the decisions they should get")
    .argument("<file>", "a list of { tool, args, labels, expect, rules }, JSON or YAML")
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(jsonOption())
    .action(ending(handlers.testPolicy));
  withExamples(test, ["callgate policy test policy-cases.json"]);
  const schema = policy
    .command("schema")
    .description("print the JSON Schema of a policy, for an editor")
    .action(ending(() => handlers.printPolicySchema()));
  withExamples(schema, ["callgate policy schema > policy.schema.json"]);
}
