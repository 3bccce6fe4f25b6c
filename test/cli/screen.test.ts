// Writing to streams: order, live line, readers that go away.
import { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createProgress } from "../../cli/progress.ts";
import { createScreen, type Screen } from "../../cli/screen.ts";
import { createStartNotice } from "../../cli/starting.ts";
import { red } from "../../cli/text/styled.ts";
import { verifies } from "../requirements.ts";
import { fakeStream } from "./inside.ts";

interface Fake {
  readonly screen: Screen;
  readonly out: () => string;
  readonly err: () => string;
}

function fake(options: {
  readonly tty: boolean;
  readonly columns?: number;
  readonly env?: Record<string, string>;
}): Fake {
  const out = fakeStream(options);
  const err = fakeStream(options);
  const env = { TERM: "xterm", NO_COLOR: "1", ...options.env };
  const screen = createScreen({ stdout: out.stream, stderr: err.stream, env }, { closed: () => {} });
  return { screen, out: out.text, err: err.text };
}

const CLEAR = "\r\u001b[K";

test(verifies("cli:stdout-pure", "results go to stdout, words for people to stderr"), async () => {
  const { screen, out, err } = fake({ tty: false });
  screen.print("result\n");
  screen.note("words");
  screen.show([red("shown"), "\n"]);
  await screen.flush();
  expect([out(), err()]).toEqual(["result\nshown\n", "words\n"]);
});

test(
  verifies("cli:live", "a live line is replaced, and cleared before anything else is written"),
  async () => {
    const { screen, err } = fake({ tty: true });
    screen.live("1 call");
    screen.live("2 calls");
    screen.note("note");
    await screen.flush();
    expect(err()).toBe(`1 call${CLEAR}2 calls${CLEAR}note\n`);
  },
);

test(verifies("cli:live", "without a terminal, or on a dumb one, there is none"), async () => {
  for (const options of [{ tty: false }, { tty: true, env: { TERM: "dumb" } }]) {
    const { screen, err } = fake(options);
    screen.live("1 call");
    await screen.flush();
    expect(err()).toBe("");
  }
});

test(
  verifies("cli:live", "it is never wider than the terminal, and a terminal without a size is taken for 80"),
  async () => {
    const narrow = fake({ tty: true, columns: 20 });
    narrow.screen.live("x".repeat(100));
    const unsized = fake({ tty: true, columns: 0 });
    unsized.screen.live("x".repeat(100));
    expect([narrow.err().length, unsized.err().length]).toEqual([19, 79]);
  },
);

test(verifies("cli:live", "while a question is open it stays away"), () => {
  const { screen, err } = fake({ tty: true });
  screen.live("1 call");
  const release = screen.hold();
  screen.live("2 calls");
  expect(err()).toBe(`1 call${CLEAR}`);
  release();
  screen.live("3 calls");
  expect(err()).toBe(`1 call${CLEAR}3 calls`);
});

test(verifies("cli:live", "progress writes the latest count, and clears it at the end"), async () => {
  const written: (string | undefined)[] = [];
  {
    using progress = createProgress({ live: (text) => void written.push(text) });
    for (let done = 0; done <= 50; done += 1) progress.update({ done, open: 50 - done });
    progress.update({ done: 7, open: 3 });
    await expect.poll(() => written).toEqual(["7 calls done, 3 open"]);
    progress.update({ done: 8, open: 0 });
    await expect.poll(() => written.at(-1)).toBe("8 calls done");
    progress.update({ done: 9, open: 0 });
  }
  expect(written).toEqual(["7 calls done, 3 open", "8 calls done", undefined]);
});

test(verifies("cli:visible", "stdout that is a terminal gets escapes, a pipe the bytes"), async () => {
  for (const tty of [true, false]) {
    const { screen, out } = fake({ tty });
    screen.print("\u001b[2J\n");
    await screen.flush();
    expect(out()).toBe(tty ? "\\u001b[2J\n" : "\u001b[2J\n");
  }
});

test(
  verifies("cli:closed-pipe", "the first failed write is told once, later ones are dropped, flush ends"),
  async () => {
    let writes = 0;
    const broken = new Writable({
      write(_chunk, _encoding, done) {
        writes += 1;
        done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
      },
    });
    let closed = 0;
    const screen = createScreen(
      { stdout: broken, stderr: fakeStream().stream, env: {} },
      { closed: () => (closed += 1) },
    );
    screen.print("a");
    await screen.flush();
    await expect.poll(() => closed).toBe(1);
    screen.print("b");
    await screen.flush();
    expect([closed, writes]).toEqual([1, 1]);
  },
);

test(verifies("cli:stdout-pure", "flush waits for a slow reader"), async () => {
  const seen: string[] = [];
  const slow = new Writable({
    write(chunk: Buffer, _encoding, done) {
      setTimeout(() => {
        seen.push(chunk.toString());
        done();
      }, 30);
    },
  });
  const screen = createScreen({ stdout: slow, stderr: fakeStream().stream, env: {} }, { closed: () => {} });
  screen.print("one");
  screen.print("two");
  await screen.flush();
  expect(seen).toEqual(["one", "two"]);
});

test.each([
  ["a full device", "ENOSPC", "no space is left"],
  ["a broken device", "EIO", "the device reports an error"],
  ["a reader that went away", "EPIPE", undefined],
])(
  verifies("cli:lost-output", "of %s the screen tells what it means for the result"),
  async (_, code, lost) => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });
    let closed = 0;
    const world = { stdout, stderr: fakeStream().stream, env: {} };
    const screen = createScreen(world, { closed: () => (closed += 1) });
    screen.print("result");
    screen.print("more");
    await screen.flush();
    expect([screen.lost, closed]).toEqual([lost, 1]);
  },
);

test(
  verifies("cli:lost-output", "a stdout that leads nowhere loses what is printed, and nothing else"),
  () => {
    const world = { stdout: fakeStream().stream, stderr: fakeStream().stream, env: {} };
    const screen = createScreen(world, { closed: () => {}, unopened: () => true });
    screen.note("words");
    expect(screen.lost).toBeUndefined();
    screen.print("result");
    expect(screen.lost).toBe("it is closed");
  },
);

describe("while servers start", () => {
  const long = async (tty: boolean, servers: readonly string[]): Promise<string> => {
    const { screen, err } = fake({ tty, columns: 300 });
    {
      using _notice = createStartNotice(screen, servers, 5);
      await pause(60);
    }
    await screen.flush();
    return err();
  };

  test(verifies("cli:slow-start", "without a terminal one line names them once it takes long"), async () => {
    expect(await long(false, ["files", "is\u001bsues"])).toBe(
      "waiting for servers to start: files, is\\u001bsues\n",
    );
  });

  test(verifies(["cli:slow-start", "cli:live"], "a terminal sees the same as its live line"), async () => {
    expect(await long(true, ["files"])).toBe(
      `opening 1 server${CLEAR}waiting for servers to start: files${CLEAR}`,
    );
  });

  test(verifies("cli:slow-start", "of very many the first are named, of none nothing is said"), async () => {
    const many = Array.from({ length: 50 }, (_, index) => `s${index}`);
    expect(await long(false, many)).toMatch(/: s0, .*, s7 and 42 more\n$/);
    expect(await long(false, [])).toBe("");
  });

  test(verifies("cli:slow-start", "servers that start soon are not worth a line"), async () => {
    const { screen, err } = fake({ tty: false });
    createStartNotice(screen, ["files"], 5)[Symbol.dispose]();
    await pause(60);
    expect(err()).toBe("");
  });
});
