// Owns random scripts for the law of determinism: calls, timers, clocks and chance in every combination.
import fc from "fast-check";

/** An expression whose value is a promise; `n` makes what it shows distinct. */
type Action = string;

const number = fc.nat({ max: 99 });
const ms = fc.nat({ max: 6 });

const leaf: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(number, ms).map(([n, wait]) => `own.chance({ n: ${n}, ms: ${wait} })`) },
  { weight: 1, arbitrary: number.map((n) => `own.chance({ n: ${n}, at: Date.now(), r: Math.random() })`) },
  { weight: 2, arbitrary: ms.map((wait) => `sleep(${wait}).then(() => "slept" + Date.now())`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(ms, number)
      .map(([wait, n]) => `new Promise((then) => setTimeout(then, ${wait}, "t${n}"))`),
  },
  { weight: 1, arbitrary: fc.constant("Promise.resolve(Math.random())") },
  { weight: 1, arbitrary: fc.constant("Promise.resolve(crypto.randomUUID())") },
  { weight: 1, arbitrary: fc.constant("Promise.resolve(new Date().toISOString() + performance.now())") },
  { weight: 1, arbitrary: fc.constant("Promise.resolve([...crypto.getRandomValues(new Uint8Array(4))])") },
  { weight: 1, arbitrary: number.map((n) => `Promise.reject(new Error("e${n}"))`) },
);

const { action } = fc.letrec<{ action: Action }>((tie) => {
  const several = fc.array(tie("action"), { minLength: 1, maxLength: 4 }).map((all) => `[${all.join(", ")}]`);
  return {
    action: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc
        .tuple(fc.constantFrom("all", "race", "any", "allSettled"), several)
        .map(([how, all]) => `Promise.${how}(${all})`),
      tie("action").map((inner) => `${inner}.catch((error) => error.code ?? error.message)`),
      tie("action").map((inner) => `${inner}.finally(() => console.log("finally", Date.now()))`),
      fc
        .tuple(tie("action"), tie("action"))
        .map(([one, two]) => `(async () => [await ${one}, await ${two}])()`),
      fc
        .tuple(tie("action"), number)
        .map(([inner, n]) => `${inner}.then((value) => own.chance({ n: ${n}, got: String(value) }))`),
    ),
  };
});

const statement: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(action, number)
      .map(
        ([one, n]) =>
          `try { console.log("s${n}", await ${one}); } catch (error) { console.log("c${n}", String(error)); }`,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(action, number)
      .map(
        ([one, n]) =>
          `${one}.then((value) => console.log("f${n}", value), (error) => console.log("g${n}", error.message));`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(ms, number)
      .map(
        ([wait, n]) =>
          `{ let left = 3; const id = setInterval(() => { console.log("i${n}", left); if (--left === 0) clearInterval(id); }, ${wait}); }`,
      ),
  },
  { weight: 1, arbitrary: number.map((n) => `queueMicrotask(() => console.log("m${n}", Math.random()));`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(ms, number)
      .map(
        ([wait, n]) =>
          `{ const signal = AbortSignal.timeout(${wait}); signal.addEventListener("abort", () => console.log("a${n}", signal.reason.name)); }`,
      ),
  },
);

const end: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('await sleep(12); return "end " + Math.random();') },
  { weight: 2, arbitrary: fc.constant("return Date.now();") },
  { weight: 2, arbitrary: action.map((one) => `return await ${one};`) },
  { weight: 1, arbitrary: number.map((n) => `throw new TypeError("last${n}");`) },
);

export const randomScript: fc.Arbitrary<string> = fc
  .tuple(fc.array(statement, { minLength: 1, maxLength: 7 }), end)
  .map(([statements, last]) => [...statements, last].join("\n"));
