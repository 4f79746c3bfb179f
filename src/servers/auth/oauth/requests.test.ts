import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { createEgress } from "../../../lib/net/egress.ts";
import { requestRegistration, requestToken } from "./requests.ts";

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

const { stranger: gate } = createEgress({ allow: () => ["127.0.0.1"] });
const good = { access_token: "access", token_type: "Bearer" };

suite("an authorization server that does not keep to the letter", () => {
  let answer: Answer = { body: good };
  let sent = { authorization: "", form: new URLSearchParams() };
  const server = createServer(async (request, response) => {
    sent = {
      authorization: request.headers.authorization ?? "",
      form: new URLSearchParams(await text(request)),
    };
    const { status = 200, headers = {}, body } = answer;
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
  });
  let origin = "";
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const ask = (given: Answer, client: { id?: string; secret?: string } = {}) => {
    answer = given;
    const { id = "me", secret = null } = client;
    return requestToken({
      server: { issuer: origin, token_endpoint: `${origin}/token` },
      client: { id, secret, method: "client_secret_basic", origin: "config" },
      gate,
      now: 0,
      grant: "refresh_token",
      fields: { refresh_token: "old-token" },
    });
  };
  const bare = {
    accessToken: "access",
    refreshToken: null,
    expiresAt: null,
    renewAt: null,
    scopes: null,
  };

  test("is believed when only its status or members that are empty are odd", async () => {
    assert.deepEqual(await ask({ status: 201, body: good }), bare);
    const empty = {
      ...good,
      refresh_token: null,
      expires_in: null,
      scope: null,
      id_token: "no.jwt",
    };
    assert.deepEqual(await ask({ body: empty }), bare);
    assert.deepEqual(await ask({ body: { ...good, refresh_token: "", expires_in: "60" } }), {
      ...bare,
      expiresAt: "1970-01-01T00:01:00.000Z",
      renewAt: "1970-01-01T00:00:30.000Z",
    });
    assert.deepEqual(await ask({ body: { ...good, expires_in: 1e300 } }), bare);
  });

  test("is recognised by its code, whatever carries it, and nothing else of the answer is repeated", async () => {
    const refusal = {
      error: "invalid_grant",
      error_description: "secret-words",
      access_token: "secret",
    };
    const challenge = { "www-authenticate": 'Basic realm="x"' };
    for (const given of [
      { body: refusal },
      { status: 401, headers: challenge, body: refusal },
      { status: 400, headers: { "content-type": "text/plain" }, body: refusal },
    ])
      await assert.rejects(ask(given), (error: Error & { oauthCode: string }) => {
        assert.deepEqual([error.name, error.oauthCode], ["OAuthProblem", "invalid_grant"]);
        assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /secret/);
        assert.equal(error.cause, undefined);
        return true;
      });
    const unknown = { name: "OAuthProblem", oauthCode: "an unknown error" };
    await assert.rejects(ask({ status: 404, body: "<html>" }), unknown);
    for (const status of [429, 500, 999])
      await assert.rejects(ask({ status, body: refusal }), { name: "TransportError", sent: false });
  });

  test("is not believed when the token cannot be used, which is no refusal", async () => {
    for (const body of [
      "<html>",
      {},
      { ...good, token_type: "mac" },
      { ...good, token_type: "DPoP" },
      { ...good, access_token: "a\r\nx: y" },
      { ...good, expires_in: "soon" },
    ])
      await assert.rejects(ask({ body }), { name: "OAuthProblem", oauthCode: null });
  });

  test("gets a client's id and secret as servers that do not decode expect them", async () => {
    await ask({ body: good }, { id: "a-b_c.d", secret: "it's: 50%" });
    const [, pair = ""] = sent.authorization.split(" ");
    assert.equal(Buffer.from(pair, "base64").toString(), "a-b_c.d:it%27s%3A+50%25");
    assert.deepEqual(Object.fromEntries(sent.form), {
      grant_type: "refresh_token",
      refresh_token: "old-token",
    });
  });

  test("registers clients without saying when their secret expires", async () => {
    const issuer = {
      issuer: origin,
      token_endpoint: origin,
      registration_endpoint: `${origin}/register`,
    };
    answer = { status: 200, body: { client_id: "new", client_secret: "s" } };
    const client = await requestRegistration(issuer, {}, gate);
    assert.deepEqual([client.client_id, client.client_secret_expires_at], ["new", 0]);
    answer = { status: 403, body: { error: "access_denied" } };
    await assert.rejects(
      requestRegistration(issuer, {}, gate),
      /did not register us: access_denied \(HTTP 403\)/,
    );
  });
});
