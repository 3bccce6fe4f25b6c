// The folder of kept tool lists: what is believed of it, who shares it, how large it gets.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCatalogFiles } from "../../broker/upstream/catalog-files.ts";
import type { CatalogEntry } from "../../broker/upstream/catalog-store.ts";
import { verifies } from "../requirements.ts";
import { calls, openCached, scratch, stated, tool, warm, type Stated } from "./catalog-support.ts";

const posix = process.platform !== "win32";

/** A folder with the list of one server in it, and the path of that list. */
async function kept(): Promise<{ folder: string; file: string; s: Stated }> {
  const [folder, s] = [join(scratch(), "lists"), stated()];
  await warm(folder, { s });
  const [name] = readdirSync(folder);
  return { folder, file: join(folder, name as string), s };
}

const edited = (file: string, edit: (entry: Record<string, unknown>) => unknown): void =>
  writeFileSync(
    file,
    JSON.stringify(edit(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>)),
  );

const spoilt: readonly (readonly [what: string, spoil: (file: string) => void])[] = [
  ["no JSON", (file) => writeFileSync(file, "{ half")],
  ["empty", (file) => writeFileSync(file, "")],
  ["of another version", (file) => edited(file, (entry) => ({ ...entry, callgateCatalog: 2 }))],
  ["of another server", (file) => edited(file, (entry) => ({ ...entry, key: "0".repeat(64) }))],
  ["with a key of its own", (file) => edited(file, (entry) => ({ ...entry, constructor: 1 }))],
  ["without tools", (file) => edited(file, (entry) => ({ ...entry, tools: 1 }))],
  ["too large", (file) => edited(file, (entry) => ({ ...entry, notes: ["x".repeat(9 << 20)] }))],
  ["a folder", (file) => (rmSync(file), mkdirSync(file))],
  ["a link", (file) => (renameSync(file, `${file}.real`), symlinkSync(`${file}.real`, file))],
  ["writable by others", (file) => chmodSync(file, 0o666)],
];

test.each(spoilt)(verifies("lazy:hostile-files", "a list that is %s counts as none"), async (what, spoil) => {
  if (!posix && ["a link", "writable by others"].includes(what)) return;
  const { folder, file, s } = await kept();
  spoil(file);
  s.become({ tools: [tool("fresh")] });
  {
    await using gate = await openCached(folder, { s });
    expect(calls(gate)).toEqual(["s.fresh"]);
  }
  if (what === "a folder") return;
  s.asked();
  await using again = await openCached(folder, { s });
  expect(calls(again)).toEqual(["s.fresh"]);
  expect(s.asked()).toEqual([]);
});

test(
  verifies(
    ["lazy:hostile-files", "upstream:list-faulty"],
    "kept tools are judged as if the server sent them",
  ),
  async () => {
    const { folder, file, s } = await kept();
    edited(file, (entry) => ({
      ...entry,
      tools: [
        { name: "\u001b[31mred", inputSchema: { type: "object" } },
        { name: "liar", inputSchema: { type: "object" }, annotations: { readOnlyHint: "yes" } },
        { name: "none", inputSchema: 7 },
      ],
      notes: ["said before"],
    }));
    await using gate = await openCached(folder, { s }, { policy: {} });
    expect(calls(gate)).toEqual(["s.liar"]);
    const { decision } = await gate.policy.explain("s.liar", {});
    expect(decision.effect).toBe("ask");
    expect(gate.servers()[0]?.notes).toEqual([
      expect.stringContaining("was dropped: its name is not printable text"),
      expect.stringContaining('tool "liar": annotations.readOnlyHint'),
      expect.stringContaining('tool "none" was dropped'),
      "said before",
    ]);
    expect(s.asked()).toEqual([]);
  },
);

test(
  verifies("lazy:hostile-files", "a folder that others can write to, or that is a link, is not used"),
  async () => {
    if (!posix) return;
    const { folder, s } = await kept();
    chmodSync(folder, 0o777);
    s.become({ tools: [tool("fresh")] });
    {
      await using gate = await openCached(folder, { s });
      expect(calls(gate)).toEqual(["s.fresh"]);
      await expect.poll(() => gate.notes.join("\n")).toContain("tool lists cannot be kept");
    }
    chmodSync(folder, 0o700);
    symlinkSync(folder, `${folder}-link`);
    await using gate = await openCached(`${folder}-link`, { s });
    expect(calls(gate)).toEqual(["s.fresh"]);
  },
);

test(verifies("lazy:hostile-files", "folder and lists are for this user alone"), async () => {
  if (!posix) return;
  const { folder, file } = await kept();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test(
  verifies("lazy:shared", "gates that open at once on one folder all know the tools, and leave whole lists"),
  async () => {
    const [folder, s] = [join(scratch(), "lists"), stated()];
    const gates = await Promise.all(Array.from({ length: 4 }, () => openCached(folder, { s })));
    for (const gate of gates) {
      expect(calls(gate)).toEqual(["s.echo"]);
      await gate[Symbol.asyncDispose]();
    }
    expect(readdirSync(folder)).toHaveLength(1);
    s.asked();
    await using gate = await openCached(folder, { s });
    expect(calls(gate)).toEqual(["s.echo"]);
    expect(s.asked()).toEqual([]);
  },
);

const entry: CatalogEntry = {
  tools: [{ name: "t", description: "x".repeat(1_000), inputSchema: { type: "object" } }],
  notes: [],
  era: "legacy",
  listedAt: 1,
  ttlMs: null,
  changed: false,
};
const key = (digit: string): string => digit.repeat(64);

test(
  verifies("lazy:bounded", "the lists kept longest ago make room, and other files are left alone"),
  async () => {
    const folder = join(scratch(), "lists");
    const store = createCatalogFiles(folder, { folderBytes: 3_000 });
    await store.save(key("a"), entry);
    writeFileSync(join(folder, "mine.txt"), "x".repeat(10_000));
    writeFileSync(join(folder, `${key("f")}.json.0123abcd.tmp`), "half");
    const long = new Date(Date.now() - 86_400_000);
    utimesSync(join(folder, `${key("a")}.json`), long, long);
    utimesSync(join(folder, `${key("f")}.json.0123abcd.tmp`), long, long);
    await store.save(key("b"), entry);
    await store.save(key("c"), entry);
    expect(await store.load(key("a"))).toBeUndefined();
    expect((await store.load(key("b")))?.tools).toEqual(entry.tools);
    expect((await store.load(key("c")))?.tools).toEqual(entry.tools);
    expect(readdirSync(folder).toSorted()).toEqual([`${key("b")}.json`, `${key("c")}.json`, "mine.txt"]);
  },
);

test(
  verifies("lazy:bounded", "a list too large to keep replaces none, and the old one is not used for it"),
  async () => {
    const folder = join(scratch(), "lists");
    const store = createCatalogFiles(folder);
    await store.save(key("a"), entry);
    await store.save(key("a"), {
      ...entry,
      tools: [{ name: "t", description: "x".repeat(9 << 20), inputSchema: {} }],
    });
    expect(existsSync(join(folder, `${key("a")}.json`))).toBe(false);
    expect(store.notes()).toEqual([]);
  },
);

test(verifies("lazy:hostile-files", "a folder that cannot be made is a note, not an error"), async () => {
  const [file, s] = [join(scratch(), "file"), stated()];
  writeFileSync(file, "");
  await using gate = await openCached(join(file, "lists"), { s });
  expect(calls(gate)).toEqual(["s.echo"]);
  await expect
    .poll(() => gate.notes.join("\n"))
    .toMatch(/tool lists cannot be kept in .*: (?:ENOTDIR|EEXIST|ENOENT)/);
});
