import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { checkOrigin } from "./origin.ts";

async function statusOf(listening: string, headers: Record<string, string>): Promise<number> {
  const app = new Hono().use(checkOrigin(listening)).get("/", (c) => c.text("served"));
  return (await app.request("http://ignored/", { headers })).status;
}

test("a plane behind a balancer is reached by the names that it was given, and by no other", async () => {
  const app = new Hono()
    .use(checkOrigin("0.0.0.0", ["Tools.example.org"]))
    .get("/", (c) => c.text("served"));
  const ask = async (headers: Record<string, string>) =>
    (await app.request("http://x/", { headers })).status;
  const host = "tools.example.org";
  assert.equal(await ask({ host, origin: "https://tools.example.org" }), 200);
  assert.equal(await ask({ host: "10.1.2.3:7420" }), 403);
  assert.equal(await ask({ host: "tools.example.org.evil.example" }), 403);
  assert.equal(await ask({ host, origin: "https://evil.example" }), 403);
});

const cases: [
  title: string,
  listening: string,
  headers: Record<string, string>,
  served: boolean,
][] = [
  ["an address of this machine", "127.0.0.1", { host: "127.0.0.1:7420" }, true],
  ["the name of this machine", "127.0.0.1", { host: "localhost:7420" }, true],
  ["the name in capitals", "127.0.0.1", { host: "LOCALHOST:7420" }, true],
  ["the IPv6 address of this machine", "::1", { host: "[::1]:7420" }, true],
  ["a host without a port", "127.0.0.1", { host: "localhost" }, true],
  ["the host that was asked for", "plane.example.com", { host: "plane.example.com" }, true],
  [
    "the host that was asked for in capitals",
    "Plane.Example.com",
    { host: "plane.example.com" },
    true,
  ],
  ["the IPv6 address that was asked for", "fd00::1", { host: "[fd00::1]:80" }, true],
  ["a host that only points here", "127.0.0.1", { host: "evil.example.com:7420" }, false],
  ["a host that begins like ours", "127.0.0.1", { host: "localhost.evil.example.com" }, false],
  ["a host with our name as its user", "127.0.0.1", { host: "localhost@evil.example.com" }, false],
  ["no host", "127.0.0.1", { host: "" }, false],
  [
    "a page of this machine",
    "127.0.0.1",
    { host: "localhost:7420", origin: "http://localhost:7420" },
    true,
  ],
  [
    "a page of another site",
    "127.0.0.1",
    { host: "localhost:7420", origin: "https://evil.example.com" },
    false,
  ],
  [
    "a page of this machine under its other name",
    "127.0.0.1",
    { host: "127.0.0.1:7420", origin: "http://localhost:7420" },
    true,
  ],
  [
    "a page of this machine on another port",
    "127.0.0.1",
    { host: "localhost:7420", origin: "http://localhost:3000" },
    false,
  ],
  [
    "a page of this machine on the usual port",
    "127.0.0.1",
    { host: "localhost:7420", origin: "http://localhost" },
    false,
  ],
  [
    "a page behind a proxy that speaks TLS",
    "plane.example.com",
    { host: "plane.example.com", origin: "https://plane.example.com" },
    true,
  ],
  ["a page without a site", "127.0.0.1", { host: "localhost:7420", origin: "null" }, false],
  [
    "a page that hides its site",
    "127.0.0.1",
    { host: "localhost", origin: "http://localhost@evil.example.com" },
    false,
  ],
  [
    "a page of another scheme",
    "127.0.0.1",
    { host: "localhost", origin: "ftp://localhost" },
    false,
  ],
];

test("what is refused says why, and nothing of tools and principals", async () => {
  const app = new Hono().use(checkOrigin("127.0.0.1")).get("/", (c) => c.text("served"));
  const answer = await app.request("/", { headers: { host: "evil.example.com" } });
  const { code, title, detail } = (await answer.json()) as {
    code: string;
    title: string;
    detail: string;
  };
  assert.equal(code, "ORIGIN_REFUSED");
  assert.match(
    detail,
    /Use the address that 'toolplane serve' printed, or start it with --allow-host NAME\./,
  );
  assert.match(title, /came by a host or from a web page that is not served here/);
});

for (const [title, listening, headers, served] of cases) {
  test(`${title} is ${served ? "served" : "refused"}`, async () => {
    assert.equal(await statusOf(listening, headers), served ? 200 : 403);
  });
}
