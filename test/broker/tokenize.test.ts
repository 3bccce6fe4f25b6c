// Placeholders: what is found, that nothing of it is shown, and that tools get it back.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isIban, isLuhn } from "../../broker/check-digits.ts";
import { createRedactor } from "../../broker/redact.ts";
import { createTokens } from "../../broker/tokenize.ts";
import { verifies } from "../requirements.ts";
import { propertyRuns, propertyTimeout } from "./policy/support.ts";
import { filter, kinds, returned, TOKEN } from "./tokenize-support.ts";

const ALL = ["email", "phone", "iban", "card"] as const;
const all = filter({ tokenize: ALL });

describe("kinds", () => {
  test.each([
    ["email", "ann.lee+x@mail.example.co.uk"],
    ["email", "o'brien@example.com"],
    ["email", "jürgen@müller.example"],
    ["phone", "+49 (0)30 123 45-67"],
    ["phone", "+14155550123"],
    ["phone", "0049 30 1234567"],
    ["phone", "(415) 555-0123"],
    ["phone", "415-555-0123"],
    ["phone", "030 / 123 45 67"],
    ["iban", "DE89 3704 0044 0532 0130 00"],
    ["iban", "GB29NWBK60161331926819"],
    ["iban", "nl91abna0417164300"],
    ["card", "4111 1111 1111 1111"],
    ["card", "5500-0000-0000-0004"],
    ["card", "378282246310005"],
  ])(verifies("output:kinds", "%s: %s"), (kind, value) => {
    for (const [before, after] of [
      ["", ""],
      ["to ", " now"],
      ["(", ")."],
      ['{"a":"', '"}'],
      ["'", "'"],
      ["<", ">"],
    ] as const) {
      const shown = all.redact(before + value + after);
      expect(shown).toMatch(new RegExp(`<${kind}:[0-9a-f]{12}>`));
      expect(shown.startsWith(before) && shown.endsWith(after)).toBe(true);
      expect(returned(all, shown)).toBe(before + value + after);
    }
  });

  test.each([
    "2024-01-15T10:30:00.000Z and 01-02-2024 12:30 and 15.01.2024",
    "version 10.2.33, port 8080, 192.168.100.200:9000",
    "id 1764460800000, 550e8400-e29b-41d4-a716-446655440000, commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "4111 1111 1111 1112 fails its check digit, and so does DE88370400440532013000",
    "@handle, user@localhost, a @ b, x@1.2.3.4, me@.com, @@@",
    "const total = items.length + 1; // 100000000000000000",
    "price 1,234,567.89 (12 345 678)",
  ])(verifies("output:kinds", "left alone: %s"), (text) => {
    expect(all.redact(text)).toBe(text);
  });

  test(verifies("output:kinds", "a kind of one's own is found wherever it stands"), () => {
    const run = filter({ tokenize: [{ name: "employee", regex: "EMP-\\d{3,}" }] });
    const shown = run.redact("xEMP-123, EMP-12 and EMP-4567.");
    expect(shown).toMatch(/^x<employee:\w{12}>, EMP-12 and <employee:\w{12}>\.$/);
    expect(returned(run, shown)).toBe("xEMP-123, EMP-12 and EMP-4567.");
  });

  test(verifies("output:kinds", "a value is known through the escapes of JSON, as the same value"), () => {
    const run = filter({ tokenize: ["email", { name: "account", regex: "CORP\\\\[a-z]+" }] });
    const plain = run.redact("ann@example.com CORP\\bob").split(" ");
    const text = JSON.stringify({ a: "Mail:\nann@example.com", b: "CORP\\bob", c: "\u00e9" });
    expect(run.redact(text)).toBe(`{"a":"Mail:\\n${plain[0]}","b":"${plain[1]}","c":"\u00e9"}`);
    expect(run.redact("\\u0061nn@example.com")).toBe(plain[0]);
  });

  test(verifies("output:kinds", "what is to be gone is gone, and values that overlap are one"), () => {
    const run = filter({
      redact: ["card", "secrets"],
      tokenize: ["email", { name: "digits", regex: "\\d{5,}" }],
    });
    expect(run.redact("4111111111111111")).toBe("«redacted card»");
    const shown = run.redact("x12345@example.com");
    expect(shown).toMatch(/^<email:\w{12}>$/);
    expect(returned(run, shown)).toBe("x12345@example.com");
  });
});

// Values as people write them, each right in its check digits.
const word = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/);
const email = fc
  .tuple(word, word, fc.constantFrom("com", "example", "co.uk"))
  .map(([a, b, c]) => `${a}@${b}.${c}`);
const card = fc.stringMatching(/^[2-6]\d{14}$/).map((digits) => {
  const last = [..."0123456789"].find((digit) => isLuhn(digits + digit))!;
  return (digits + last).replace(/(.{4})(?=.)/g, "$1 ");
});
const iban = fc.stringMatching(/^\d{18}$/).map((account) => {
  const check = Array.from({ length: 97 }, (_, n) => String(n + 2).padStart(2, "0"));
  return `DE${check.find((digits) => isIban(`DE${digits}${account}`))!}${account}`;
});
const phone = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.stringMatching(/^\d{7,10}$/))
  .map(([a, b]) => `+${a} ${b}`);
const value = fc.oneof(email, card, iban, phone);
const filler = fc.oneof(
  fc.constantFrom(
    " ",
    "\n",
    ", ",
    '", "',
    "\\n",
    "<email:",
    ">",
    "<card:1234567890ab>",
    "\\",
    '"',
    "«redacted»",
    "(",
  ),
  fc.string({ maxLength: 12, unit: "grapheme" }).filter((text) => !/[\p{L}\p{N}_@.+'-]/u.test(text)),
);
const message = fc.array(fc.tuple(filler, value, filler), { minLength: 1, maxLength: 6 });

describe("laws", () => {
  test(
    verifies(
      ["output:round-trip", "output:never"],
      "what is shown has none of the values, and comes back whole",
    ),
    () => {
      fc.assert(
        fc.property(message, (parts) => {
          const run = filter({ tokenize: ALL });
          const text = parts.map(([before, one, after]) => `${before} ${one} ${after}`).join(" ");
          const shown = run.redact(text);
          for (const [, one] of parts) expect(shown).not.toContain(one);
          expect(returned(run, shown)).toBe(text);
        }),
        { numRuns: Math.min(propertyRuns, 20_000) },
      );
    },
    propertyTimeout,
  );

  test(
    verifies("output:never", "inside JSON, once or twice encoded, none of them is shown either"),
    () => {
      fc.assert(
        fc.property(
          fc.array(value, { minLength: 1, maxLength: 5 }),
          fc.string({ maxLength: 10 }),
          (values, noise) => {
            const run = filter({ tokenize: ALL });
            const json = JSON.stringify({ noise, values, text: `${noise}\n${values.join("\n")}` });
            for (const text of [json, JSON.stringify(json)]) {
              const shown = run.redact(text);
              for (const one of values) expect(shown).not.toContain(one);
            }
          },
        ),
        { numRuns: Math.min(propertyRuns, 5_000) },
      );
    },
    propertyTimeout,
  );

  test(
    verifies(
      "output:stable",
      "the same value has one token, however often and in whatever text; shown twice is shown once",
    ),
    () => {
      fc.assert(
        fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), (values) => {
          const run = filter({ tokenize: ALL });
          const tokens = values.map((one) => run.redact(one));
          const again = run.redact(values.join(" ; ")).split(" ; ");
          expect(again).toEqual(tokens);
          expect(new Set(tokens).size).toBe(new Set(values).size);
          expect(run.redact(tokens.join(" "))).toBe(tokens.join(" "));
        }),
        { numRuns: Math.min(propertyRuns, 5_000) },
      );
    },
    propertyTimeout,
  );

  test(
    verifies("output:stable", "where the start of two tokens is the same, the later one is longer"),
    () => {
      const run = filter({ tokenize: ["email"] }, { digits: 1 });
      const values = Array.from({ length: 300 }, (_, n) => `user${n}@example.com`);
      const tokens = values.map((one) => run.redact(one));
      expect(new Set(tokens).size).toBe(300);
      expect(Math.max(...tokens.map((token) => token.length))).toBeGreaterThan("<email:0>".length);
      tokens.forEach((token, n) => expect(returned(run, token)).toBe(values[n]));
    },
  );
});

describe("hostile text", () => {
  test(
    verifies("output:unknown", "a token nobody gave stays as text, on the way out and on the way in"),
    () => {
      const run = filter({ tokenize: ALL });
      for (const text of [
        "<email:0123456789ab>",
        "<card:>",
        "<email:xyz>",
        "<<email:ab>",
        "<email:ab",
        "<__proto__:00>",
        "<constructor:00>",
      ]) {
        expect(run.redact(text)).toBe(text);
        expect(returned(run, text)).toBe(text);
      }
    },
  );

  test(verifies("output:never", "a value dressed as a token is a value"), () => {
    const run = filter({ tokenize: ALL });
    const text = "<email:ann@example.com> <card:4111111111111111>";
    const shown = run.redact(text);
    expect(shown.replaceAll(TOKEN, "T")).toBe("<email:T> <card:T>");
    expect(returned(run, shown)).toBe(text);
  });

  test(verifies("output:round-trip", "a value cannot change the JSON around it"), () => {
    const run = filter({ tokenize: [{ name: "quoted", regex: "Q[^Z]*Z" }] });
    const nasty = 'Q","admin":true,"x":"\\\n\u2028Z';
    const token = run.redact(nasty);
    expect(token).toMatch(/^<quoted:\w{12}>$/);
    const json = run.resolve(JSON.stringify({ to: token, [token]: [token] }), 1 << 20);
    expect(JSON.parse(json)).toEqual({ to: nasty, [nasty]: [nasty] });
  });

  test(
    verifies("output:principal", "another principal, and another gate, can do nothing with a token"),
    () => {
      const options = { kinds: kinds({ tokenize: ["email"] }), redactor: createRedactor({ secrets: [] }) };
      const gate = createTokens({ ...options, key: new Uint8Array(32) });
      const other = createTokens({ ...options, key: new Uint8Array(32).fill(1) });
      const run = { labels: new Set<string>(), returned: () => {} };
      const shown = gate.open("ann", run).redact("a@example.com");
      expect(returned(gate.open("ann", run), shown)).toBe("a@example.com");
      expect(returned(gate.open("bob", run), shown)).toBe(shown);
      expect(returned(other.open("ann", run), shown)).toBe(shown);
      expect(gate.open("bob", run).redact("a@example.com")).not.toBe(shown);
      expect(other.open("ann", run).redact("a@example.com")).not.toBe(shown);
    },
  );

  test(verifies("output:labels", "a value brings the labels of every run that showed it"), () => {
    const tokens = createTokens({
      kinds: kinds({ tokenize: ["email"] }),
      redactor: createRedactor({ secrets: [] }),
      key: new Uint8Array(32),
    });
    const show = (label: string): string =>
      tokens.open("ann", { labels: new Set([label]), returned: () => {} }).redact("a@example.com");
    const shown = show("private");
    show("server:web");
    const brought: string[] = [];
    const later = tokens.open("ann", {
      labels: new Set(),
      returned: (labels) => void brought.push(...labels),
    });
    later.resolve('"nothing"', 100);
    expect(brought).toEqual([]);
    later.resolve(JSON.stringify(shown), 100);
    expect(brought).toEqual(["private", "server:web"]);
  });
});

describe("bounds", () => {
  test(
    verifies("output:bounded", "the value used longest ago is forgotten, and its token is then a text"),
    () => {
      const run = filter({ tokenize: ["email"] }, { maxValues: 2 });
      const [a, b] = ["a@example.com", "b@example.com"].map((one) => run.redact(one)) as [string, string];
      expect(returned(run, a)).toBe("a@example.com");
      run.redact("c@example.com");
      expect(returned(run, b)).toBe(b);
      expect(returned(run, a)).toBe("a@example.com");
      expect(run.redact("b@example.com")).toBe(b);
      const small = filter({ tokenize: ["email"] }, { maxUnits: 80 });
      const shown = Array.from({ length: 20 }, (_, n) => small.redact(`user${n}@example.com`));
      expect(shown.filter((token) => returned(small, token) !== token).length).toBeLessThan(4);
    },
  );

  test(verifies("output:bounded", "a value of more than a thousand characters is hidden, not kept"), () => {
    expect(all.redact(`${"x".repeat(1_500)}@example.com`)).toBe("«redacted email»");
  });

  test(verifies("output:bounded", "arguments stop growing soon after their bound"), () => {
    const run = filter({ tokenize: [{ name: "long", regex: "L+Z" }] });
    const token = run.redact(`${"L".repeat(899)}Z`);
    const json = JSON.stringify([token.repeat(1_000)]);
    const resolved = run.resolve(json, 50_000);
    expect(resolved.length).toBeGreaterThan(50_000);
    expect(resolved.length).toBeLessThan(52_000);
  });

  test.each([
    ["a", 300_000],
    ["a@", 200_000],
    ["a.", 200_000],
    ["a@1.", 100_000],
    ["+1 ", 150_000],
    ["123-456-7890 ", 30_000],
    ["0 ", 200_000],
    ["4 ", 200_000],
    ["4111 1111 1111 1112 ", 20_000],
    ["DE89", 100_000],
    ["DE89 ", 80_000],
    ["\\n", 200_000],
    ["\\u0040", 60_000],
    ["<email:0123456789ab>", 20_000],
  ])(verifies("output:bounded", "%j many times over is no burden"), (part, times) => {
    const run = filter({ tokenize: [...ALL, { name: "odd", regex: "(?:a|aa)*b" }] });
    expect(run.redact(part.repeat(times)).length).toBeGreaterThan(0);
  });
});
