import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

test(verifies("guest:intl", "every constructor keeps its identity, statics and behaviour"), async () => {
  const value = await guests.value(`
    const names = ["Collator", "DateTimeFormat", "ListFormat", "NumberFormat", "PluralRules", "RelativeTimeFormat", "Segmenter", "DurationFormat"];
    return names.map((n) => { const K = Intl[n], o = new K();
      class Sub extends K {}
      return o instanceof K && o.constructor === K && K.name === n && new Sub("de") instanceof Sub && /^en(-US)?$/.test(o.resolvedOptions().locale)
        && K.supportedLocalesOf(["de", "xx"]).join() === "de" && new K("de").resolvedOptions().locale === "de"
        && new K("xx").resolvedOptions().locale === o.resolvedOptions().locale && new K(["fr", "de"]).resolvedOptions().locale === "fr"; });`);
  expect(value).toEqual(Array(8).fill(true));
});

test(verifies("guest:intl", "errors stay V8's own"), async () => {
  const value = await guests.value(`
    const name = (f) => { try { f(); return "no error"; } catch (e) { return e.name; } };
    return [() => Intl.PluralRules(), () => Intl.NumberFormat(), () => new Intl.NumberFormat("not a locale"), () => new Intl.NumberFormat(null),
      () => new Intl.DateTimeFormat("en", null), () => new Intl.DateTimeFormat("en", { timeZone: "Nowhere" }), () => new Intl.DisplayNames(),
      () => "a".localeCompare("b", "bad locale")].map(name);`);
  expect(value).toEqual([
    ...[
      "TypeError",
      "no error",
      "RangeError",
      "TypeError",
      "TypeError",
      "RangeError",
      "TypeError",
      "RangeError",
    ],
  ]);
});

test(verifies("guest:intl", "defaults are en-US and UTC, for the toLocale methods too"), async () => {
  const value = await guests.value(`
    return [Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(0).toLocaleString(), (1234.5).toLocaleString(), (12345n).toLocaleString(),
      [1234.5, new Date(0)].toLocaleString(), (1234.5).toLocaleString("de"), new Date(0).toLocaleDateString("de-DE", { month: "long" }),
      "I".toLocaleLowerCase(), "i".toLocaleUpperCase("tr"), ["b", "a", "C"].sort((x, y) => x.localeCompare(y)).join(""),
      "a".localeCompare("A", undefined, { sensitivity: "base" })];`);
  expect(value).toEqual([
    "UTC",
    "1/1/1970, 12:00:00 AM",
    "1,234.5",
    "12,345",
    "1,234.5,1/1/1970, 12:00:00 AM",
    "1.234,5",
    "Januar",
    "i",
    "İ",
    "abC",
    0,
  ]);
});

test(
  verifies("guest:intl", "the zone of the run reaches Intl and the toLocale methods, an explicit one wins"),
  async () => {
    const midnight = new Intl.DateTimeFormat("en-US", {
      hour: "numeric",
      hour12: false,
      timeZone: "UTC",
    }).format(0);
    const value = await guests.value(
      `const d = new Date(0), o = Object.freeze({ hour: "numeric", hour12: false });
     return [Intl.DateTimeFormat().resolvedOptions().timeZone, d.toLocaleTimeString(), d.toLocaleTimeString("en-US", o),
       new Intl.DateTimeFormat("en-US", o).format(d), new Intl.DateTimeFormat("en-US", { ...o, timeZone: "UTC" }).format(d),
       d.toLocaleTimeString("en-US", { timeZone: "Asia/Tokyo" }), d.getHours()];`,
      { timeZone: "Europe/Berlin" },
    );
    expect(value).toEqual(["Europe/Berlin", "1:00:00 AM", "01", "01", midnight, "9:00:00 AM", 0]);
  },
);
