// Promises about the import of other hosts' servers.
export const requirements: Readonly<Record<string, string>> = {
  "import:found":
    "servers of Claude Desktop, Claude Code, Cursor, VS Code and Windsurf are found where each system keeps them",
  "import:hostile":
    "a file that is broken, huge, deep, a pipe or a loop of links is named, and the others are read",
  "import:shown":
    "what would start is shown with its origin, made visible, with names of variables only; nothing is started",
  "import:asked": "a person is asked for all or each; without one, --yes is needed; --dry-run writes nothing",
  "import:merged":
    "equal servers become one, another of the same name gets a name of its own, what is there already stays",
  "import:unusable": "a server that cannot be used here is left out, with the reason",
  "import:secrets": "secrets become variables, which are named; --with-secrets copies them",
  "import:written":
    "comments, formatting, mode and links of the file stay; it is replaced as a whole, and never when it changed meanwhile",
  "import:trusted":
    "what was agreed to is not asked again, unless the file held servers that nobody had agreed to",
};
