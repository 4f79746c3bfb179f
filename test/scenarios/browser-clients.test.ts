import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { fixture } from "./support.ts";

const page = "https://app.example.org";
const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {} },
});

type Asked = { method?: string; headers?: Record<string, string> };

/** What a browser would send, which fetch does not let through. */
function ask(url: string, { method = "POST", headers = {} }: Asked = {}) {
  const fixed = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const asked = httpRequest(url, { method, headers: { ...fixed, ...headers } }, (response) => {
      response.resume();
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers }),
      );
    });
    asked.on("error", reject);
    asked.end(method === "POST" ? hello : undefined);
  });
}

const fromPage = { origin: page, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
const preflight = {
  ...fromPage,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,mcp-protocol-version",
};

function open(allowOrigins: string[], server = false) {
  const auth = server ? { server: { enabled: true } } : {};
  const config = { mcpServers: { echo: fixture("echo") }, security: { allowOrigins }, auth };
  return startGateway({}, { plane: { config } as never });
}

test("no page of another site may ask by default, with a key or without", async () => {
  await using gateway = await open([]);
  const { secret } = await gateway.plane.keys.create({
    name: "page",
    scopes: ["call", "read"],
  } as never);
  for (const headers of [fromPage, { ...fromPage, authorization: `Bearer ${secret}` }]) {
    const refused = await ask(gateway.url, { headers });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers["access-control-allow-origin"], undefined);
  }
  assert.equal((await ask(gateway.url, { method: "OPTIONS", headers: preflight })).status, 403);
});

test("a page of an allowed origin may ask with a key, and its browser may read the answer", async () => {
  await using gateway = await open([page]);
  const { secret } = await gateway.plane.keys.create({
    name: "page",
    scopes: ["call", "read"],
  } as never);
  const allowed = await ask(gateway.url, { method: "OPTIONS", headers: preflight });
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers["access-control-allow-origin"], page);
  assert.match(String(allowed.headers["access-control-allow-headers"]), /authorization/);
  assert.equal(allowed.headers["access-control-allow-credentials"], undefined);
  const answered = await ask(gateway.url, {
    headers: { ...fromPage, authorization: `Bearer ${secret}` },
  });
  assert.equal(answered.status, 200);
  assert.equal(answered.headers["access-control-allow-origin"], page);
  assert.match(String(answered.headers["access-control-expose-headers"]), /Mcp-Session-Id/);
});

test("an allowed origin alone opens nothing: without a key, with a wrong one, under a foreign host", async () => {
  await using gateway = await open([page]);
  const refused = await ask(gateway.url, { headers: fromPage });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers["access-control-allow-origin"], page);
  const proof = { ...fromPage, ...gateway.proof };
  assert.equal((await ask(gateway.url, { headers: proof })).status, 401);
  const wrong = { ...fromPage, authorization: "Bearer tp_wrong" };
  assert.equal((await ask(gateway.url, { headers: wrong })).status, 401);
  const rebound = { ...fromPage, host: "evil.example", authorization: "Bearer x" };
  assert.equal((await ask(gateway.url, { headers: rebound })).status, 403);
  for (const origin of [
    "https://other.example.org",
    `${page}:8443`,
    "null",
    `${page}.evil.example`,
  ])
    assert.equal(
      (await ask(gateway.url, { headers: { ...fromPage, origin } })).status,
      403,
      origin,
    );
});

test("an origin is written without a path", async () => {
  await assert.rejects(open([`${page}/app`]), /must be an origin/);
});

test("a page of an allowed origin may register at the sign-in, and no other may", async () => {
  await using gateway = await open([page], true);
  const register = gateway.url.replace("/mcp", "/oauth/register");
  const allowed = await ask(register, { method: "OPTIONS", headers: preflight });
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers["access-control-allow-origin"], page);
  const other = { ...preflight, origin: "https://other.example.org" };
  const refused = await ask(register, { method: "OPTIONS", headers: other });
  assert.equal(refused.headers["access-control-allow-origin"], undefined);
});
