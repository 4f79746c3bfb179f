import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Plane } from "../../../src/index.ts";
import { browse, redirectUri, startOAuth } from "../../contracts/signing-in.ts";
import { errorOf, planeOf, within } from "../support.ts";
import { person } from "./parts.ts";

const [ann, bob] = [person("ann"), person("bob")];
const _wanted = { auth: { type: "bearer" } };
const _later = (ms: number) => new Date(Date.now() + ms).toISOString();

async function signIn(plane: Plane, principal = ann): Promise<URL> {
  const { url } = await plane.tokens.beginSignIn("remote", redirectUri, { principal });
  const { server } = await plane.tokens.finishSignIn(await browse(url), { principal });
  assert.equal(server, "remote");
  return new URL(url);
}

suite("signing in", { concurrency: 4 }, () => {
  test("signing in with PKCE and a registered client lets the user in, and no one else", async () => {
    await using oauth = await startOAuth();
    await using plane = await planeOf({ remote: { url: oauth.url, auth: { type: "oauth" } } }, { principal: ann });
    const before = errorOf(await plane.call("remote.whoami_token"));
    assert.deepEqual([before.code, before.data.kind], ["AUTH_REQUIRED", "oauth"]);
    const asked = (await signIn(plane)).searchParams;
    assert.equal(asked.get("code_challenge_method"), "S256");
    assert.match(asked.get("code_challenge") ?? "", /^[\w-]{43}$/);
    assert.equal(asked.get("resource"), oauth.url);
    assert.equal(oauth.registrations().length, 1);
    const [{ form } = assert.fail("no token request")] = oauth.tokens();
    assert.deepEqual([form.grant_type, form.resource], ["authorization_code", oauth.url]);
    assert.match(form.code_verifier ?? "", /^[\w.~-]{43,128}$/);
    assert.equal((await plane.call("remote.whoami_token")).ok, true);
    const [status] = await plane.tokens.list();
    assert.deepEqual([status?.kind, status?.scopes, status?.expired], ["oauth", ["tools"], false]);
    const his = await plane.call("remote.whoami_token", {}, { principal: bob });
    assert.equal(errorOf(his).code, "AUTH_REQUIRED");
  });

  test("a token near its end is refreshed by itself, once for many calls", async () => {
    await using oauth = await startOAuth(["--expires-in", "62"]);
    await using plane = await planeOf({ remote: { url: oauth.url, auth: { type: "oauth" } } }, { principal: ann });
    await signIn(plane);
    await plane.tools.list();
    await delay(2_500);
    const calls = Array.from({ length: 8 }, () => plane.call("remote.whoami_token"));
    for (const outcome of await Promise.all(calls)) assert.equal(outcome.ok, true, outcome.error?.message);
    const refreshes = oauth.tokens().filter(({ form }) => form.grant_type === "refresh_token");
    assert.ok(refreshes.length >= 1 && refreshes.length <= 2, `${refreshes.length} refreshes`);
  });

  test("a token that was revoked in the middle is refreshed and the call goes through", async () => {
    await using oauth = await startOAuth();
    await using plane = await planeOf({ remote: { url: oauth.url, auth: { type: "oauth" } } }, { principal: ann });
    await signIn(plane);
    assert.equal((await plane.call("remote.revoke_token")).ok, true);
    const outcome = await plane.call("remote.whoami_token");
    assert.equal(outcome.ok, true, outcome.error?.message);
    assert.equal(oauth.tokens().filter(({ form }) => form.grant_type === "refresh_token").length, 1);
  });

  test("a sign-in belongs to who began it and can be finished once", async () => {
    await using oauth = await startOAuth();
    await using plane = await planeOf({ remote: { url: oauth.url, auth: { type: "oauth" } } }, { principal: ann });
    const { url } = await plane.tokens.beginSignIn("remote", redirectUri);
    const came = await browse(url);
    await assert.rejects(plane.tokens.finishSignIn(came, { principal: bob }));
    const forged = new URLSearchParams(came);
    forged.set("state", "made-up");
    await assert.rejects(plane.tokens.finishSignIn(forged));
    assert.deepEqual(await plane.tokens.list({ principal: bob }), []);
    const { url: second } = await plane.tokens.beginSignIn("remote", redirectUri);
    const again = await browse(second);
    await plane.tokens.finishSignIn(again);
    await assert.rejects(plane.tokens.finishSignIn(again));
    assert.equal((await plane.call("remote.whoami_token")).ok, true);
  });

  test("a refusal of the person is reported, and nothing is kept", async () => {
    await using oauth = await startOAuth(["--deny"]);
    await using plane = await planeOf({ remote: { url: oauth.url, auth: { type: "oauth" } } }, { principal: ann });
    const { url } = await plane.tokens.beginSignIn("remote", redirectUri);
    const came = await browse(url);
    await assert.rejects(plane.tokens.finishSignIn(came), /denied|refused/i);
    assert.deepEqual(await plane.tokens.list(), []);
    const outcome = await within(5_000, "a call", plane.call("remote.whoami_token"));
    assert.equal(errorOf(outcome).code, "AUTH_REQUIRED");
  });
});
