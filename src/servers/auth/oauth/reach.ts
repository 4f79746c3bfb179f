import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import net, { isIP } from "node:net";
import { OAuthProblem } from "./problem.ts";

/** Where we may go when a stranger's document tells us to. */
export type Reach = { privateToo: boolean };

const inside = new net.BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  inside.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 127],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
] as const)
  inside.addSubnet(network, bits, "ipv6");

/** IPv4 addresses in IPv6 clothes are looked at as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return inside.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** A server that is itself inside may send us to its neighbours; one outside may not. */
export async function reachOf(serverUrl: string): Promise<Reach> {
  const host = hostOf(new URL(serverUrl));
  if (isIP(host) !== 0) return { privateToo: isPrivateAddress(host) };
  try {
    const found = await lookup(host, { all: true });
    return { privateToo: found.some(({ address }) => isPrivateAddress(address)) };
  } catch {
    return { privateToo: false };
  }
}

/** The address a document gave, when it is one to go to. */
export function allowedUrl(text: unknown, what: string, reach: Reach): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new OAuthProblem(`${what} is not an address`);
  const host = hostOf(url);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(host));
  if (!isSafe) throw new OAuthProblem(`${what} (${shown(url)}) must be https, or http on this machine`);
  if (url.username !== "" || url.password !== "")
    throw new OAuthProblem(`${what} (${shown(url)}) must not hold a user name or password`);
  if (!reach.privateToo && isIP(host) !== 0 && isPrivateAddress(host)) throw privateProblem(host);
  return url;
}

/** Looks at the address that is really connected to, so that a name cannot change its meaning in between. */
export function guardedLookup(reach: Reach): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }).then(
      (found) => {
        const wrong = found.some(({ address }) => isPrivateAddress(address)) && !reach.privateToo;
        const [first] = found;
        if (wrong || !first) callback(privateProblem(host), "", 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (thrown: NodeJS.ErrnoException) => callback(thrown, "", 0),
    );
  };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function shown(url: URL): string {
  return url.origin === "null" ? url.protocol : url.origin;
}

function privateProblem(host: string): OAuthProblem {
  return new OAuthProblem(`'${host}' is on a private network, and the server that names it is not`);
}
