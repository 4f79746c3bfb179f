import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { renderAppFrame } from "./app-frame.ts";

const frame = (csp: unknown, host = "127.0.0.1:7420") => {
  const text = typeof csp === "string" ? csp : JSON.stringify(csp);
  const { headers, body } = renderAppFrame(`?csp=${encodeURIComponent(text)}`, host);
  const rules = String(headers["content-security-policy"]).split("; ");
  const directives = new Map(rules.map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1)]));
  return { headers, body, rules, sourcesOf: (name: string) => directives.get(name) ?? [] };
};

const closed = frame({});

test("a page without a declared policy reaches nothing and belongs to no origin", () => {
  assert.deepEqual(closed.sourcesOf("sandbox"), ["allow-scripts", "allow-forms"]);
  assert.deepEqual(closed.sourcesOf("default-src"), ["'none'"]);
  assert.deepEqual(closed.sourcesOf("connect-src"), ["blob:", "data:"]);
  for (const name of ["frame-src", "base-uri", "form-action", "object-src"])
    assert.deepEqual(closed.sourcesOf(name), ["'none'"], name);
  assert.deepEqual(closed.sourcesOf("frame-ancestors"), ["'self'"]);
  assert.equal(closed.headers["connection-allowlist"], "()");
  assert.ok(
    !closed.rules.some((rule) => rule.includes("'self'") && !rule.startsWith("frame-ancestors")),
  );
});

test("what a server declares is allowed where it belongs", () => {
  const { sourcesOf, headers } = frame({
    connectDomains: ["https://api.example.com", "wss://live.example.com:8443"],
    resourceDomains: ["https://*.cdn.example.com/"],
    frameDomains: ["https://video.example.com"],
    baseUriDomains: ["https://cdn.example.com"],
  });
  assert.deepEqual(sourcesOf("connect-src"), [
    "blob:",
    "data:",
    "https://api.example.com",
    "wss://live.example.com:8443",
  ]);
  for (const name of ["script-src", "style-src", "img-src", "font-src", "media-src"])
    assert.ok(sourcesOf(name).includes("https://*.cdn.example.com"), name);
  assert.deepEqual(sourcesOf("frame-src"), ["https://video.example.com"]);
  assert.deepEqual(sourcesOf("base-uri"), ["https://cdn.example.com"]);
  assert.equal(
    headers["connection-allowlist"],
    '("https://api.example.com" "wss://live.example.com:8443" "https://*.cdn.example.com" "https://video.example.com")',
  );
});

const refused = [
  "*",
  "https:",
  "https://*",
  "https://*:443",
  "http://*.",
  "'unsafe-inline'",
  "'self'",
  "https://a.example; script-src *",
  "https://a.example\r\nset-cookie: a=b",
  'https://a.example") ("https://b.example',
  "https://a.example https://b.example",
  "https://a.example/path",
  "https://user@a.example",
  "//a.example",
  "data:",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "filesystem://a",
  "HTTP://127.0.0.1:7420",
  "http://localhost:7420",
  "http://127.0.0.2:7420",
  "http://anything.localhost:7420",
  "ws://localhost:7420/",
  "http://*.localhost:7420",
  "http://localhost.:7420",
  "http://0.0.0.0:7420",
  "http://0:7420",
  "http://0x7f000001:7420",
  "http://2130706433:7420",
  "http://127.1:7420",
  "https://localtest.me:7420",
  "http://*.example.com:7420",
  "http://10.0.0.7:7420",
  "",
  `https://${"a".repeat(300)}.example`,
];

test("what is no plain source of another place is left out", () => {
  const kinds = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];
  for (const one of refused) {
    const { rules, headers } = frame(Object.fromEntries(kinds.map((kind) => [kind, [one]])));
    assert.deepEqual([rules, headers["connection-allowlist"]], [closed.rules, "()"], one);
  }
});

test("the plane's own name is left out, also behind a wildcard", () => {
  for (const one of [
    "https://tools.example.com",
    "http://tools.example.com:80",
    "https://*.example.com",
    "https://tools.example.com.",
    "https://*.com",
    "https://localhost",
    "http://*.localhost",
    "http://a.localhost.:80",
    "http://0.0.0.0",
    "wss://127.0.0.2:443",
    "http://0x7f.1",
    ...Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? [])
        .filter(({ family }) => family === "IPv4")
        .map(({ address }) => `https://${address}`),
    ),
  ])
    assert.deepEqual(
      frame({ connectDomains: [one] }, "tools.example.com").rules,
      closed.rules,
      one,
    );
  const other = frame({ connectDomains: ["https://tools.example.com:8443"] }, "tools.example.com");
  assert.ok(other.sourcesOf("connect-src").includes("https://tools.example.com:8443"));
  const beside = frame({ connectDomains: ["http://localhost:3000", "https://a.example"] });
  assert.deepEqual(beside.sourcesOf("connect-src").slice(2), [
    "http://localhost:3000",
    "https://a.example",
  ]);
});

test("a policy of another form is none, and one beyond the limits is cut", () => {
  for (const csp of [
    "",
    "{",
    "[]",
    "null",
    '"*"',
    '{"connectDomains":"https://a.example"}',
    '{"connectDomains":[1,{}]}',
  ])
    assert.deepEqual(frame(csp).rules, closed.rules, csp);
  const many = frame({
    connectDomains: Array.from({ length: 500 }, (_, at) => `https://a${at}.b`),
  });
  assert.equal(many.sourcesOf("connect-src").length, 64 + 2);
  const huge = frame({ connectDomains: ["https://a.example"], padding: "x".repeat(20_000) });
  assert.deepEqual(huge.rules, closed.rules);
});
