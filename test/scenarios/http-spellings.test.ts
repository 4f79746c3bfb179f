import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { createHand } from "./signing-by-hand.ts";

/** Ways to write a path that some routers take for the same. */
function spellingsOf(path: string): string[] {
  const last = path.at(-1) ?? "";
  const escaped = `%${last.charCodeAt(0).toString(16)}`;
  const [, first = "", below = ""] = /^(\/[^/]+)(.*)$/.exec(path) ?? [];
  return [
    `${path}/`,
    `${path}//`,
    `/${path}`,
    `${first}/${below}`,
    `${first}/.${below}`,
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `${first}/x/../${below}`,
    `${path}/.`,
    path.toUpperCase(),
    path.slice(0, -1) + last.toUpperCase(),
    path.slice(0, -1) + escaped,
    path.replaceAll(/\/(?=[^/]+$)/g, "%2f"),
    path.replaceAll("/", "\\"),
    `${path};x`,
    `${path};x=/`,
    `${path}#`,
    `${path}%00`,
    `${path}%20`,
    `${path}.json`,
    `http://localhost${path}`,
    `http://localhost${path}/`,
  ];
}

suite("a path of the plane in other spellings", () => {
  let world: SigningWorld;
  let port: number;

  before(async () => {
    world = await startSigningWorld();
    port = Number(new URL(world.url).port);
  });
  after(() => world[Symbol.asyncDispose]());

  /** As it is written: clients would write the path in another way. */
  function ask(
    target: string,
    method = "GET",
    body = "",
    accept = "*/*",
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      socket.on("error", reject);
      socket.on("close", () => resolve({ status: Number(text.split(" ", 2)[1]), text }));
      const headers = [
        `host: localhost:${port}`,
        "connection: close",
        "content-type: application/json",
        `accept: ${accept}`,
        `content-length: ${Buffer.byteLength(body)}`,
      ];
      socket.write(`${method} ${target} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
    });
  }

  const client = JSON.stringify({
    redirect_uris: ["https://client.example/callback"],
    token_endpoint_auth_method: "none",
  });

  test("registers no client, so that none passes the limit", async () => {
    assert.equal((await ask("/oauth/register", "POST", client)).status, 201);
    assert.equal((await ask("/oauth/register?x=1", "POST", client)).status, 201, "a query counts");
    for (const target of spellingsOf("/oauth/register")) {
      const { status, text } = await ask(target, "POST", client);
      assert.ok(status >= 400, `${target}: ${status}`);
      assert.doesNotMatch(text, /"client_id"/, target);
    }
  });

  test("begins no sign-in", async () => {
    const hand = createHand(world);
    const [, query = ""] = hand.request(await hand.newClient()).path.split("?");
    assert.equal((await ask(`/oauth/authorize?${query}`)).status, 303);
    for (const target of spellingsOf("/oauth/authorize")) {
      const { status, text } = await ask(`${target}?${query}`);
      assert.ok(status >= 400, `${target}: ${status}`);
      assert.doesNotMatch(text, /toolplane_interaction=/, target);
    }
  });

  test("gives no token and no keys, and goes on with no sign-in", async () => {
    for (const [path, method] of [
      ["/oauth/token", "POST"],
      ["/oauth/revoke", "POST"],
      ["/oauth/keys", "GET"],
      ["/.well-known/oauth-authorization-server", "GET"],
    ] as const)
      for (const target of spellingsOf(path)) {
        const { status } = await ask(target, method);
        assert.ok([400, 401, 403, 404, 405].includes(status), `${target}: ${status}`);
      }
  });

  test("needs a credential as the path itself does", async () => {
    for (const path of ["/keys", "/events", "/tools", "/metrics", "/readyz", "/session"])
      for (const target of [path, ...spellingsOf(path)]) {
        const { status } = await ask(target);
        assert.ok([400, 401, 403, 404].includes(status), `${target}: ${status}`);
      }
    const initialize = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const accept = "application/json, text/event-stream";
    for (const target of ["/mcp", ...spellingsOf("/mcp")]) {
      const { status } = await ask(target, "POST", initialize, accept);
      assert.ok([400, 401, 403, 404].includes(status), `${target}: ${status}`);
    }
  });

  test("is not let in by a path that needs none", async () => {
    assert.equal((await ask("/healthz")).status, 200);
    for (const open of ["/healthz", "/oauth/callback", "/account", "/session", "/sign-in"])
      for (const way of ["/..", "/%2e%2e", "/.%2e", "/..;", "%2f..", "\\..", "/x/../.."]) {
        const target = `${open}${way}/keys`;
        const { status, text } = await ask(target);
        assert.ok(status !== 200, `${target}: ${status}`);
        assert.doesNotMatch(text, /"keys"/, target);
      }
  });

  test("is refused beyond the limit of its network, as many as there are", async () => {
    const statuses = new Set<number>();
    for (let turn = 0; turn < 70; turn += 1)
      statuses.add((await ask("/oauth/register", "POST", client)).status);
    assert.ok(statuses.has(429));
    for (const target of [
      "/oauth/register",
      "/oauth/register?x",
      ...spellingsOf("/oauth/register"),
    ]) {
      const { status } = await ask(target, "POST", client);
      assert.ok(status >= 400, `${target}: ${status}`);
    }
  });

  test("begins a sign-in so often and no more", async () => {
    const answers = new Set<number>();
    for (let round = 0; round < 24; round += 1) {
      const batch = Array.from({ length: 55 }, () => ask("/oauth/authorize?client_id=none"));
      for (const { status } of await Promise.all(batch)) answers.add(status);
    }
    assert.deepEqual([...answers].sort(), [400, 429]);
  });
});
