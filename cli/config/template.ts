// Owns the callgate.json that `callgate init` writes.

/** Works as it is: no servers, so no tools; everything else is there to be uncommented. */
export const CONFIG_TEMPLATE = `{
  // MCP servers, in the shape every MCP host uses. They start in this folder.
  // \${VAR} is looked up in the environment: keep secrets there, not here.
  "mcpServers": {
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },
    // "issues": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${ISSUES_TOKEN}" } }
  },

  // Who may call what. The strictest rule that matches wins: deny, then ask, then allow.
  "policy": {
    // When no rule matches: ask at the terminal; where nobody can be asked, deny.
    "default": "ask",
    "rules": [
      // { "id": "read-files", "tools": ["files.read_*", "files.list_*"], "effect": "allow" },
      // { "id": "no-delete", "tools": "*.delete_*", "effect": "deny", "reason": "archive instead" }
    ]
  },

  // Bounds of one run. All have defaults: callgate run --help lists them.
  "limits": {
    "wallMs": "60s",
    "calls": 1000
  }
}
`;
