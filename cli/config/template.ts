// Owns the callgate.json that `callgate init` writes: at most 25 lines, so that a person reads all of it.

/** Works as it is: no servers, so no tools; everything else is there to be uncommented. */
export const CONFIG_TEMPLATE = `{
  // MCP servers, in the shape every MCP host uses. \${VAR} is looked up in the environment: keep secrets there, not here.
  "mcpServers": {
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },
    // "issues": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${ISSUES_TOKEN}" } }
  },

  // What scripts may call. Every call is judged; the strictest of all that holds wins: deny, then ask, then allow.
  "policy": {
    // Whose description of its own tools you believe, and what its results are: private data, text by untrusted authors.
    "servers": {
      // "files": { "trust": "annotations", "results": ["private"] },
      // "issues": { "results": ["untrusted"] }
    },
    // For calls that no rule names. "read" is for tools that a trusted server calls read-only; nobody to ask means no.
    "defaults": { "read": "allow", "additive": "ask", "destructive": "ask", "unannotated": "ask" },
    // Always on, as the flow "trifecta": once private and untrusted data were read, a call that reaches outside is asked about.
    "rules": [
      // { "tools": "files.write_file", "effect": "allow", "when": { "path": { "under": "/tmp/notes" } } },
      // { "id": "no-moves", "tools": "files.move_*", "effect": "deny", "reason": "copy instead" }
    ]
  }
}
`;
