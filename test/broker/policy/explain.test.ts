import { expect, test } from "vitest";
import { explain, howToAllow } from "../../../broker/policy/decide.ts";
import { verifies } from "../../requirements.ts";
import { facts, policyOf, tool } from "./support.ts";

const policy = policyOf(
  {
    servers: { files: { results: ["private"] } },
    rules: [
      { id: "project", tools: "files.*", effect: "allow", when: { path: { under: "/srv/app" } } },
      { id: "secrets", tools: "files.*", effect: "deny", when: { path: { glob: "*secret*" } } },
      { id: "others", tools: "web.*", effect: "deny" },
    ],
  },
  { rules: [{ id: "careful", tools: "*", effect: "ask" }] },
);

test(
  verifies(
    "policy:explain",
    "an explanation lists what held, what nearly did and what won, with the layer of each",
  ),
  () => {
    const explanation = explain(
      policy,
      facts(tool("files", "read"), { path: "/srv/app/x" }, { labels: ["private"] }),
    );
    expect(explanation.decision).toMatchObject({ effect: "ask", rules: ["careful"] });
    const rows = explanation.findings.map(({ kind, id, source, holds, won }) => [
      kind,
      id,
      source,
      holds,
      won,
    ]);
    expect(rows).toEqual([
      ["rule", "project", "layer 1", true, false],
      ["rule", "secrets", "layer 1", false, false],
      ["default", "default:unannotated", "layer 1", false, false],
      ["rule", "careful", "layer 2", true, true],
      ["flow", "trifecta", "layer 1", false, false],
    ]);
  },
);

test(verifies("policy:explain", "each demand and label is accounted for in words"), () => {
  const { findings } = explain(
    policy,
    facts(tool("files", "read"), { path: ["x"] }, { labels: ["private"] }),
  );
  const because = (id: string): readonly string[] => findings.find((finding) => finding.id === id)!.because;
  expect(because("project")).toEqual(['path {"under":"/srv/app"}: cannot be told, which is no match']);
  expect(because("secrets")).toEqual(['path {"glob":"*secret*"}: cannot be told, which counts as a match']);
  expect(because("trifecta")).toEqual(["private: in this run", "untrusted: not in this run"]);
});

test(verifies("policy:explain", "the decision of an explanation is the decision"), () => {
  const denied = explain(policy, facts(tool("web", "post")));
  expect(denied.decision).toMatchObject({ effect: "deny", rules: ["others"] });
  expect(denied).toMatchObject({ external: true, classes: ["unannotated"] });
});

test(verifies("policy:explain", "how to allow a call names what stands in its way"), () => {
  const advice = (name: string, labels: readonly string[] = [], of = policy): string => {
    const [server, toolName] = name.split(".") as [string, string];
    return howToAllow(of, facts(tool(server, toolName), {}, { labels }));
  };
  expect(advice("web.post")).toBe('Rule "others" of layer 1 denies it, and no allow rule goes before that.');
  const open = policyOf({ rules: [{ tools: "a.*", effect: "allow" }] });
  expect(advice("a.b", [], open)).toBe("");
  expect(advice("b.c", [], open)).toBe('A rule that would allow it: { "tools": "b.c", "effect": "allow" }');
  expect(advice("a.b", ["private", "untrusted"], open)).toContain('Flow "trifecta" asks for it');
  expect(advice("b.c", [], policyOf({}, { default: "ask" }))).toContain(
    "(and in layer 2, whose default asks for it too)",
  );
});
