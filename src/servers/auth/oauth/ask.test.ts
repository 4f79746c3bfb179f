import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ask } from "./ask.ts";

const reach = { privateToo: true };

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => new URL(`http://127.0.0.1:${port}${path}`),
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
  assert.deepEqual((await ask({ url: server.url("/?to=/end"), reach })).body, { here: true });
  const refused = { name: "OAuthProblem", message: /redirects, which is not followed/ };
  await assert.rejects(ask({ url: server.url("/?to=http://127.0.0.1:1/"), reach }), refused);
  await assert.rejects(ask({ url: server.url("/?to=/end"), reach, form: new URLSearchParams() }), refused);
  await assert.rejects(ask({ url: server.url("/?to=http://["), reach }), refused);
});

test("a redirect that goes in circles ends", async () => {
  using server = await listen((_, response) => response.writeHead(302, { location: "/again" }).end());
  await assert.rejects(ask({ url: server.url("/"), reach }), /not followed/);
});

test("an answer that is too long, no JSON, or broken off is told apart", async () => {
  using server = await listen((request, response) => {
    if (request.url === "/long") response.end(`"${"x".repeat(1_000_000)}"`);
    else if (request.url === "/list") response.end("[1]");
    else if (request.url === "/text") response.writeHead(404).end("<html>");
    else response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy());
  });
  await assert.rejects(ask({ url: server.url("/long"), reach }), /answers too much/);
  assert.equal((await ask({ url: server.url("/list"), reach })).body, null);
  const { status, body } = await ask({ url: server.url("/text"), reach });
  assert.deepEqual([status, body], [404, null]);
  await assert.rejects(ask({ url: server.url("/broken?key=secret"), reach }), (error: Error) => {
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ could not be asked: /);
    return true;
  });
});
