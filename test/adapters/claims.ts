// What every adapter must show, given a way to drive its framework with a scripted model.
import { expect } from "vitest";
import type { AdapterOptions } from "../../adapters/meta-tools.ts";
import type { ApprovalRequest, Gate } from "../../index.ts";
import {
  comes,
  openBell,
  openMeeting,
  openShop,
  RIGHT_SCRIPT,
  runs,
  says,
  TALE,
  type Turn,
} from "./support.ts";

/** What the model was told about one call; `isError` is undefined where the protocol has no such flag. */
export interface Heard {
  readonly isError: boolean | undefined;
  readonly text: string;
  /** Base64 of each image. */
  readonly images?: readonly string[];
}

export interface Conversation {
  /** The model's last words. */
  readonly text: string;
  readonly heard: readonly Heard[];
  /** Names of the tools in the first request. */
  readonly offered: readonly string[];
}

export interface DriveOptions extends AdapterOptions {
  /** Goes to the framework, where it has a place for one. */
  readonly signal?: AbortSignal;
}

/** Runs the framework's loop to its end. */
export type Drive = (gate: Gate, turns: readonly Turn[], options?: DriveOptions) => Promise<Conversation>;

const flags = ({ heard }: Conversation): readonly boolean[] => heard.map(({ isError }) => isError ?? false);

/** `flagged`: whether the protocol tells a failed call from one that went well. */
export async function expectRepair(drive: Drive, flagged: boolean): Promise<void> {
  await using shop = await openShop();
  const talk = await drive(shop.gate, TALE);
  const [found, wrong, right] = talk.heard.map(({ text }) => text);
  expect(talk.offered).toEqual(["search_tools", "get_tool_details", "run_script"]);
  expect(found).toContain("shop.sell");
  expect(wrong).toContain("SCRIPT_TYPE: the script was not run.");
  expect(wrong).toContain("has unknown `itm` (did you mean `item`?)");
  expect(right).toMatch(/^sold 1\b/);
  expect(flags(talk)).toEqual([false, flagged, false]);
  expect([talk.text, shop.sold]).toEqual(["Sold one tea.", ["tea"]]);
}

/** Whether the conversation ends or fails then is the framework's affair. */
export async function expectAbort(drive: Drive): Promise<void> {
  await using bell = await openBell();
  const stop = new AbortController();
  const talk = drive(bell.gate, [[runs("await bell.wait({});")], "Never said."], { signal: stop.signal });
  const ended = talk.catch(() => {});
  await bell.rung;
  stop.abort();
  await bell.silenced;
  await ended;
}

/** A grant of one principal is good for its later conversations and for nobody else's. */
export async function expectApproval(drive: Drive): Promise<void> {
  await using shop = await openShop({ policy: { default: "ask" } });
  const asked: ApprovalRequest[] = [];
  const sell: readonly Turn[] = [[runs(RIGHT_SCRIPT)], "Done."];
  const until = Date.now() + 3_600_000;
  const ana = {
    principal: "ana",
    approve: async (request: ApprovalRequest) => {
      asked.push(request);
      return { decision: "allow", scope: "until", until } as const;
    },
  };
  const ben = {
    principal: "ben",
    approve: async () => ({ decision: "deny", reason: "not on a Sunday" }) as const,
  };
  await drive(shop.gate, sell, ana);
  await drive(shop.gate, sell, ana);
  const refused = await drive(shop.gate, sell, ben);
  expect(asked).toMatchObject([{ server: "shop", tool: "sell", arguments: { item: "tea" }, line: 1 }]);
  expect(refused.heard[0]?.text).toMatch(/CALL_APPROVAL_REJECTED[^]*not on a Sunday/);
  expect(shop.sold).toEqual(["tea", "tea"]);
}

/** Each of the three must be told what to do better; `said` is what the framework or the adapter says. */
export async function expectMalformed(drive: Drive, said: readonly [RegExp, RegExp, RegExp]): Promise<void> {
  await using shop = await openShop();
  const talk = await drive(shop.gate, [
    [says("sell_everything", {})],
    [says("run_script", '{"script": ')],
    [says("run_script", { code: "return 1" })],
    [runs("return 1")],
    "Done.",
  ]);
  expect(talk.heard).toHaveLength(4);
  said.forEach((pattern, index) => expect(talk.heard[index]?.text).toMatch(pattern));
  expect([talk.heard[3]?.text, talk.text]).toEqual([expect.stringMatching(/^1\b/), "Done."]);
}

export async function expectParallel(drive: Drive): Promise<void> {
  await using meeting = await openMeeting(2);
  const { heard } = await drive(meeting.gate, [[comes("Ana"), comes("Ben")], "Met."]);
  expect(heard.map(({ text }) => text.split("\n")[0])).toEqual(["Ana", "Ben"]);
}

export async function expectChoice(drive: Drive): Promise<void> {
  await using shop = await openShop();
  const { offered } = await drive(shop.gate, ["Nothing to do."], { tools: ["run_script"] });
  expect(offered).toEqual(["run_script"]);
  const wrong = drive(shop.gate, ["Nothing to do."], { tools: ["sell" as "run_script"] });
  await expect(wrong).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("sell"),
  });
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const EMITS = `emit({ type: "image", data: "${PNG}", mimeType: "image/png" });
emit({ type: "image", data: "AAAA", mimeType: "text/html" });
return "seen";`;

export async function expectImages(drive: Drive): Promise<void> {
  await using shop = await openShop();
  const { heard } = await drive(shop.gate, [[runs(EMITS)], "I see."]);
  expect(heard[0]?.text).toMatch(/^seen\b[^]*text\/html/);
  expect(heard.map(({ images }) => images)).toEqual([[PNG]]);
}
