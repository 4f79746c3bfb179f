import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import {
  clientAddress,
  createTrustedProxies,
  isProxyEntry,
  networkOf,
  noteClientAddress,
} from "./client-address.ts";

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
    const request = {
      socket,
      headers: { "x-forwarded-for": forwarded },
    } as unknown as IncomingMessage;
    noteClientAddress(request, isTrusted);
    assert.equal(clientAddress(request), expected);
  });

test("one who has a network of IPv6 is one, whatever address they take in it", () => {
  const network = (remoteAddress: string) =>
    networkOf({ socket: { remoteAddress }, headers: {} } as never);
  assert.equal(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff:1:2:3"));
  assert.notEqual(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
  assert.equal(network("::ffff:198.51.100.1"), network("198.51.100.1"));
  assert.notEqual(network("198.51.100.1"), network("198.51.100.2"));
});

test("a proxy is named by its address or its network", () => {
  for (const entry of ["192.0.2.1", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32"])
    assert.ok(isProxyEntry(entry), entry);
  for (const entry of [
    "",
    "*",
    "10.*",
    "zz",
    "proxy.example.org",
    "10.0.0.0/33",
    "10.0.0.5:80",
    "x/8",
  ])
    assert.ok(!isProxyEntry(entry), entry);
});
