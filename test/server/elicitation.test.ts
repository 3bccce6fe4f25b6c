// Questions and progress of upstream servers, passed on by a served gate to the client that started the run.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProgressReport } from "../../server/progress.ts";
import { verifies } from "../requirements.ts";
import { connect, ERAS, openWorld, script, served, type Question, type World } from "./support.ts";

const fixture = new URL("../fixtures/servers/asking.mjs", import.meta.url).pathname;
const asking = { command: process.execPath, args: [fixture] };

describe.each(ERAS)("an upstream of the %s era", (upstreamEra) => {
  let world: World;
  let url = "";
  beforeAll(async () => {
    world = await openWorld({
      gate: {
        servers: { desk: { ...asking, protocolEra: upstreamEra } },
        policy: { default: "allow", rules: [{ tools: "desk.confirm", effect: "ask" }] },
        elicit: () => Promise.resolve({ action: "decline" }),
      },
    });
    url = await served(world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(ERAS)(
    verifies(
      "elicitation:served",
      "asks the person of a client of the %s era, who is told that the server asks",
    ),
    async (era) => {
      const asked: Question[] = [];
      const client = await connect(url, era, {
        answer: (question) => {
          asked.push(question);
          return { action: "accept", content: { name: "Ann", count: 4 } };
        },
      });
      const { text } = await script(client, "return (await desk.ask({})).told;");
      expect(JSON.parse(text)).toMatchObject({
        action: "accept",
        content: { name: "Ann", count: 4, colour: "g" },
      });
      expect(asked).toHaveLength(1);
      expect(asked[0]?.message).toMatch(
        /^The server desk asks while its tool ask runs, not Callgate;.*\nWho are you\?$/,
      );
      expect(asked[0]?.requestedSchema).toMatchObject({
        properties: {
          colour: {
            oneOf: [
              { const: "r", title: "Red" },
              { const: "g", title: "Green" },
            ],
          },
        },
        required: ["name"],
      });
    },
  );

  test.each(ERAS)(
    verifies(["elicitation:served", "elicitation:turns"], "after an approval, to a client of the %s era"),
    async (era) => {
      const asked: string[] = [];
      const client = await connect(url, era, {
        answer: ({ message }) => {
          asked.push(message.split(" ", 2).join(" "));
          return message.startsWith("May ")
            ? { action: "accept", content: { answer: "allow once" } }
            : { action: "accept", content: {} };
        },
      });
      const { text } = await script(client, "return (await desk.confirm({})).told.action;");
      expect(text).toBe("accept");
      expect(asked).toEqual(["May confirm", "The server"]);
    },
  );

  test.each(ERAS)(
    verifies("elicitation:served", "declined for a client of the %s era that cannot ask"),
    async (era) => {
      const client = await connect(url, era);
      expect((await script(client, "return (await desk.ask({})).told.action;")).text).toBe("decline");
    },
  );

  test.each(ERAS)(
    verifies("elicitation:served", "declined when the person of a client of the %s era does"),
    async (era) => {
      const client = await connect(url, era, { answer: () => ({ action: "decline" }) });
      expect((await script(client, "return (await desk.ask({})).told;")).text).toBe('{"action":"decline"}');
    },
  );

  test(verifies("progress:upstream", "progress of a tool reaches the client of the run"), async () => {
    const client = await connect(url, "modern");
    const told = Promise.withResolvers<void>();
    const messages: string[] = [];
    const running = script(client, "await desk.wait({}); return 1;", {
      onprogress: ({ message = "" }) => {
        messages.push(message);
        if (message.includes("desk.wait")) told.resolve();
      },
    });
    await told.promise;
    const other = await connect(url, "modern");
    await script(other, "await desk.release({});");
    await running;
    expect(messages.find((message) => message.includes("desk.wait"))).toMatch(
      /^0 calls done, 1 open; desk\.wait 1 of 2: wait.ing$/,
    );
  });
});

test(verifies("progress:upstream", "notifications rise strictly, whatever a server reports"), async () => {
  const sent: number[] = [];
  using report = createProgressReport((progress) => sent.push(progress));
  const upstream = { seq: 1, server: "s", tool: "t", progress: 0 };
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));
  report.update({ done: 0, open: 1 });
  for (const progress of [5, 1, 9]) {
    await wait();
    report.update({ done: 0, open: 1, upstream: { ...upstream, progress } });
  }
  await wait();
  report.update({ done: 1, open: 0 });
  expect(sent).toHaveLength(5);
  expect(sent).toEqual([...new Set(sent)].toSorted((a, b) => a - b));
  expect(sent.at(-1)).toBe(1);
});
