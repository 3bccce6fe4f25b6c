// Promises about trust in configurations.
export const requirements: Readonly<Record<string, string>> = {
  "trust:first":
    "a configuration that was found starts nothing before a person has agreed; without a terminal it is CONFIG_UNTRUSTED",
  "trust:shown":
    "a person is shown what would start and where data goes, bounded and made visible, and names of variables only",
  "trust:remembered": "what was agreed to is not asked again, in whatever way the folder is reached",
  "trust:changed":
    "whatever decides what starts or where data goes asks again when it changes; nothing else does",
  "trust:named":
    "without a terminal a file that --config names is agreed to once, and told; a change of it is refused",
  "trust:vouched": "--trust-config and CALLGATE_TRUST agree for one command, and are not remembered",
  "trust:command": "callgate trust config shows, agrees, and takes back; it starts nothing",
  "trust:store":
    "the file is its owner's, replaced as a whole, bounded; two at once lose nothing; what is unreadable trusts nothing",
  "trust:unwritable": "trust that cannot be remembered holds for the command, and that is told",
  "trust:doctor": "doctor tells whether a configuration is trusted, and starts nothing that is not",
};
