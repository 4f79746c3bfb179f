import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { canonicalAddress } from "./address-class.ts";
import { parseAllowed } from "./allow-list.ts";

const notedAddresses = new WeakMap<IncomingMessage, string>();

/** Addresses and networks of proxies whose word about their clients counts. */
export type TrustedProxies = (address: string) => boolean;

/** An address or a network; by name no sender is known. */
export function isProxyEntry(entry: string): boolean {
  return isIP(entry) !== 0 || (entry.includes("/") && parseAllowed(entry) !== null);
}

export function createTrustedProxies(entries: readonly string[]): TrustedProxies {
  const parsed = entries.map(parseAllowed).filter((entry) => entry !== null);
  return (address) => parsed.some(({ matches }) => matches(address, address));
}

/** Remembers who is behind the trusted proxies of a request; what other senders say of themselves does not count. */
export function noteClientAddress(request: IncomingMessage, isTrusted: TrustedProxies): void {
  const { remoteAddress } = request.socket;
  const forwarded = String(request.headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((part) => part.trim());
  let address = plainAddress(remoteAddress ?? "");
  while (isTrusted(address)) {
    const next = plainAddress(forwarded.pop() ?? "");
    if (isIP(next) === 0) break;
    address = next;
  }
  notedAddresses.set(request, address);
}

/** Of the client, as far as it is known; else of the other end of the connection. */
export function clientAddress(request: IncomingMessage): string | undefined {
  return notedAddresses.get(request) ?? request.socket.remoteAddress;
}

/** What one party has at hand: an IPv4 address, or a network of IPv6, in which it takes any address that it likes. */
export function networkOf(request: IncomingMessage): string {
  const address = canonicalAddress(clientAddress(request) ?? "");
  if (isIP(address) === 4) return address;
  return address.split(":").slice(0, 4).join(":");
}

/** An IPv4 address is one, also where it is written in IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
