import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { after, before, suite, test } from "node:test";
import { soon } from "../fixtures/issuer.ts";
import { password, type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { eventually } from "./approving.ts";
import { claimsOf, createAgent, createHand, redirectUri } from "./signing-by-hand.ts";

const ann = "ann@example.org";
const eve = "eve@example.org";
const accept = "application/json, text/event-stream";

suite("what a stranger has of another", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let tokens: { ann: string; eve: string; narrow: string };

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    await hand.invite(ann);
    await hand.invite(eve);
    const tokenOf = async (user: string, scope = "call") =>
      (await hand.signIn(user, createAgent(world.url), { scope })).access_token;
    tokens = {
      ann: await tokenOf(ann),
      eve: await tokenOf(eve),
      narrow: await tokenOf(ann, "call server:mail"),
    };
  });
  after(() => world[Symbol.asyncDispose]());

  const post = (token: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${world.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });

  test("session of MCP opens nothing with another token, also of the same person with fewer servers", async () => {
    const clientInfo = { name: "p", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const begun = await post(tokens.ann, { method: "initialize", params });
    await begun.text();
    const session = begun.headers.get("mcp-session-id");
    assert.ok(session);
    const list = (token: string) =>
      post(token, { method: "tools/list" }, { "mcp-session-id": session });
    assert.match(await (await list(tokens.ann)).text(), /files__read/);
    for (const token of [tokens.eve, tokens.narrow]) {
      const answer = await list(token);
      const text = await answer.text();
      assert.doesNotMatch(text, /files__read/, `${answer.status} ${text}`);
    }
    for (const token of [tokens.eve, tokens.narrow]) {
      const ended = await fetch(`${world.url}/mcp`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}`, "mcp-session-id": session },
      });
      await ended.text();
      assert.ok(ended.status >= 400, String(ended.status));
    }
    assert.match(await (await list(tokens.ann)).text(), /files__read/, "it goes on");
  });

  test("token counts in the header alone, and only one of them", async () => {
    const address = await fetch(`${world.url}/mcp?access_token=${tokens.ann}`, { method: "POST" });
    assert.equal(address.status, 401);
    const form = await fetch(`${world.url}/mcp`, {
      method: "POST",
      body: new URLSearchParams({ access_token: tokens.ann }),
    });
    assert.equal(form.status, 401);
    const two = await post(`${tokens.eve}, Bearer ${tokens.ann}`, { method: "tools/list" });
    assert.equal(two.status, 401);
    for (const answer of [address, form, two]) await answer.body?.cancel();
  });

  test("cookie of a sign-in is no credential for MCP or the API", async () => {
    const { agent } = await hand.signIn(ann);
    assert.equal((await agent.ask("/tools")).status, 401);
    assert.equal((await agent.ask("/mcp", { method: "POST", body: "{}" })).status, 401);
    const foreign = { "x-toolplane-face": "workbench", origin: "https://evil.example" };
    assert.equal((await agent.ask("/tools", { headers: foreign })).status, 403);
  });

  test("invitation, code, token and password are in no line of the record and in no event", async () => {
    const { url } = await world.withPlane((plane) =>
      plane.people.invite({ user: "new@example.org" }),
    );
    const { pathname } = new URL(url);
    await createAgent(world.url).ask(pathname);
    await createAgent(world.url).post(`${pathname}/password`, { password: "short" });
    const signed = await hand.signIn(ann);
    await hand.refresh(signed.clientId, signed.refresh_token);
    await hand.refresh(signed.clientId, signed.refresh_token);
    await hand.exchange(signed.clientId, signed.back, signed.verifier);
    const grant = String(claimsOf(signed.access_token).grant);
    // What the serving process records is in the store a moment later.
    const kept = await world.withPlane((plane) =>
      eventually("the grant in the record", async () => {
        const text = JSON.stringify([
          await plane.audit.list({ limit: 1_000 }),
          await plane.events.list(),
        ]);
        return text.includes(grant) ? text : undefined;
      }),
    );
    const secrets = {
      invitation: pathname.split("/").at(-1),
      password,
      code: signed.back.searchParams.get("code"),
      verifier: signed.verifier,
      refresh: signed.refresh_token,
      access: signed.access_token,
    };
    for (const [what, secret] of Object.entries(secrets))
      assert.ok(!kept.includes(String(secret)), what);
  });

  test("registration is read in bounded time, whatever its shape, and changes no object", async () => {
    const deep = `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`;
    const strange: [string, string][] = [
      ["deep", `{"redirect_uris":["${redirectUri}"],"jwks":${deep}}`],
      [
        "wide",
        JSON.stringify({
          redirect_uris: [redirectUri],
          contacts: Array.from({ length: 9_000 }, () => "a"),
        }),
      ],
      [
        "a prototype",
        `{"redirect_uris":["${redirectUri}"],"__proto__":{"grant_types":["client_credentials"]}}`,
      ],
      [
        "a constructor",
        `{"redirect_uris":["${redirectUri}"],"constructor":{"prototype":{"admin":true}}}`,
      ],
      ["a list", "[]"],
      ["a number", "1"],
      ["nothing", ""],
    ];
    for (const [what, body] of strange) {
      const answer = await createAgent(world.url).ask("/oauth/register", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
      assert.deepEqual(answer.status === 201 ? answer.json().grant_types : ["authorization_code"], [
        "authorization_code",
      ]);
    }
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  /** Makes the plane ask for the keys of a client at this address, if it may. */
  async function nameKeys(at: ReturnType<typeof createHand>, address: string): Promise<void> {
    const { status, json } = await at.register({
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: address,
    });
    if (status !== 201) return;
    const id = String(json().client_id);
    const said = {
      iss: id,
      sub: id,
      aud: at.origin,
      jti: crypto.randomUUID(),
      iat: soon(0),
      exp: soon(60),
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const answer = await at.token({
      grant_type: "authorization_code",
      code: "a",
      client_id: id,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: `${part({ alg: "ES256", kid: "../../x" })}.${part(said)}.AAAA`,
    });
    assert.ok(
      answer.status === 400 || answer.status === 401,
      `${address}: ${answer.status} ${answer.text}`,
    );
  }

  test("address of this machine is never connected to, however it is written", async () => {
    let connections = 0;
    const inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, resolve));
    const { port } = inside.address() as AddressInfo;
    const names = ["127.0.0.1", "localhost", "localhost.", "[::1]", "[::ffff:127.0.0.1]"];
    for (const host of [...names, "2130706433", "0x7f.1", "127.1", "0"]) {
      const address = `https://${host}:${port}/keys`;
      const asked = await createAgent(world.url).ask(hand.request(address).path);
      assert.ok(asked.status >= 400 && asked.status < 500, `${address}: ${asked.status}`);
      await nameKeys(hand, address);
    }
    assert.equal(connections, 0);
    await using open = await startSigningWorld(
      {},
      { security: { egress: { allow: [`localhost:${port}`] } } },
    );
    await nameKeys(createHand(open), `https://localhost:${port}/keys`);
    assert.notEqual(connections, 0, "where the configuration allows it, it is");
    await new Promise((resolve) => inside.close(resolve));
  });

  test("registrations of one network are counted, whatever a sender that is no named proxy says of itself", async () => {
    const register = (at: number) =>
      hand.register(
        {},
        {
          "x-forwarded-for": `198.51.100.${at}`,
          forwarded: `for=198.51.100.${at}`,
          "x-forwarded-proto": "https",
          "x-forwarded-host": "evil.example",
        },
      );
    let answer = await register(0);
    for (let at = 1; at < 70 && answer.status !== 429; at += 1) answer = await register(at);
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
    assert.doesNotMatch(answer.text, /evil/);
    const addresses = await world.withPlane(async (plane) =>
      (await plane.audit.list({ operation: "clients.register" })).map(({ address }) => address),
    );
    assert.deepEqual([...new Set(addresses)], ["127.0.0.1"]);
  });

  test("sign-in that a person cancels on the plane's own pages ends there", async () => {
    const agent = createAgent(world.url);
    const page = await hand.follow(agent, await agent.ask("/sign-in/workbench"));
    const cancelled = await hand.follow(
      agent,
      await agent.post(`/sign-in/${hand.uidIn(page)}/cancel`, {}),
    );
    assert.match(cancelled.text, /You are not signed in/);
  });
});
