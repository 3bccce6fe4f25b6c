// Time limits of connections: calls have deadlines of their own, so none of these may come first.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createAddressGuard } from "../../../broker/upstream/address-guard.ts";
import { createHttpDispatcher } from "../../../broker/upstream/http-dispatcher.ts";
import { verifies } from "../../requirements.ts";
import { listenLocal } from "./oauth-support.ts";

const TEN_MINUTES = 600_000;

// For the whole file: the HTTP client keeps one timer for all of its connections.
beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

test.each(["directly", "through a proxy"])(
  verifies("access:untimed", "an answer that takes ten minutes arrives, %s"),
  async (way) => {
    const asked = Promise.withResolvers<() => void>();
    const url = await listenLocal((_request, response) => asked.resolve(() => response.end("late")));
    const proxied = way === "through a proxy";
    const target = proxied ? "http://mcp.example.com/" : url;
    const dispatcher = createHttpDispatcher({
      env: proxied ? { HTTP_PROXY: url } : {},
      guard: createAddressGuard({ named: [new URL(target)], allowPrivate: false }),
      connectTimeoutMs: 5_000,
    });
    onTestFinished(() => dispatcher.release());
    const fetched = dispatcher.fetch(target).then((response) => response.text());
    const failed = fetched.then(
      () => undefined,
      (error: unknown) => error,
    );
    const answer = await asked.promise;
    await vi.advanceTimersByTimeAsync(TEN_MINUTES);
    answer();
    expect(await failed).toBeUndefined();
    expect(await fetched).toBe("late");
  },
);
