import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeGlob, matchGlob, parseGlob } from "../../../broker/policy/glob.ts";
import { matchTool, parseToolPattern, type ToolPattern } from "../../../broker/policy/tool-pattern.ts";
import { ruleThatWouldAllow } from "../../../broker/policy/decide.ts";
import { parsePolicy } from "../../../broker/policy/parse.ts";
import { decide } from "../../../broker/policy/decide.ts";
import { verifies } from "../../requirements.ts";
import { facts, propertyRuns, propertyTimeout, tool } from "./support.ts";

function matches(source: string, server: string, name: string, exact: boolean): boolean {
  return matchTool(parseToolPattern(source) as ToolPattern, server, name, exact);
}

test.each([
  ["github.*", "github", "list", true, true],
  ["github.*", "github", "a.b.c", true, true],
  ["github.*", "github.enterprise", "list", false, false],
  ["github.*", "githubx", "list", false, false],
  ["*", "any.thing", "at.all", true, true],
  ["*.delete_*", "a.b", "delete_x", true, true],
  ["*.delete_*", "a", "undelete_x", false, false],
  ["git?ub.list", "github", "list", true, true],
  ["github.List", "github", "list", false, false],
  ["a\\.b.c", "a.b", "c", true, true],
  ["a\\.b.c", "a", "b.c", false, true],
  ["a.b.c", "a", "b.c", true, true],
  ["a.b.c", "a.b", "c", false, true],
  ["a.\\*", "a", "*", true, true],
  ["a.\\*", "a", "x", false, false],
  ["a.[x]+", "a", "[x]+", true, true],
])(
  verifies("policy:patterns", "%j and the pair (%j, %j): permits %s, forbids %s"),
  (source, server, name, permits, forbids) => {
    expect(matches(source, server, name, true)).toBe(permits);
    expect(matches(source, server, name, false)).toBe(forbids);
  },
);

test(
  verifies("policy:patterns", "a glob agrees with its regular expression"),
  () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "ab", "**", "\\*", "é", "\n");
    const text = fc
      .array(fc.constantFrom("a", "b", "*", "é", "\n", "😀"), { maxLength: 10 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), text, (pieces, subject) => {
        const source = pieces.join("");
        const expression = pieces
          .map((each) => (/^\*+$/.test(each) ? ".*" : each === "?" ? "." : each === "\\*" ? "\\*" : each))
          .join("");
        expect(matchGlob(parseGlob(source), subject)).toBe(
          new RegExp(`^(?:${expression})$`, "su").test(subject),
        );
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:patterns", "an escaped text is a glob for itself alone"),
  () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, other) => {
        const glob = parseGlob(escapeGlob(text));
        expect(matchGlob(glob, text)).toBe(true);
        expect(matchGlob(glob, other)).toBe(other === text);
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:patterns", "the rule that would allow a call allows that tool and no other"),
  () => {
    const name = fc.oneof(
      fc.constantFrom("a", "a.b", "*", "?", "\\", "a\\.b", "x*y", ".", "..", "\u202e"),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(name, name, name, name, (server, toolName, otherServer, otherTool) => {
        const wanted = tool(server, toolName);
        const text = ruleThatWouldAllow(facts(wanted));
        expect(text).toMatch(/^[\x20-\x7e]+$/);
        const policy = parsePolicy([{ source: "x", value: { default: "deny", rules: [JSON.parse(text)] } }]);
        expect(decide(policy, facts(wanted)).effect).toBe("allow");
        const same = server === otherServer && toolName === otherTool;
        expect(decide(policy, facts(tool(otherServer, otherTool))).effect).toBe(same ? "allow" : "deny");
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);
