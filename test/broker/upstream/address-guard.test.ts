// Which addresses an HTTP server may have, whatever they are written as and whatever a name resolves to.
import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import {
  createAddressGuard,
  restrictedRange,
  type AddressGuard,
} from "../../../broker/upstream/address-guard.ts";
import { verifies } from "../../requirements.ts";

function guard(
  url: string,
  options: { allowPrivate?: boolean; answers?: readonly string[] } = {},
): AddressGuard {
  const { allowPrivate = false, answers = [] } = options;
  const addresses = answers.map((address): LookupAddress => ({
    address,
    family: address.includes(":") ? 6 : 4,
  }));
  return createAddressGuard({
    named: [new URL(url)],
    allowPrivate,
    resolve: (_hostname, done) => done(null, addresses),
  });
}

function looked(one: AddressGuard, hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    one.lookup(hostname, { all: true }, (error, found) => {
      if (error === null) resolve(found as LookupAddress[]);
      else reject(error);
    });
  });
}

test.each([
  ["0.0.0.0", "unspecified"],
  ["10.255.0.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.100.100.200", "carrier-grade NAT"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "link-local"],
  ["172.31.255.255", "private"],
  ["192.168.0.1", "private"],
  ["198.19.0.1", "benchmarking"],
  ["239.1.1.1", "multicast"],
  ["255.255.255.255", "reserved"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::7f00:1", "reserved"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:a9fe:a9fe", "link-local"],
  ["::ffff:0:10.0.0.1", "private"],
  ["64:ff9b::10.0.0.1", "private"],
  ["64:ff9b:1::1", "NAT64"],
  ["2002:7f00:1::", "loopback"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"],
  ["fd00:ec2::254", "unique local"],
  ["fe80::1%eth0", "link-local"],
  ["ff02::1", "multicast"],
  ["localhost", "malformed"],
])(verifies("access:addresses", "%s is no public address: %s"), (address, range) => {
  expect(restrictedRange(address)).toBe(range);
});

test.each([
  "1.1.1.1",
  "172.32.0.1",
  "192.0.1.1",
  "2606:4700::1111",
  "::ffff:1.1.1.1",
  "64:ff9b::1.1.1.1",
  "2002:101:101::",
])(verifies("access:addresses", "%s is a public address"), (address) => {
  expect(restrictedRange(address)).toBeUndefined();
});

test.each([
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://127.0.0.1./",
  "http://[::ffff:127.0.0.1]/",
  "http://[::1]/",
  "http://user:word@169.254.169.254/",
  "http://①②⑦.0.0.1/",
])(verifies("access:addresses", "an address in any spelling is recognised: %s"), (url) => {
  expect(() => guard("https://example.com").check(new URL(url))).toThrow(
    /not connected to.*"allowPrivate": true/,
  );
});

test.each(["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "::ffff:192.168.1.1", "fd12::1"])(
  verifies("access:addresses", "a public name that resolves to %s is refused, with name, address and remedy"),
  async (address) => {
    const one = guard("https://example.com", { answers: ["1.1.1.1", address] });
    const failure = await looked(one, "example.com").catch((error: Error) => error.message);
    expect(failure).toContain(`host example.com resolves to ${address}`);
    expect(failure).toContain('set "allowPrivate": true');
  },
);

test(verifies("access:addresses", "what was checked is what is connected to, and only that"), async () => {
  const one = guard("https://example.com", { answers: ["1.1.1.1", "2606:4700::1111"] });
  expect(await looked(one, "example.com")).toEqual([
    { address: "1.1.1.1", family: 4 },
    { address: "2606:4700::1111", family: 6 },
  ]);
});

test.each([
  ["http://localhost:3000/mcp", "localhost", "127.0.0.1"],
  ["http://app.localhost/mcp", "app.localhost", "::1"],
  ["http://tools/mcp", "tools", "10.1.2.3"],
  ["http://nas.local/mcp", "nas.local", "192.168.1.5"],
  ["http://mcp.corp.internal./mcp", "mcp.corp.internal", "10.1.2.3"],
  ["http://printer.home.arpa/mcp", "printer.home.arpa", "fd00::1"],
])(verifies("access:addresses", "a URL that says it is private may be: %s"), async (url, name, address) => {
  expect(await looked(guard(url, { answers: [address] }), name)).toMatchObject([{ address }]);
});

test(
  verifies("access:addresses", "a private name allows itself, not another; loopback allows loopback only"),
  async () => {
    const named = guard("http://tools.lan/mcp", { answers: ["10.0.0.1"] });
    await expect(looked(named, "login.lan")).rejects.toThrow(/login\.lan/);
    expect(() => named.check(new URL("http://10.0.0.1/"))).toThrow();
    const loop = guard("http://127.0.0.1:3000/mcp", { answers: ["10.0.0.1"] });
    expect(() => loop.check(new URL("http://127.0.0.2:99/"))).not.toThrow();
    expect(() => loop.check(new URL("http://10.0.0.1/"))).toThrow();
    await expect(looked(loop, "localhost")).rejects.toThrow(/private/);
  },
);

test(verifies("access:addresses", "allowPrivate allows every address"), async () => {
  const one = guard("https://mcp.example.com", { allowPrivate: true, answers: ["10.0.0.1"] });
  expect(await looked(one, "mcp.example.com")).toMatchObject([{ address: "10.0.0.1" }]);
  expect(() => one.check(new URL("http://169.254.169.254/"))).not.toThrow();
});
