// Promises of Callgate as an MCP server.
export const requirements: Readonly<Record<string, string>> = {
  "server:definitions":
    "tools/list has the same bytes whatever the order of the servers, in every process and era",
  "server:choice": "the tools are those asked for, and a name that is none is refused",
  "server:result": "run_script gives its output as text and status, output, error, calls and usage as data",
  "server:repair": "a wrong script comes back with what is wrong in it, and the repaired one runs",
  "server:denial": "a client that cannot ask its user is told the exact rule that would allow the call",
  "server:ask":
    "a call that needs approval is put to the client that started the run, with server, tool, arguments, reason and line",
  "server:ask-set":
    "calls that ask together are one question that lists each; what it does not show is asked about again",
  "server:ask-closed": "nothing but an accepted form that says so allows a call",
  "server:rounds":
    "a continuation never begins a run, a forged or foreign state reaches none, and an answer counts once for its own question",
  "server:abandoned": "a run whose client never comes back from a question is ended",
  "server:cancel": "cancelling a request ends its run and the calls of it, and no other",
  "server:progress": "every call is reported as progress that only rises, and never after the result",
  "server:principals":
    "each client has a principal of its own; a named token is a principal for all who hold it",
  "server:isolated": "no client sees questions, sessions or results of another",
  "server:sessions": "sessions are bounded: the one idle longest makes room, one at work never does",
  "server:stdout": "stdout carries the protocol and nothing else",
  "server:pipe": "a closed pipe ends the process, its runs and every child",
  "server:guard": "other host names, other origins and wrong tokens are refused before anything is read",
  "server:exposed": "an address that others can reach is not listened on without a token",
  "server:body": "a request that is too large is refused",
  "server:close": "closing ends every run, then every connection, and frees the port",
  "server:call-tool": "call_tool takes the path of every other call, whatever its arguments hold",
  "server:snippets": "every configuration in docs/serve.md can be read, and starts a command that exists",
  "server:command": "callgate serve tells bad options and how to be reached on stderr",
  "server:inspector": "the official Inspector lists the tools and runs scripts, on stdio and over HTTP",
};
