import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { startGuests, type Guests } from "../../support/guest.ts";

let guests: Guests;
beforeAll(async () => {
  guests = await startGuests();
});
afterAll(() => guests[Symbol.asyncDispose]());

describe("AbortController", () => {
  test(verifies("guest:abort", "abort sets the reason once and tells every listener once"), async () => {
    const lines = await guests.output(`
      const c = new AbortController(); const { signal } = c;
      signal.onabort = function (e) { console.log("onabort", e.type, this === signal, e.target === signal); };
      signal.addEventListener("abort", () => console.log("listener"));
      console.log(signal.aborted, signal.reason); signal.throwIfAborted();
      c.abort("why"); c.abort("again");
      console.log(signal.aborted, signal.reason);
      try { signal.throwIfAborted(); } catch (e) { console.log("threw", e); }
      const d = new AbortController(); d.abort(); console.log(d.signal.reason.name, d.signal.reason instanceof DOMException, d.signal.reason.code);`);
    expect(lines).toEqual([
      "false undefined",
      "onabort abort true true",
      "listener",
      "true why",
      "threw why",
      "AbortError true 20",
    ]);
  });

  test(
    verifies("guest:abort", "timeout aborts on the run's clock; abort() is aborted from the start"),
    async () => {
      const value = await guests.value(`
      const start = Date.now(), signal = AbortSignal.timeout(250);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      const name = (f) => { try { f(); return "no error"; } catch (e) { return e.name; } };
      return [Date.now() - start, signal.reason.name, AbortSignal.abort().aborted, AbortSignal.abort(5).reason,
        name(() => AbortSignal.timeout(-1)), name(() => AbortSignal.timeout("x")), name(() => new AbortSignal()), name(() => AbortController())];`);
      expect(value).toEqual([
        250,
        "TimeoutError",
        true,
        5,
        "RangeError",
        "RangeError",
        "TypeError",
        "TypeError",
      ]);
    },
  );

  test(verifies("guest:abort", "any follows the first of its sources"), async () => {
    const value = await guests.value(`
      const a = new AbortController(), b = new AbortController();
      const any = AbortSignal.any([a.signal, b.signal]), chained = AbortSignal.any([any]);
      const before = any.aborted; b.abort("b"); a.abort("a");
      const none = AbortSignal.any([]);
      return [before, any.reason, chained.reason, AbortSignal.any([AbortSignal.abort(1), a.signal]).reason, none.aborted];`);
    expect(value).toEqual([false, "b", "b", 1, false]);
  });
});

describe("EventTarget", () => {
  test(
    verifies("guest:abort", "listeners run in order; once, removal, signal and handleEvent work"),
    async () => {
      const lines = await guests.output(`
      const t = new EventTarget(), c = new AbortController(), log = (x) => () => console.log(x);
      const twice = log("twice"), gone = log("gone");
      t.addEventListener("e", twice); t.addEventListener("e", twice); t.addEventListener("e", gone); t.removeEventListener("e", gone);
      t.addEventListener("e", log("once"), { once: true }); t.addEventListener("e", log("signalled"), { signal: c.signal });
      t.addEventListener("e", { handleEvent(e) { console.log("object", e.type, this.handleEvent !== undefined); } });
      t.addEventListener("e", null); t.addEventListener("other", log("other"));
      t.dispatchEvent(new Event("e")); c.abort(); console.log("--"); t.dispatchEvent(new Event("e"));
      t.addEventListener("p", (e) => { e.preventDefault(); e.stopImmediatePropagation(); }); t.addEventListener("p", log("stopped"));
      console.log(t.dispatchEvent(new Event("p", { cancelable: true })), t.dispatchEvent(new Event("p")));
      class Mine extends EventTarget {} const m = new Mine(); m.addEventListener("x", (e) => console.log(e.target === m)); m.dispatchEvent(new Event("x"));`);
      expect(lines).toEqual([
        ...[
          "twice",
          "once",
          "signalled",
          "object e true",
          "--",
          "twice",
          "object e true",
          "false true",
          "true",
        ],
      ]);
    },
  );

  test(verifies("guest:unhandled", "a listener that throws is reported, the next ones run"), async () => {
    const result = await guests.run(`
      const t = new EventTarget();
      t.addEventListener("e", () => { throw new Error("first"); }); t.addEventListener("e", () => console.log("second"));
      t.dispatchEvent(new Event("e")); await sleep(1);`);
    expect(result.logs.map((line) => line.text)).toEqual(["second"]);
    expect(result.unhandled).toEqual(["first"]);
  });
});
