import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor, REDACTED } from "../../broker/redact.ts";
import { verifies } from "../requirements.ts";
import { propertyRuns, propertyTimeout } from "./policy/support.ts";

const secret = 's3cr3t/va+lue="x" é';
const { redact } = createRedactor({ secrets: [secret, "hunter2", "abc", ""] });

test.each([
  ["as it is", secret],
  ["escaped as in JSON", JSON.stringify({ token: secret })],
  ["escaped twice", JSON.stringify(JSON.stringify({ token: secret }))],
  ["percent-encoded", `?token=${encodeURIComponent(secret)}`],
  ["percent-encoded in lower case", encodeURIComponent(secret).toLowerCase()],
  ["form-encoded", new URLSearchParams({ token: secret }).toString()],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in base64 for URLs", Buffer.from(secret).toString("base64url")],
  ["in base64 behind a user name", Buffer.from(`me:${secret}`).toString("base64")],
  ["in hexadecimal", Buffer.from(secret).toString("hex")],
])(verifies("redact:secrets", "a secret is hidden %s"), (_form, text) => {
  const hidden = redact(`before ${text} after`);
  expect(hidden).toContain(REDACTED);
  expect(hidden).toMatch(/^before .* after$/s);
  expect(hidden).not.toContain("s3cr3t");
});

test(
  verifies("redact:secrets", "no text around a secret shows it, at any alignment"),
  () => {
    const word = fc.string({ maxLength: 20 });
    const value = fc.string({ minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(word, value, word, (before, hidden, after) => {
        const redactor = createRedactor({ secrets: [hidden] });
        expect(redactor.redact(before + hidden + after)).not.toContain(hidden);
        const encoded = redactor.redact(Buffer.from(before + hidden + after).toString("base64"));
        expect(encoded).toContain(REDACTED);
        expect(Buffer.from(encoded.split(REDACTED)[0]!, "base64").toString()).not.toContain(hidden);
      }),
      { numRuns: Math.min(propertyRuns, 20_000) },
    );
  },
  propertyTimeout,
);

test(verifies("redact:secrets", "overlapping and repeated secrets leave no remainder"), () => {
  const redactor = createRedactor({ secrets: ["aaaaaa", "secret-one", "one-secret"] });
  expect(redactor.redact("xaaaaaaaaay secret-one-secret z")).toBe(`x${REDACTED}y ${REDACTED} z`);
});

test(verifies("redact:secrets", "secrets under six characters are not searched for"), () => {
  expect(redact("abc abcdef")).toBe("abc abcdef");
});

// Built from parts, so that no scanner takes this file for a leak.
const digits = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
test.each([
  `Authorization: Bearer ${digits}`,
  `authorization: bearer ${digits}==`,
  `"Authorization": "Basic ${Buffer.from("me:pass").toString("base64")}"`,
  `sk-${digits}`,
  `sk-proj-${digits}`,
  `sk_${"live"}_${digits}`,
  `ghp_${digits}`,
  `github_pat_${digits}`,
  `glpat-${digits}`,
  `AKIA${"ABCDEFGHIJKLMNOP"}`,
  `xoxb-${"1234567890"}-abcdef`,
  `AIza${digits.slice(0, 35)}`,
  `npm_${digits}`,
  `hf_${digits}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${digits}`,
  `https://me:pa55w0rd@host.example/x`,
  `-----BEGIN RSA PRIVATE KEY-----\n${digits}\n-----END RSA PRIVATE KEY-----`,
  `-----BEGIN OPENSSH PRIVATE KEY-----\\n${digits}\\n-----END OPENSSH PRIVATE KEY-----`,
  `-----BEGIN PRIVATE KEY-----\n${digits}`,
])(verifies("redact:shapes", "hidden: %s"), (text) => {
  const hidden = createRedactor({ secrets: [] }).redact(`before (${text}) after`);
  expect(hidden).toContain(REDACTED);
  expect(hidden).toMatch(/^before \(.*\) after$/s);
  for (const part of [
    digits.slice(0, 30),
    "pa55w0rd",
    "ABCDEFGHIJKLMNOP",
    "1234567890-abcdef",
    "bWU6cGFzcw",
  ]) {
    expect(hidden).not.toContain(part);
  }
});

test.each([
  "The bearer authentication-documentation-page explains tokens",
  "task-sk-learn and disk-usage-report-for-everyone",
  "https://host.example:8080/path@x",
  "eyJust.a.word",
  "mailto:me@host.example",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "550e8400-e29b-41d4-a716-446655440000",
])(verifies("redact:shapes", "left alone: %s"), (text) => {
  expect(createRedactor({ secrets: ["hunter2"] }).redact(text)).toBe(text);
});

test.each([
  ["-eyJabcdefgh", 100_000],
  ["eyJabcdefgh.", 100_000],
  ["-----BEGIN PRIVATE KEY-----!", 40_000],
  ["-----BEGIN PRIVATE KEY-----", 40_000],
  ["://a:", 200_000],
  ["bearer aaaaaaaaaaaaaaaaaaaaaaaa", 40_000],
  ["sk-", 300_000],
  ["a", 2_000_000],
])(verifies("redact:linear", "%j many times over is no burden"), (part, times) => {
  expect(redact(part.repeat(times)).length).toBeGreaterThan(0);
});

test(verifies("redact:linear", "a redacted text stays as it is"), () => {
  const once = redact(`${secret} Bearer ${digits} https://me:pa55w0rd@h/`);
  expect(redact(once)).toBe(once);
});
