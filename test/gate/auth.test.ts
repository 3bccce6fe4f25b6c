// Sign-ins and a whole gate: found when they are made, and never seen by anybody.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCallgate, createMemoryTokens, login, logout } from "../../index.ts";
import { agree, authorizationServer, protectedServer } from "../broker/upstream/oauth-support.ts";
import { verifies } from "../requirements.ts";

test(
  verifies(
    ["auth:secret", "auth:login"],
    "a gate finds a sign-in that is made while it is open; a server that repeats tokens shows them to nobody",
  ),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth, {
      call(exchange) {
        const { authorization = "" } = exchange.request.headers;
        const forms = [authorization, Buffer.from(authorization).toString("base64"), ...auth.given].join(" ");
        exchange.answer({ content: [{ type: "text", text: `you sent ${forms}` }] });
      },
    });
    const place = mkdtempSync(join(tmpdir(), "callgate-auth-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const file = join(place, "audit.jsonl");
    const store = createMemoryTokens();
    const entry = { type: "http", url: server.url };
    await using gate = await createCallgate({
      servers: { srv: entry },
      auth: { store },
      policy: { default: "allow" },
      audit: { file, bodies: "redacted" },
    });
    const script =
      "const said = await srv.t({}); console.log(said); console.log(encodeURIComponent(said)); throw new Error(said);";
    const before = await gate.run(script);
    expect(before.status).toBe("failed");
    expect(JSON.stringify(before)).toContain("callgate login srv");
    expect(gate.servers()).toMatchObject([
      { server: "srv", state: "failed", auth: { state: "login-needed" } },
    ]);
    await login("srv", entry, { store, open: agree });
    const after = await gate.run(script);
    expect(after.output).toContain("you sent Bearer «redacted»");
    const log = readFileSync(file, "utf8");
    expect(log).toContain("srv");
    const tokens = auth.given.filter((one) => !one.startsWith("code-"));
    expect(tokens).toHaveLength(2);
    const everything = JSON.stringify([before, after, gate.servers(), gate.notes, gate.instructions()]) + log;
    for (const token of tokens) {
      expect(everything).not.toContain(token);
      expect(everything).not.toContain(Buffer.from(token).toString("base64").slice(4, -4));
    }
  },
);

test(
  verifies("auth:login", "a server that wants a sign-in neither delays nor fails the others"),
  async () => {
    const auth = await authorizationServer();
    const wanting = await protectedServer(auth);
    const free = await protectedServer({ ...auth, accepts: () => ["use"] });
    await using gate = await createCallgate({
      servers: { a: { type: "http", url: wanting.url }, b: { type: "http", url: free.url } },
      policy: { default: "allow" },
    });
    const { status, output } = await gate.run("console.log(await b.t({}))");
    expect({ status, output }).toMatchObject({
      status: "completed",
      output: expect.stringContaining("fine"),
    });
    expect(auth.asked).toEqual([]);
  },
);

test(
  verifies("auth:secret", "a tool list that is kept on disk is of one sign-in, and not shown to the next"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const place = mkdtempSync(join(tmpdir(), "callgate-auth-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const store = createMemoryTokens();
    const entry = { type: "http", url: server.url };
    const listed = async (): Promise<number> => {
      await using gate = await createCallgate({
        servers: { srv: entry },
        auth: { store },
        catalogCache: { folder: place },
      });
      await gate.catalog.search("t");
      return gate.catalog.list().length;
    };
    const lists = (): number => server.seen.filter(({ method }) => method === "tools/list").length;
    await login("srv", entry, { store, open: agree });
    expect(await listed()).toBe(1);
    const once = lists();
    expect(await listed()).toBe(1);
    expect(lists()).toBe(once);
    await logout("srv", entry, { store });
    expect(await listed()).toBe(0);
    await login("srv", entry, { store, open: agree });
    expect(await listed()).toBe(1);
    expect(lists()).toBeGreaterThan(once);
  },
);
