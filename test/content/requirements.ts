// Owns the promises about binary content: handles in scripts, data in arguments, content out of a run.
export const requirements: Readonly<Record<string, string>> = {
  "content:handles":
    "images, audio and binary resources in results and in errors reach a script as handles of one shape, whatever their size",
  "content:hostile": "binary content that is wrong, huge or plentiful is bounded, and said so",
  "content:outside": "data that passes from tool to tool does not enter the script's memory",
  "content:unchanged":
    "data passes from tool to tool, to the script and to the caller byte by byte as it was",
  "content:wanted": "a handle is sent as base64 text or as an object, as the schema of the tool wants it",
  "content:judged":
    "policy and schema judge the data that is sent; people and records are shown what it is, not the data",
  "content:ids": "a handle stands for data of its own run only; an id that is made up stands for nothing",
  "content:read":
    "reading a handle is a call like any other: counted, recorded, bounded, in parts if need be",
  "content:room": "a run keeps at most contentBytes, and no more is on its way to tools at one time",
  "content:emit": "what a script emits comes back with its result, in order, within emitBytes and 100",
  "content:faces":
    "a client of the server, a model behind an adapter and a user of the command line get what a script emitted",
  "content:methods":
    "resources and prompts of servers of both eras and transports are calls of a script, binary contents as handles",
  "content:methods-hostile": "lists, contents and messages of any shape are read part by part, within bounds",
  "content:methods-policy":
    "resources and prompts are decided, approved, labelled and recorded as tools are, by the name of the method; nothing of a server can pose as one",
  "content:methods-listed":
    "resources and prompts take one line of a listing, and are found when they are meant",
  "content:replay": "a replay emits the same, without the data that was a server's",
};
