// Whose run a client's run is.
import { expect, test } from "vitest";
import type { Gate } from "../../index.ts";
import { createCallgateServer } from "../../server/index.ts";
import { verifies } from "../requirements.ts";
import { connect, modernPost, openWorld, script, type Era } from "./support.ts";

const TOKENS = { ann: "0123456789abcdef-ann", bob: "0123456789abcdef-bob" };

/** The gate, with the principal of each run noted. */
function watched(gate: Gate, seen: string[]): Gate {
  const metaTools: Gate["metaTools"] = () =>
    gate.metaTools().map((tool) => ({
      ...tool,
      execute(input, options) {
        if (tool.name === "run_script") seen.push(options?.principal ?? "none");
        return tool.execute(input, options);
      },
    }));
  return new Proxy(gate, {
    get: (target, key) => (key === "metaTools" ? metaTools : (Reflect.get(target, key, target) as unknown)),
  });
}

test(
  verifies(
    "server:principals",
    "clients without names have principals of their own, two runs of one the same",
  ),
  async () => {
    await using world = await openWorld();
    const seen: string[] = [];
    await using server = createCallgateServer(watched(world.gate, seen));
    const { url } = await server.http();
    for (const era of ["legacy", "legacy", "modern"] as Era[]) {
      const client = await connect(url, era, { close: false });
      await script(client, "return 1;");
      if (era === "legacy") await script(client, "return 2;");
      await client.close();
    }
    const [a, a2, b, b2, c] = seen;
    expect([a, b]).toEqual([a2, b2]);
    expect(new Set([a, b, c]).size).toBe(3);
  },
);

test(
  verifies("server:principals", "a named token is a principal in both eras; clients at once keep theirs"),
  async () => {
    await using world = await openWorld();
    const seen: string[] = [];
    await using server = createCallgateServer(watched(world.gate, seen));
    const { url } = await server.http({ token: TOKENS });
    const clients = [
      await connect(url, "legacy", { token: TOKENS.ann, close: false }),
      await connect(url, "modern", { token: TOKENS.bob, close: false }),
      await connect(url, "modern", { token: TOKENS.ann, close: false }),
    ];
    const told = await Promise.all(
      clients.map((client, index) => script(client, `await sleep(5);\nreturn ${index};`)),
    );
    expect(told.map(({ text }) => text)).toEqual(["0", "1", "2"]);
    expect(seen.toSorted()).toEqual(["ann", "ann", "bob"]);
    await Promise.all(clients.map((client) => client.close()));
  },
);

test(
  verifies("server:principals", "a connection is kept from one turn of a conversation to the next"),
  async () => {
    await using world = await openWorld();
    const { url } = await world.server.http();
    const response = await modernPost(url, "tools/list", {});
    await response.text();
    expect(response.headers.get("keep-alive")).toBe("timeout=600");
  },
);
