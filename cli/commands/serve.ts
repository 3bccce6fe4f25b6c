// Owns `callgate serve`: the gate of a configuration as an MCP server, on stdio or HTTP.
import { createCallgateServer, type HttpOptions } from "../../server/index.ts";
import { declineAll } from "../elicit-prompt.ts";
import { EXIT } from "../exit-code.ts";
import { raced } from "../interrupt.ts";
import type { ServeFlags } from "../serve-flags.ts";
import { noteProblems } from "../gate-notes.ts";
import { openGate, standingAnswer, type Session } from "../open-gate.ts";
import { warningLine } from "../text/headline.ts";
import { dim } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { UsageError } from "../usage-error.ts";

/** Ends when the client closes its pipe, or on a signal. Resolves to the exit code. */
export async function serveCommand(session: Session, flags: ServeFlags): Promise<number> {
  const { world, screen, interrupt } = session;
  const http = flags.http === undefined ? undefined : httpOptions(world.env, flags, flags.http);
  if (http === undefined && (flags.tokenEnv ?? flags.allowHost) !== undefined)
    throw new UsageError("--token-env and --allow-host are for --http");
  const standing = standingAnswer(flags);
  // Servers are told that a person may be asked; each run then asks the client that started it.
  await using opened = await openGate(session, flags, {
    approve: standing,
    elicit: declineAll,
    impatient: true,
  });
  noteProblems(session, opened);
  await using server = createCallgateServer(opened.gate, {
    version: world.version,
    ...(flags.tools !== undefined && { tools: flags.tools }),
    asksClients: standing === undefined,
    onError: ({ message }) => screen.note(warningLine(undefined, visibleLine(message, 400))),
  });
  if (http === undefined) {
    if (world.stdin.isTTY === true)
      screen.note(dim("serving MCP on stdin and stdout, which is for a host to start; Ctrl-C ends"));
    const { closed } = server.stdio({ stdin: world.stdin, stdout: world.stdout });
    await raced(closed, interrupt.signal);
    return EXIT.completed;
  }
  const { url } = await server.http(http);
  screen.note(["listening on ", url, dim("  Ctrl-C ends")]);
  await raced(new Promise<never>(() => {}), interrupt.signal);
  return EXIT.completed;
}

function httpOptions(
  env: Session["world"]["env"],
  { tokenEnv, allowHost }: ServeFlags,
  place: Pick<HttpOptions, "host" | "port">,
): HttpOptions {
  const hosts = allowHost === undefined ? {} : { allowedHosts: allowHost };
  if (tokenEnv === undefined) return { ...place, ...hosts };
  const token = env[tokenEnv];
  if (token === undefined || token === "")
    throw new UsageError(`--token-env: the variable ${visibleLine(tokenEnv, 80)} is not set`);
  return { ...place, ...hosts, token };
}
