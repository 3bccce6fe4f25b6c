// Owns the definition of `callgate login` and `callgate logout`.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { LoginFlags } from "./commands/login.ts";
import { configOption, withExamples, type Ending } from "./options.ts";
import type { ConfigFlags } from "./trust/require.ts";

export interface LoginHandlers {
  login(server: string, flags: LoginFlags): Promise<number>;
  logout(server: string, flags: ConfigFlags): Promise<number>;
}

const MAX_SECONDS = 86_400;

export function addLogin(program: Command, handlers: LoginHandlers, ending: Ending): void {
  const login = program
    .command("login")
    .description("sign in to an HTTP server in a browser; tokens are kept outside of the project")
    .argument("<server>", "its name in the configuration")
    .addOption(configOption())
    .addOption(
      new Option("--scope <scope>", "ask for this too, and keep what there is; may be repeated").argParser(
        (written, before: readonly string[] | undefined) => [
          ...(before ?? []),
          ...written.split(/\s+/).filter((scope) => scope !== ""),
        ],
      ),
    )
    .addOption(new Option("--no-browser", "print the URL and open nothing"))
    .addOption(
      new Option("--timeout <seconds>", "how long to wait for the sign-in (default: 300)").argParser(
        (written) => {
          const seconds = Number(written);
          if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds * 1_000;
          throw new InvalidArgumentError(`expected a number of seconds from 1 to ${MAX_SECONDS}`);
        },
      ),
    )
    .action(ending(handlers.login));
  withExamples(login, ["callgate login issues", "callgate login issues --scope issues:write"]);
  const logout = program
    .command("logout")
    .description("forget the sign-in to a server, and revoke its tokens where that is offered")
    .argument("<server>", "its name in the configuration")
    .addOption(configOption())
    .action(ending(handlers.logout));
  withExamples(logout, ["callgate logout issues"]);
}
