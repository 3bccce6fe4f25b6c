// Owns the command that the conformance suite starts: it hands its task to clients.ts over a socket and ends as told.
// Plain JavaScript without dependencies: the suite starts all its clients at once, and each must be cheap while it waits.
import { connect } from "node:net";

const [address, url] = process.argv.slice(2);
const {
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
} = process.env;
const socket = connect(address);
socket.write(`${JSON.stringify({ url, scenario, revision, context })}\n`);
let told = "";
socket.setEncoding("utf8").on("data", (chunk) => (told += chunk));
socket.on("error", ({ message }) => (told = JSON.stringify({ code: 1, log: `no client: ${message}` })));
socket.on("close", () => {
  const { code, log } = told === "" ? { code: 1, log: "the client ended without a word" } : JSON.parse(told);
  process.stderr.write(`${log}\n`);
  process.exitCode = code;
});
