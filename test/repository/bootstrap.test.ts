// The two commands of a fresh machine: what scripts/bootstrap.mjs promises, with the real script and a small npm.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { createCheckout, type Checkout } from "./checkout.ts";

function checkoutWith(files: Readonly<Record<string, string>>): Checkout {
  const checkout = createCheckout();
  for (const [path, text] of Object.entries(files)) checkout.write(path, text);
  return checkout;
}

test(
  verifies(
    ["repository:bootstrap-installs", "repository:bootstrap-stdout"],
    "a fresh checkout is installed once, and stdout is the task's own",
  ),
  async () => {
    using checkout = checkoutWith({ "hello.mjs": "console.log('hello')" });
    const first = await checkout.task(["hello.mjs"]);
    expect(first).toMatchObject({ code: 0, stdout: "hello\n" });
    expect(first.stderr).toContain("npm ci");
    expect(await checkout.task(["hello.mjs"])).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
    expect(checkout.installs()).toBe(1);
  },
);

test(verifies("repository:bootstrap-reinstalls", "a changed lock file is installed again"), async () => {
  using checkout = checkoutWith({ "hello.mjs": "console.log('hello')" });
  await checkout.task(["hello.mjs"]);
  const lock = { packages: { "": {}, "node_modules/x": { version: "1.0.0" } } };
  checkout.write("package-lock.json", JSON.stringify(lock));
  expect(await checkout.task(["hello.mjs"])).toMatchObject({ code: 0, stdout: "hello\n" });
  expect(checkout.installs()).toBe(2);
});

test(
  verifies(
    "repository:bootstrap-adopts",
    "what was installed by hand from this lock file is not installed again",
  ),
  async () => {
    using checkout = checkoutWith({ "hello.mjs": "console.log('hello')" });
    await checkout.task(["hello.mjs"]);
    // Spelt otherwise, but the same packages: npm's own record still agrees.
    checkout.write("package-lock.json", JSON.stringify({ packages: { "": {} } }, undefined, 2));
    await checkout.task(["hello.mjs"]);
    expect(checkout.installs()).toBe(1);
  },
);

test(verifies("repository:bootstrap-together", "three tasks at once share one installation"), async () => {
  using checkout = checkoutWith({ "hello.mjs": "console.log('hello')" });
  const all = await Promise.all([1, 2, 3].map(() => checkout.task(["hello.mjs"])));
  expect(all.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    Array(3).fill({ code: 0, stdout: "hello\n" }),
  );
  expect(checkout.installs()).toBe(1);
});

test(
  verifies("repository:bootstrap-stale-lock", "the lock of a process that is gone is taken over"),
  async () => {
    // Above every process number that systems hand out.
    using checkout = checkoutWith({ "hello.mjs": "console.log('hello')", ".bootstrap.lock": "2000000000 1" });
    const all = await Promise.all([1, 2].map(() => checkout.task(["hello.mjs"])));
    expect(all.map(({ code }) => code)).toEqual([0, 0]);
    expect(checkout.installs()).toBe(1);
  },
);

test(
  verifies("repository:bootstrap-failure", "a failed installation says so in one line and can be repeated"),
  async () => {
    using checkout = checkoutWith({ "hello.mjs": "console.log('hello')", broken: "" });
    const failed = await checkout.task(["hello.mjs"]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe("");
    expect(failed.stderr.trim().split("\n").at(-1)).toBe(
      "bootstrap: npm ci failed with exit code 7; its messages are above",
    );
    const again = await checkout.task(["hello.mjs"]);
    expect(again.code).toBe(1);
    expect(checkout.installs()).toBe(2);
  },
);

test(
  verifies("repository:bootstrap-node-24", "a Node older than 24 inside node_modules is refused in one line"),
  async () => {
    using checkout = checkoutWith({
      "hello.mjs": "console.log('hello')",
      "old-node": "#!/bin/sh\necho v22.1.0\n",
    });
    chmodSync(join(checkout.root, "old-node"), 0o755);
    const refused = await checkout.task(["hello.mjs"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr.trim().split("\n").at(-1)).toBe(
      "bootstrap: Callgate needs Node 24 or later; node_modules/node is v22.1.0",
    );
  },
);

test(verifies("repository:bootstrap-node-24", "a Node that does not start is named, not run"), async () => {
  using checkout = checkoutWith({ "hello.mjs": "console.log('hello')", "old-node": "not a program" });
  const refused = await checkout.task(["hello.mjs"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("no Node that starts here");
});

test(verifies("repository:bootstrap-passes-on", "arguments, input and exit code pass through"), async () => {
  using checkout = checkoutWith({
    "echo.mjs": `import { readFileSync } from "node:fs";
      console.log(JSON.stringify(process.argv.slice(2)), readFileSync(0, "utf8"));
      process.exitCode = 5;`,
  });
  const done = await checkout.task(["echo.mjs", "test/foo", "--a b"], { input: "typed" });
  expect(done.code).toBe(5);
  expect(done.stdout).toBe(`["test/foo","--a b"] typed\n`);
});

test(verifies("repository:bootstrap-passes-on", "a signal to the bootstrap reaches the task"), async () => {
  using checkout = checkoutWith({
    "wait.mjs": `process.on("SIGTERM", () => { console.log("told"); process.exit(9); });
      setInterval(() => {}, 1000);
      console.log("ready");`,
  });
  expect(await checkout.task(["wait.mjs"], { killWhen: "ready" })).toMatchObject({
    code: 9,
    stdout: "ready\ntold\n",
  });
});

test(verifies("repository:bootstrap-passes-on", "a task that does not exist is named"), async () => {
  using checkout = checkoutWith({});
  const refused = await checkout.task(["no-such-thing"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('"no-such-thing"');
});
