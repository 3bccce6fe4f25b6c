// `callgate run --dry-run`.
import { expect, test } from "vitest";
import { planOf } from "../../cli/plan.ts";
import { render } from "../../cli/text/styled.ts";
import type { CallReceipt } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { callgate, workspace } from "./support.ts";

test(verifies("dry-run:command", "it lists what would be done, does none of it, and ends well"), async () => {
  const { path, log } = workspace();
  const script =
    "for (const title of ['a', 'b']) await items.write_item({ title }); return await items.fail({ message: 'x' })";
  const ended = await callgate(["run", "--dry-run", "-e", script], { cwd: path });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain("dry run: 3 calls would be made");
  expect(ended.stderr).toMatch(/#1 items\.write_item \{"title":"a"\} {2}\(asks first: /);
  expect(ended.stderr).toMatch(/placeholders for their results/);
  expect(ended.stderr).toContain("0 errors");
  expect(log().filter((line) => line.startsWith("write"))).toEqual([]);
});

test(verifies("dry-run:command", "with --json the plan is in the result alone"), async () => {
  const { path } = workspace();
  const ended = await callgate(
    ["run", "--dry-run", "--json", "-e", "await items.write_item({ title: 'a' })"],
    {
      cwd: path,
    },
  );
  expect(JSON.parse(ended.stdout)).toMatchObject({
    calls: [{ status: "planned", planned: { arguments: { title: "a" } } }],
  });
  expect(ended.stderr).not.toContain("dry run:");
});

test(verifies("dry-run:command", "it does not go with --yes"), async () => {
  const { path } = workspace();
  expect((await callgate(["run", "--dry-run", "--yes", "-e", "1"], { cwd: path })).code).toBe(2);
});

const call: CallReceipt = {
  seq: 1,
  server: "s",
  tool: "t",
  status: "planned",
  durationMs: 0,
  argumentBytes: 2,
  resultBytes: 0,
  safeToRepeat: true,
  planned: { effect: "ask", reason: "evil\u001b[2J", arguments: { evil: "a\u202eb\n#2 s.t" } },
};

test(verifies("dry-run:command", "a plan holds nothing that controls a terminal, and is bounded"), () => {
  const text = planOf([call])
    .map((line) => render(line, false))
    .join("\n");
  expect(/[\p{Cc}\p{Cf}]/u.test(text.replaceAll("\n", ""))).toBe(false);
  expect(text.split("\n")).toHaveLength(3);
  const many = planOf(Array.from({ length: 5_000 }, (_, index) => ({ ...call, seq: index + 1 })));
  expect(many).toHaveLength(1_003);
  expect(planOf([]).map((line) => render(line, false))).toEqual(["dry run: nothing but reads would be done"]);
});
