// Owns which addresses an HTTP server may have: none in a private range, unless the configuration named it.
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { AccessProblem } from "./access-problem.ts";
import { printable } from "./printable.ts";

/** Resolves a name to all of its addresses. */
export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface AddressGuard {
  /** Throws AccessProblem for a host that is, by its very text, an address that may not be reached. */
  check(url: URL): void;
  /** Resolves, checks, and hands on exactly what was checked, so that no second answer can take its place. */
  readonly lookup: LookupFunction;
}

const V4: readonly (readonly [subnet: string, prefix: number, range: string])[] = [
  ["0.0.0.0", 8, "unspecified"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "documentation"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];
const V6: readonly (readonly [subnet: string, prefix: number, range: string])[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["::", 96, "reserved"],
  ["64:ff9b:1::", 48, "NAT64"],
  ["100::", 64, "discard"],
  ["2001::", 32, "Teredo"],
  ["2001:db8::", 32, "documentation"],
  ["fc00::", 7, "unique local"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "site-local"],
  ["ff00::", 8, "multicast"],
];
/** IPv6 addresses that stand for an IPv4 address, and at which of their eight groups that begins. */
const CARRIERS: readonly (readonly [subnet: string, prefix: number, group: number])[] = [
  ["::ffff:0:0", 96, 6],
  ["::ffff:0:0:0", 96, 6],
  ["64:ff9b::", 96, 6],
  ["2002::", 16, 1],
];

const ranges: readonly { readonly list: BlockList; readonly family: 4 | 6; readonly range: string }[] = [
  ...V4.map(([subnet, prefix, range]) => ({
    list: listOf(subnet, prefix, "ipv4"),
    family: 4 as const,
    range,
  })),
  ...V6.map(([subnet, prefix, range]) => ({
    list: listOf(subnet, prefix, "ipv6"),
    family: 6 as const,
    range,
  })),
];
const carriers = CARRIERS.map(([subnet, prefix, group]) => ({ list: listOf(subnet, prefix, "ipv6"), group }));

function listOf(subnet: string, prefix: number, family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  list.addSubnet(subnet, prefix, family);
  return list;
}

/** The range an IP address lies in that is no public one; undefined for a public address. */
export function restrictedRange(address: string): string | undefined {
  const [bare = ""] = address.split("%", 1);
  const family = isIP(bare);
  if (family === 0) return "malformed";
  if (family === 4) return rangeOf(bare, 4);
  // Security: an IPv4 address may travel inside an IPv6 one; what counts is where it ends.
  const carrier = carriers.find(({ list }) => list.check(bare, "ipv6"));
  return carrier === undefined ? rangeOf(bare, 6) : rangeOf(embedded(bare, carrier.group), 4);
}

function rangeOf(address: string, family: 4 | 6): string | undefined {
  const type = family === 4 ? "ipv4" : "ipv6";
  return ranges.find((one) => one.family === family && one.list.check(address, type))?.range;
}

function embedded(address: string, group: number): string {
  // The URL parser writes any spelling of an address in one way: groups in hexadecimal, with at most one gap.
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  const [high, low] = [
    Number.parseInt(groups[group] ?? "", 16),
    Number.parseInt(groups[group + 1] ?? "", 16),
  ];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The host as it is compared: lower case, without brackets and the dot that ends a full name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** A host that only this machine can be. */
export function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return restrictedRange(host) === "loopback";
  return host === "localhost" || host.endsWith(".localhost");
}

/** A host whose very text says that it is no public one. */
export function namesPrivate(host: string): boolean {
  if (isIP(host) !== 0) return restrictedRange(host) !== undefined;
  return !host.includes(".") || /\.(?:localhost|local|internal|lan|intranet|home\.arpa)$/.test(host);
}

/**
 * `named`: URLs of the server's entry. A private address, `localhost`, a name without a dot, or one under .local, .lan,
 * .internal, .intranet or .home.arpa in one of them may be private; with a loopback host all of loopback may be reached.
 */
export function createAddressGuard(options: {
  readonly named: readonly URL[];
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve;
}): AddressGuard {
  const hosts = new Set(options.named.map(hostOf).filter(namesPrivate));
  const loopback = [...hosts].some(isLoopback);
  const resolve: Resolve =
    options.resolve ?? ((hostname, done) => systemLookup(hostname, { all: true, verbatim: true }, done));

  function allows(host: string, range: string): boolean {
    if (options.allowPrivate) return true;
    return isLoopback(host) ? loopback && range === "loopback" : hosts.has(host);
  }

  return {
    check(url) {
      const host = hostOf(url);
      const range = isIP(host) === 0 ? undefined : restrictedRange(host);
      if (range !== undefined && !allows(host, range)) throw refusal(host, undefined, range);
    },
    lookup(hostname, given, done) {
      const host = hostname.toLowerCase().replace(/\.$/, "");
      resolve(hostname, (error, addresses) => {
        if (error !== null) return done(error, "", 0);
        const bad = addresses
          .map(({ address }) => ({ address, range: restrictedRange(address) }))
          .find(({ range }) => range !== undefined && !allows(host, range));
        if (bad?.range !== undefined) return done(refusal(host, bad.address, bad.range), "", 0);
        const fitting = addresses.filter(({ family }) => !given.family || family === familyOf(given.family));
        const [first] = fitting;
        if (first === undefined) return done(notFound(host), "", 0);
        if (given.all === true) done(null, [...fitting]);
        else done(null, first.address, first.family);
      });
    },
  };
}

function familyOf(given: number | string): number {
  return given === "IPv6" || given === 6 ? 6 : 4;
}

function notFound(host: string): Error {
  return Object.assign(new Error(`${printable(host, 100)} has no address`), { code: "ENOTFOUND" });
}

function refusal(host: string, address: string | undefined, range: string): AccessProblem {
  const what = address === undefined ? "is" : `resolves to ${printable(address, 60)},`;
  return new AccessProblem(
    `host ${printable(host, 100)} ${what} a ${range} address, which is not connected to; ` +
      `if that is meant, set "allowPrivate": true in the server's entry`,
  );
}
