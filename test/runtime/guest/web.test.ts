import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

/** `code` is the body of a function of `input`; its answers for each input, an error as its name. */
const each = async (inputs: readonly unknown[], code: string): Promise<unknown[]> =>
  (await guests.value(
    `const f = (input) => { ${code} };
     return JSON.parse(${JSON.stringify(JSON.stringify(inputs))}).map((input) => { try { return f(input); } catch (e) { return e.name; } });`,
  )) as unknown[];

describe("URL", () => {
  const read = (url: URL): string[] => [
    url.href,
    url.origin,
    url.protocol,
    url.username,
    url.password,
    url.host,
    url.hostname,
    url.port,
    url.pathname,
    url.search,
    url.hash,
  ];
  const inGuest = `const u = new URL(input[0], input[1]);
    return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash];`;

  test(
    verifies("guest:web", "parses as Node does: addresses of many shapes, with and without a base"),
    async () => {
      const part = fc.oneof(
        fc.constantFrom(
          "",
          "a",
          "b.c",
          "..",
          ".",
          "%20",
          "%zz",
          " ",
          "é",
          "?",
          "#",
          "/",
          "//",
          "\\",
          ":",
          "@",
          "&",
          "=",
          "+",
          "|",
        ),
        fc.string({ maxLength: 4 }),
      );
      const made = fc
        .tuple(
          fc.constantFrom(
            "https://",
            "http://",
            "HTTP:",
            "ftp://",
            "ws://",
            "data:",
            "mailto:",
            "x-y:",

            "",
            "/",
            "//",
          ),
          fc.constantFrom(
            "example.com",
            "EXAMPLE.com",
            "user:pw@h",
            "127.0.0.1",
            "0x7f.1",
            "[::1]",
            "[::1]:80",
            "h:443",
            "h:99999",
            "a_b",
            "",
          ),
          fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")),
          fc.constantFrom(undefined, "https://base.org/dir/file?q#f", "x:opaque"),
        )
        .map(([scheme, host, rest, base]) => [`${scheme}${host}${rest}`, base ?? null]);
      const inputs = fc
        .sample(made, 400)
        .map(([url, base]) => (base === null ? [url] : [url, base])) as string[][];
      const guest = await each(inputs, inGuest);
      inputs.forEach((input, index) => {
        let expected: unknown;
        try {
          expected = read(new URL(input[0] as string, input[1]));
        } catch (error) {
          expected = (error as Error).name;
        }
        expect(guest[index], JSON.stringify(input)).toEqual(expected);
      });
    },
  );

  test(
    verifies("guest:web", "international names, setters, search parameters, canParse and parse"),
    async () => {
      const value = await guests.value(`
      const u = new URL("https://münchen.example/a?x=1#h");
      const host = u.host; u.searchParams.append("ü &", "a+b"); u.hash = ""; u.port = "8080"; u.pathname = "/p q";
      const p = new URLSearchParams({ b: "2", a: "1" }); p.sort(); p.append("a", "3");
      return [host, u.href, String(p), p.getAll("a"), p.has("b", "2"), p.size, [...p.keys()], URL.canParse("nope"),
        URL.parse("https://a/")?.href, URL.parse("nope"), JSON.stringify({ u: new URL("a:b") }),
        new URLSearchParams("?q=%F0%9F%98%80").get("q"), new URLSearchParams([["k", "v"]]).toString()];`);
      expect(value).toEqual([
        "xn--mnchen-3ya.example",
        "https://xn--mnchen-3ya.example:8080/p%20q?x=1&%C3%BC+%26=a%2Bb",
        "a=1&b=2&a=3",
        ["1", "3"],
        true,
        3,
        ["a", "b", "a"],
        false,
        "https://a/",
        null,
        '{"u":"a:b"}',
        "😀",
        "k=v",
      ]);
    },
  );

  test(verifies("guest:inspect", "addresses print readably"), async () => {
    expect(
      await guests.output(`console.log(new URL("https://a/b"), new URLSearchParams("x=1&y=2"));`),
    ).toEqual(["URL { https://a/b } URLSearchParams { x=1&y=2 }"]);
  });
});

describe("text codecs", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 6 }).map((text) => new TextEncoder().encode(text)),
    fc.array(
      fc.constantFrom(0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xc0, 0xed, 0xa0, 0x41),
      { maxLength: 9 },
    ),
  );

  test(verifies("guest:web", "decoding any bytes gives what Node gives, with each option"), async () => {
    const options = fc.record({ fatal: fc.boolean(), ignoreBOM: fc.boolean() });
    const inputs = fc.sample(
      fc.tuple(
        bytes.map((list) => [...list]),
        options,
      ),
      500,
    );
    const guest = await each(
      inputs,
      `return new TextDecoder("utf-8", input[1]).decode(new Uint8Array(input[0]));`,
    );
    inputs.forEach(([list, given], index) => {
      let expected: string;
      try {
        expected = new TextDecoder("utf-8", given).decode(new Uint8Array(list));
      } catch (error) {
        expected = (error as Error).name;
      }
      expect(guest[index], JSON.stringify(inputs[index])).toBe(expected);
    });
  });

  test(verifies("guest:web", "decoding in pieces gives the same as decoding at once"), async () => {
    const inputs = fc.sample(
      bytes.map((list) => [...list]),
      200,
    );
    const guest = await each(
      inputs,
      `const d = new TextDecoder(); let out = "";
       for (const byte of input) out += d.decode(new Uint8Array([byte]), { stream: true });
       return [out + d.decode(), d.decode(new Uint8Array([65]))];`,
    );
    inputs.forEach((list, index) =>
      expect(guest[index], String(list)).toEqual([new TextDecoder().decode(new Uint8Array(list)), "A"]),
    );
  });

  test(verifies("guest:web", "encoding any text gives what Node gives, and round trips"), async () => {
    const inputs = fc.sample(fc.string({ unit: "binary", maxLength: 20 }), 200);
    const guest = await each(
      inputs,
      `const bytes = new TextEncoder().encode(input); return [[...bytes], new TextDecoder().decode(bytes) === input];`,
    );
    inputs.forEach((text, index) =>
      expect(guest[index]).toEqual([[...new TextEncoder().encode(text)], true]),
    );
    const value = await guests.value(`
      const target = new Uint8Array(5); const r = new TextEncoder().encodeInto("aé😀z", target);
      return [r, [...target], [...new TextEncoder().encode("\\ud800x")], new TextEncoder().encode().length,
        new TextDecoder("UTF8").encoding, new TextDecoder().decode(new TextEncoder().encode("abc").buffer),
        new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1)), new TextDecoder().decode()];`);
    expect(value).toEqual([
      { read: 2, written: 3 },
      [97, 195, 169, 0, 0],
      [0xef, 0xbf, 0xbd, 120],
      0,
      "utf-8",
      "abc",
      "bc",
      "",
    ]);
    expect((await guests.run(`new TextDecoder("utf-16le")`)).end).toBe(
      "RangeError: TextDecoder reads utf-8 only (got 'utf-16le')",
    );
  });

  test(verifies("guest:web", "a megabyte of text is encoded and decoded"), async () => {
    const value = await guests.value(
      `const text = "héllo wörld 😀 ".repeat(70_000); const bytes = new TextEncoder().encode(text);
       return [bytes.length, new TextDecoder().decode(bytes) === text];`,
    );
    expect(value).toEqual([70_000 * 19, true]);
  });
});

describe("base64", () => {
  test(verifies("guest:web", "btoa and atob agree with Node on any text"), async () => {
    const inputs = fc.sample(
      fc.oneof(
        fc.base64String({ maxLength: 24 }),
        fc.string({ maxLength: 8 }),
        fc
          .array(fc.constantFrom("Y", "Q", "=", " ", "\n", "+", "/", "-"), { maxLength: 6 })
          .map((list) => list.join("")),
        fc.string({ unit: "binary", maxLength: 5 }),
      ),
      500,
    );
    const guest = await each(
      inputs,
      `const attempt = (f) => { try { return f(input); } catch (e) { return "!" + e.name; } }; return [attempt(btoa), attempt(atob)];`,
    );
    const attempt = (f: (text: string) => string, text: string): string => {
      try {
        return f(text);
      } catch (error) {
        return `!${(error as Error).name}`;
      }
    };
    inputs.forEach((text, index) =>
      expect(guest[index], JSON.stringify(text)).toEqual([attempt(btoa, text), attempt(atob, text)]),
    );
  });

  test(verifies("guest:web", "errors are DOMExceptions that say what to do"), async () => {
    const value = await guests.value(
      `try { btoa("€"); } catch (e) {
         return [e instanceof DOMException, e instanceof Error, e.name, e.code, e.message, Object.keys(e)]; }`,
    );
    expect(value).toEqual([
      true,
      true,
      "InvalidCharacterError",
      5,
      "btoa takes characters up to U+00FF; encode other text with TextEncoder first",
      [],
    ]);
  });
});

describe("structuredClone", () => {
  test(verifies("guest:web", "copies of JSON values are equal, and share nothing"), async () => {
    const inputs = fc.sample(fc.jsonValue({ maxDepth: 4 }), 200);
    const guest = await each(
      inputs,
      `const copy = structuredClone(input);
       const apart = (a, b) => typeof a !== "object" || a === null || (a !== b && Object.keys(a).every((k) => apart(a[k], b[k])));
       return [copy, apart(input, copy)];`,
    );
    inputs.forEach((value, index) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(guest[index]).toEqual([plain, true]);
    });
  });

  test(verifies("guest:web", "keeps built-in types, cycles, shared parts and holes"), async () => {
    const value = await guests.value(`
      const shared = { s: 1 }, bytes = new Uint8Array([1, 2, 3, 4]);
      const input = { date: new Date(5), map: new Map([[shared, new Set([1n])]]), re: /a/gi, shared, err: new RangeError("r", { cause: shared }),
        part: bytes.subarray(1, 3), whole: bytes, view: new DataView(bytes.buffer, 2), boxed: Object("b"), undef: undefined, list: [1, , 3] };
      input.self = input;
      const c = structuredClone(input);
      class Point { constructor() { this.x = 1; } get y() { return 2; } }
      const p = structuredClone(new Point());
      return [c.self === c, c.date.getTime(), c.date instanceof Date, [...c.map][0][0] === c.shared, [...c.map][0][1].has(1n), String(c.re),
        c.err instanceof RangeError, c.err.message, c.err.cause === c.shared, [...c.part], c.part.buffer === c.whole.buffer,
        c.whole.buffer !== bytes.buffer, c.view.getUint8(0), c.view.buffer === c.whole.buffer, c.boxed instanceof String, "undef" in c, 1 in c.list, c.list.length,
        p.constructor === Object, Object.keys(p), structuredClone(Object.create(null, { a: { value: 1, enumerable: true } })).a,
        Object.hasOwn(structuredClone(JSON.parse('{"__proto__":{"polluted":1}}')), "__proto__"), ({}).polluted === undefined];`);
    expect(value).toEqual([
      ...[
        true,
        5,
        true,
        true,
        true,
        "/a/gi",
        true,
        "r",
        true,
        [2, 3],
        true,
        true,
        3,
        true,
        true,
        true,
        false,
        3,
      ],
      ...[true, ["x"], 1, true, true],
    ]);
  });

  test(
    verifies("guest:web", "refuses what cannot be cloned with DataCloneError; transfers buffers"),
    async () => {
      const refused = await guests.value(`
      const name = (v) => { try { structuredClone(v); return "no error"; } catch (e) { return e.name + " " + e.code; } };
      return [() => 1, Symbol("s"), { f() {} }, Promise.resolve(), new WeakMap(), new Proxy({}, {}), [new WeakSet()]].map(name);`);
      expect(refused).toEqual(Array(7).fill("DataCloneError 25"));
      const transferred = await guests.value(`
      const buffer = new Uint8Array([7, 8]).buffer; const copy = structuredClone({ buffer }, { transfer: [buffer] });
      return [buffer.byteLength, [...new Uint8Array(copy.buffer)]];`);
      expect(transferred).toEqual([0, [7, 8]]);
    },
  );
});
