// Approval by the client that started the run, in both eras.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import {
  connect,
  ERAS,
  openWorld,
  script,
  served,
  type Answer,
  type Question,
  type World,
} from "./support.ts";

let world: World;
let url: string;
beforeAll(async () => {
  world = await openWorld();
  url = await served(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const accept =
  (content: Record<string, string>): Answer =>
  () => ({ action: "accept", content });
const TWO = 'await notes.add({ text: "a" });\nawait notes.add({ text: "b" });\nreturn "both";';

test(verifies("server:ask-closed", "a run that no client started is not put to any"), async () => {
  const result = await world.gate.run('return notes.add({ text: "x" });');
  expect(result.error?.code).toBe("CALL_DENIED");
});

describe.each(ERAS)("in the %s era", (era) => {
  async function asking(text: string, answer: Answer) {
    const questions: Question[] = [];
    const before = world.notes.added.length;
    const client = await connect(url, era, {
      answer: (question) => {
        questions.push(question);
        return answer(question);
      },
    });
    const told = await script(client, text);
    return { ...told, questions, added: world.notes.added.slice(before) };
  }

  test(verifies("server:ask", "the question shows server, tool, arguments, reason and line"), async () => {
    const { questions, text } = await asking(
      '\nreturn notes.add({ text: "hi\\u202e" });',
      accept({ answer: "allow once" }),
    );
    expect(text).toMatch(/^note \d+$/);
    expect(questions).toHaveLength(1);
    const { message } = questions[0] as Question;
    for (const part of ["notes", "add", '"text": "hi\\u202E"', "rule", "line 2"])
      expect(message).toContain(part);
    expect(message).not.toContain("\u202e");
  });

  test(verifies("server:ask", "allowed once, the next call is asked about again"), async () => {
    const { questions, added, text } = await asking(TWO, accept({ answer: "allow once" }));
    expect(text).toBe("both");
    expect(questions).toHaveLength(2);
    expect(added).toEqual(["a", "b"]);
  });

  test(verifies("server:ask", "allowed for the run, the next call is not asked about"), async () => {
    const { questions, added } = await asking(TWO, accept({ answer: "allow for this run" }));
    expect(questions).toHaveLength(1);
    expect(added).toEqual(["a", "b"]);
  });

  test(verifies("server:ask", "a denial reaches the model with its reason"), async () => {
    const { added, text, isError } = await asking(TWO, accept({ answer: "deny", reason: "not on a Sunday" }));
    expect(isError).toBe(true);
    expect(text).toContain("not on a Sunday");
    expect(added).toEqual([]);
  });

  const ALL = `const all = await Promise.allSettled(["a", "b", "c"].map((text) => notes.add({ text })));
return all.map(({ status }) => status).join();`;

  test(verifies("server:ask-set", "calls of one Promise.all are one question"), async () => {
    const { questions, added, text } = await asking(ALL, accept({ answer: "allow these calls once" }));
    expect(text).toBe("fulfilled,fulfilled,fulfilled");
    expect(questions).toHaveLength(1);
    for (const name of ["a", "b", "c"]) expect(questions[0]?.message).toContain(`{"text":"${name}"}`);
    expect(added.toSorted()).toEqual(["a", "b", "c"]);
  });

  test(verifies("server:ask-set", "a no to a set is one no"), async () => {
    const { questions, added, text } = await asking(ALL, () => ({ action: "decline" }));
    expect(text).toBe("rejected,rejected,rejected");
    expect(questions).toHaveLength(1);
    expect(added).toEqual([]);
  });

  test(
    verifies("server:ask-set", "the first alone may be allowed; the others are asked about again"),
    async () => {
      let asked = 0;
      const { questions, added } = await asking(ALL, () => {
        asked += 1;
        const answer = asked === 1 ? "allow the first call once, ask about the others" : "deny all";
        return { action: "accept", content: { answer } };
      });
      expect(questions).toHaveLength(2);
      expect(added).toEqual(["a"]);
    },
  );

  test.each([
    ["declined", { action: "decline" as const }, "declined"],
    ["cancelled", { action: "cancel" as const }, "dismissed"],
    ["an answer that is none", { action: "accept" as const, content: { answer: "yes, everything" } }, ""],
    ["an empty form", { action: "accept" as const, content: {} }, ""],
  ])(verifies("server:ask-closed", "%s: the call is not made"), async (_name, answer, words) => {
    const { added, text, isError } = await asking(TWO, () => answer);
    expect(isError).toBe(true);
    expect(text).toContain("CALL_APPROVAL_REJECTED");
    expect(text).toContain(words);
    expect(added).toEqual([]);
  });

  test(
    verifies("server:isolated", "two clients at once are each asked about their own calls only"),
    async () => {
      const seen: Record<string, string[]> = { one: [], two: [] };
      const before = world.notes.added.length;
      const answered = async (name: "one" | "two", answer: string) => {
        const client = await connect(url, era, {
          answer: ({ message }) => {
            seen[name]?.push(message);
            return { action: "accept", content: { answer } };
          },
        });
        const text = `for (let i = 0; i < 4; i++) await notes.add({ text: "${name}" }).catch(() => {});\nreturn "${name}";`;
        return script(client, text);
      };
      const told = await Promise.all([answered("one", "allow once"), answered("two", "deny")]);
      expect(told.map(({ text }) => text)).toEqual(["one", "two"]);
      expect(seen["one"]).toHaveLength(4);
      expect(seen["two"]).toHaveLength(4);
      for (const [name, messages] of Object.entries(seen))
        for (const message of messages) expect(message).toContain(`"text": "${name}"`);
      expect(world.notes.added.slice(before)).toEqual(["one", "one", "one", "one"]);
    },
  );

  test(verifies("server:cancel", "a run that is cancelled at a question makes no call"), async () => {
    const before = world.notes.added.length;
    const cancelled = new AbortController();
    const client = await connect(url, era, {
      answer: async () => {
        cancelled.abort();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { action: "accept", content: { answer: "allow once" } };
      },
    });
    await expect(script(client, TWO, { signal: cancelled.signal })).rejects.toThrow();
    expect(world.notes.added).toHaveLength(before);
  });
});
