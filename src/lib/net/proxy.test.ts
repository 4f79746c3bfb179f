import assert from "node:assert/strict";
import { test } from "node:test";
import { proxyFor, readProxiesFrom } from "./proxy.ts";

function proxied(address: string, environment: Record<string, string>): string | null {
  readProxiesFrom(environment);
  const found = proxyFor(new URL(address));
  readProxiesFrom({});
  return found && `${found.variable} ${found.url.host}`;
}

test("the scheme of an address says which variable counts, and the small letters win", () => {
  const both = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "https://safe:2" };
  assert.equal(proxied("http://a.test/", both), "HTTP_PROXY plain:1");
  assert.equal(proxied("ws://a.test/", both), "HTTP_PROXY plain:1");
  assert.equal(proxied("https://a.test/", both), "HTTPS_PROXY safe:2");
  assert.equal(proxied("wss://a.test/", both), "HTTPS_PROXY safe:2");
  assert.equal(
    proxied("https://a.test/", { ...both, https_proxy: "small:3" }),
    "https_proxy small:3",
  );
  assert.equal(proxied("https://a.test/", { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "" }), null);
});

for (const [noProxy, address, isDirect] of [
  ["*", "https://a.test/", true],
  ["a.test", "https://a.test/", true],
  ["A.TEST.", "https://a.test/", false],
  ["a.test", "https://A.Test./", true],
  ["a.test", "https://b.a.test/", true],
  [".a.test", "https://b.a.test/", true],
  ["*.a.test", "https://b.a.test/", true],
  ["a.test", "https://ba.test/", false],
  ["a.test:443", "https://a.test/", true],
  ["a.test:8443", "https://a.test/", false],
  ["x.test b.test,a.test", "https://a.test/", true],
  ["10.0.0.7", "https://10.0.0.7/", true],
  ["10.0.0.7", "https://10.0.0.70/", false],
  ["2001:db8::1", "https://[2001:db8::1]/", true],
  ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443/", true],
  ["[2001:db8::1]:8443", "https://[2001:db8::1]/", false],
  ["", "https://a.test/", false],
] as const)
  test(`with NO_PROXY '${noProxy}', ${address} is reached ${isDirect ? "directly" : "through the proxy"}`, () => {
    const found = proxied(address, { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: noProxy });
    assert.equal(found === null, isDirect);
  });

for (const near of [
  "http://localhost:1/",
  "http://a.localhost/",
  "http://127.9.9.9/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
])
  test(`${near} is this machine, and never behind a proxy`, () => {
    assert.equal(proxied(near, { HTTP_PROXY: "http://proxy:3128" }), null);
  });
