import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createEgress } from "../../../lib/net/egress.ts";
import { allowedUrl, checkedFetch, readJsonObject } from "./checked-fetch.ts";

const { configured, stranger: outside } = createEgress({ allow: () => [] });
const fetchInside = checkedFetch(configured);

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
  assert.deepEqual(await readJsonObject(await fetchInside(server.url("/?to=/end"))), {
    here: true,
  });
  const refused = { name: "OAuthProblem", message: /redirects, which is not followed/ };
  await assert.rejects(fetchInside(server.url("/?to=http://127.0.0.1:1/")), refused);
  await assert.rejects(
    fetchInside(server.url("/?to=/end"), { body: new URLSearchParams() }),
    refused,
  );
  await assert.rejects(fetchInside(server.url("/?to=http://[")), refused);
});

test("a redirect that goes in circles ends", async () => {
  using server = await listen((_, response) =>
    response.writeHead(302, { location: "/again" }).end(),
  );
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
  assert.equal(await readJsonObject(await fetchInside(server.url("/list"))), null);
  const page = await fetchInside(server.url("/text"));
  assert.deepEqual([page.status, await readJsonObject(page)], [404, null]);
  await assert.rejects(fetchInside(server.url("/broken?key=secret")), (error: Error) => {
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ could not be asked: /);
    return true;
  });
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
  assert.throws(
    () => allowedUrl("https://u:secret@example.com/", "it", outside),
    /must not hold a user name/,
  );
  for (const address of [7, null, "", "nonsense"])
    assert.throws(() => allowedUrl(address, "it", outside), /is not an address/);
});
