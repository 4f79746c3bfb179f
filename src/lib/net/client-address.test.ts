import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { clientAddress, createTrustedProxies, noteClientAddress } from "./client-address.ts";

const isTrusted = createTrustedProxies(["10.0.0.0/8", "192.0.2.1"]);

for (const [from, forwarded, expected] of [
  ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["10.1.2.3", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
  ["10.1.2.3", "198.51.100.1, 192.0.2.1", "198.51.100.1"],
  ["10.1.2.3", "", "10.1.2.3"],
  ["10.1.2.3", "made up", "10.1.2.3"],
  ["10.1.2.3", "2001:db8::1", "2001:db8::1"],
] as const)
  test(`a request of ${from} that was forwarded for '${forwarded}' is one of ${expected}`, () => {
    const socket = { remoteAddress: from };
    const request = { socket, headers: { "x-forwarded-for": forwarded } } as unknown as IncomingMessage;
    noteClientAddress(request, isTrusted);
    assert.equal(clientAddress(request), expected);
  });
