// Promises about tokens for HTTP servers, and about how those servers are reached.
export const requirements: Readonly<Record<string, string>> = {
  "auth:login":
    "a person signs in with a browser: PKCE, state, issuer and resource are checked, tokens are kept",
  "auth:refresh":
    "a token that has expired is refreshed once, by one process, and the refused request sent again",
  "auth:ended":
    "a sign-in that has ended says so and what to do; an outage of the authorization server ends none",
  "auth:scopes": "scopes that are missing are named, with the command that asks for them",
  "auth:client-credentials": "a program signs in by itself with a secret or a key",
  "auth:issuer": "what belongs to one authorization server or resource is never used with another",
  "auth:secret":
    "no token, code or secret reaches a script, an output, an error, an audit log or another server",
  "auth:command": "callgate login and logout sign in and out; doctor says how it stands",
  "auth:store": "sign-ins are kept outside of the project, readable by their owner alone, or not at all",
  "access:addresses":
    "no server is reached at a private address, however written or resolved, unless the configuration named it",
  "access:redirects": "a redirect to another origin is not followed, and the message says where it leads",
  "access:proxies": "proxies of the environment that is passed in are used, but for loopback",
  "access:untimed": "no limit of the connection ends a call before its own does, with a proxy or without",
};
