// How HTTP servers are reached: guarded at every hop, redirects explained, proxies of the environment.
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createLiveSecrets } from "../../../broker/live-secrets.ts";
import type { HttpPowers } from "../../../broker/upstream/http-access.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { verifies } from "../../requirements.ts";
import { serve } from "./http-support.ts";
import { listenLocal } from "./oauth-support.ts";
import { ask, names, open, said, thrown } from "./support.ts";

function reach(url: string, powers: Partial<HttpPowers> = {}, entry: Record<string, unknown> = {}): Upstream {
  return open({ type: "http", url, ...entry }, { http: { secrets: createLiveSecrets(), ...powers } });
}

test(
  verifies("access:addresses", "a name that resolves into the private network is never connected to"),
  async () => {
    const server = await serve({});
    const { port } = new URL(server.url);
    const resolve: HttpPowers["resolve"] = (_name, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
    const url = `http://mcp.example.com:${port}/mcp`;
    const failure = await thrown(names(reach(url, { resolve })));
    expect(failure).toMatchObject({
      code: "CALL_UPSTREAM_UNAVAILABLE",
      data: { server: "srv", sent: false },
    });
    expect(failure.message).toMatch(
      /server "srv" is not available: host mcp\.example\.com resolves to 127\.0\.0\.1, a loopback address.*"allowPrivate": true/,
    );
    expect(server.seen).toEqual([]);
    expect(await names(reach(url, { resolve }, { allowPrivate: true }))).toEqual(["t"]);
  },
);

test(
  verifies("access:addresses", "a name that changes its address between two connections is checked again"),
  async () => {
    const server = await serve({ call: (exchange) => exchange.response.destroy() });
    const { port } = new URL(server.url);
    let address = "127.0.0.1";
    const resolve: HttpPowers["resolve"] = (_name, done) => done(null, [{ address, family: 4 }]);
    const upstream = reach(`http://app.localhost:${port}/mcp`, { resolve });
    await names(upstream);
    address = "10.0.0.1";
    await thrown(ask(upstream, "t"));
    const failures = await Promise.all([1, 2, 3, 4].map(() => thrown(ask(upstream, "t"))));
    expect(failures.map(({ message }) => message).join("\n")).toContain(
      "resolves to 10.0.0.1, a private address",
    );
  },
);

test.each([301, 302, 303, 307, 308])(
  verifies(
    "access:redirects",
    "a redirect (%i) to another origin is not followed; the message says where it leads",
  ),
  async (status) => {
    const other = await serve({});
    const location = `${other.url}?secret=1`;
    const server = await serve({
      first: (exchange) => {
        exchange.refuse(status, "", { location });
        return true;
      },
    });
    const failure = await thrown(names(reach(server.url, {}, { headers: { "x-key": "sesame-open-up" } })));
    expect(failure.message).toContain(
      `redirects to ${new URL(other.url).origin} (HTTP ${status}), which is not followed`,
    );
    expect(failure.message).not.toContain("secret=1");
    expect(other.seen).toEqual([]);
  },
);

test(verifies("access:redirects", "a redirect to the metadata address of a cloud goes nowhere"), async () => {
  const server = await serve({
    first: (exchange) => {
      exchange.refuse(307, "", { location: "http://169.254.169.254/latest/meta-data/" });
      return true;
    },
  });
  const failure = await thrown(names(reach(server.url)));
  expect(failure.message).toContain("redirects to http://169.254.169.254 (HTTP 307), which is not followed");
});

/** A forward proxy that tunnels and forwards, and remembers what it was asked for. */
async function proxy(
  target: string,
): Promise<{ readonly url: string; readonly asked: string[]; auth: string[] }> {
  const asked: string[] = [];
  const auth: string[] = [];
  const { port } = new URL(target);
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    auth.push(request.headers["proxy-authorization"] ?? "");
    const { pathname } = new URL(request.url ?? "");
    const init = { method: request.method ?? "GET", headers: request.headers as Record<string, string> };
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      delete init.headers["transfer-encoding"];
      delete init.headers["content-length"];
      delete init.headers["connection"];
      delete init.headers["host"];
      void fetch(`http://127.0.0.1:${port}${pathname}`, { ...init, ...(body === "" ? {} : { body }) }).then(
        async (answer) => {
          response.writeHead(answer.status, {
            "content-type": answer.headers.get("content-type") ?? "text/plain",
            ...(answer.headers.has("mcp-session-id")
              ? { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" }
              : {}),
          });
          response.end(await answer.text());
        },
      );
    });
  });
  server.on("connect", (request, socket, head) => {
    asked.push(`CONNECT ${request.url ?? ""}`);
    auth.push(request.headers["proxy-authorization"] ?? "");
    const upstream = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port: own } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${own}`, asked, auth };
}

test.each(["http_proxy", "HTTP_PROXY"])(
  verifies(
    "access:proxies",
    "a proxy that the environment names with %s is used, with its password, which is not shown",
  ),
  async (name) => {
    const server = await serve({});
    const { url, asked, auth } = await proxy(server.url);
    const secrets = createLiveSecrets();
    const env = { [name]: url.replace("http://", "http://me:sesame-word@") };
    const upstream = reach("http://mcp.example.com/mcp", { env, secrets });
    expect(await names(upstream)).toEqual(["t"]);
    expect(await said(ask(upstream, "t"))).toBe("fine");
    expect(asked.every((one) => one.includes("mcp.example.com"))).toBe(true);
    expect(auth[0]).toBe(`Basic ${Buffer.from("me:sesame-word").toString("base64")}`);
    expect(secrets.values()).toContain("sesame-word");
  },
);

test(verifies("access:proxies", "NO_PROXY and loopback go past the proxy, and stay guarded"), async () => {
  const server = await serve({});
  const { port } = new URL(server.url);
  const { url, asked } = await proxy(server.url);
  const env = { HTTP_PROXY: url, NO_PROXY: ".example.com" };
  const resolve: HttpPowers["resolve"] = (_name, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
  expect(await names(reach(server.url, { env }))).toEqual(["t"]);
  expect(await names(reach(`http://localhost:${port}/mcp`, { env, resolve }))).toEqual(["t"]);
  const failure = await thrown(names(reach(`http://mcp.example.com:${port}/mcp`, { env, resolve })));
  expect(failure.message).toContain("a loopback address");
  expect(asked).toEqual([]);
});

test(verifies("access:proxies", "an address written as such is not asked of a proxy either"), async () => {
  const target = await listenLocal((_request, response) => response.end());
  const { url, asked } = await proxy(target);
  const server = await serve({
    first: (exchange) => {
      const challenge = 'Bearer resource_metadata="https://169.254.169.254/x"';
      exchange.refuse(401, "", { "www-authenticate": challenge });
      return true;
    },
  });
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url };
  const entry = { oauth: { grant: "client_credentials", clientId: "me", clientSecret: "sesame-word" } };
  const failure = await thrown(names(reach(server.url, { env }, entry)));
  expect(failure.message).toContain("host 169.254.169.254 is a link-local address");
  expect(asked).toEqual([]);
});

test.each(["ftp://me:sesame@x", "http://me:sesame%zz@x:3128"])(
  verifies("access:proxies", "a proxy that cannot be used fails its server, and its value is not shown: %s"),
  async (value) => {
    const failure = await thrown(names(reach("http://mcp.example.com/mcp", { env: { HTTPS_PROXY: value } })));
    expect(failure.message).toContain("HTTPS_PROXY of the environment is not the URL of a proxy");
    expect(failure.message).not.toContain("sesame");
  },
);
