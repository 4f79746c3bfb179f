import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { allowedUrl, checkedFetch, isPrivateAddress, reachOf, readObject } from "./checked-fetch.ts";

const outside = { privateToo: false };
const fetchInside = checkedFetch({ privateToo: true });

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("redirects are followed for reading within an origin, and never for writing or elsewhere", async () => {
  using server = await listen((request, response) => {
    const to = new URL(request.url ?? "/", "http://x").searchParams.get("to");
    if (to === null) response.end('{"here":true}');
    else response.writeHead(307, { location: to }).end();
  });
  assert.deepEqual(await readObject(await fetchInside(server.url("/?to=/end"))), { here: true });
  const refused = { name: "OAuthProblem", message: /redirects, which is not followed/ };
  await assert.rejects(fetchInside(server.url("/?to=http://127.0.0.1:1/")), refused);
  await assert.rejects(fetchInside(server.url("/?to=/end"), { body: new URLSearchParams() }), refused);
  await assert.rejects(fetchInside(server.url("/?to=http://[")), refused);
});

test("a redirect that goes in circles ends", async () => {
  using server = await listen((_, response) => response.writeHead(302, { location: "/again" }).end());
  await assert.rejects(fetchInside(server.url("/")), /not followed/);
});

test("an answer that is too long, no JSON, or truncated has an error of its own", async () => {
  using server = await listen((request, response) => {
    if (request.url === "/long") response.end(`"${"x".repeat(1_000_000)}"`);
    else if (request.url === "/list") response.end("[1]");
    else if (request.url === "/text") response.writeHead(404).end("<html>");
    else response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy());
  });
  await assert.rejects(fetchInside(server.url("/long")), /answers too much/);
  assert.equal(await readObject(await fetchInside(server.url("/list"))), null);
  const page = await fetchInside(server.url("/text"));
  assert.deepEqual([page.status, await readObject(page)], [404, null]);
  await assert.rejects(fetchInside(server.url("/broken?key=secret")), (error: Error) => {
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ could not be asked: /);
    return true;
  });
});

test("private, local and reserved addresses are recognised in every notation", () => {
  const inside = ["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"];
  const insideSix = ["::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:a01:203", "2002:7f00:1::"];
  for (const address of [...inside, ...insideSix, "255.255.255.255"])
    assert.equal(isPrivateAddress(address), true, address);
  for (const address of ["1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])
    assert.equal(isPrivateAddress(address), false, address);
});

test("a server outside cannot send us inside, whichever way the address is written", async () => {
  const addresses = [
    "http://127.0.0.1/",
    "https://[::1]/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://10.0.0.1/",
  ];
  for (const address of addresses) assert.throws(() => allowedUrl(address, "it", outside), /private network/, address);
  const named = allowedUrl("http://localhost:9/", "it", outside);
  await assert.rejects(checkedFetch(outside)(named.href), /'localhost' is on a private network/);
  await assert.rejects(checkedFetch(outside)("https://[::ffff:a01:203]/"), /is on a private network/);
});

test("a server inside may send us to its neighbours", async () => {
  assert.deepEqual(await reachOf("http://127.0.0.1:1/mcp"), { privateToo: true });
  assert.deepEqual(await reachOf("http://[::1]:1/mcp"), { privateToo: true });
  assert.deepEqual(await reachOf("http://localhost/mcp"), { privateToo: true });
  assert.deepEqual(await reachOf("https://8.8.8.8/mcp"), { privateToo: false });
  assert.equal(allowedUrl("http://127.0.0.1/x", "it", { privateToo: true }).pathname, "/x");
});

test("only safe addresses are taken, and what is refused is shown without its path", () => {
  for (const address of [
    "http://example.com/secret",
    "ftp://example.com/secret",
    "javascript:secret()",
    "file:///secret",
  ])
    assert.throws(
      () => allowedUrl(address, "it", outside),
      (error: Error) => /must be https/.test(error.message) && !/secret/.test(error.message),
    );
  assert.throws(() => allowedUrl("https://u:secret@example.com/", "it", outside), /must not hold a user name/);
  for (const address of [7, null, "", "nonsense"])
    assert.throws(() => allowedUrl(address, "it", outside), /is not an address/);
});
