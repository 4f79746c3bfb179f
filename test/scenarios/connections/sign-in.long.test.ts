import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createOwnAddress } from "../../../src/faces/http/origin.ts";
import type { Plane } from "../../../src/index.ts";
import { browse, redirectUri, startOAuth } from "../../contracts/signing-in.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { requestWith } from "../requests.ts";
import {
  errorOf,
  planeOf,
  type RunningServe,
  startServe,
  within,
  writeConfig,
} from "../support.ts";
import { person } from "./parts.ts";

const ann = person("ann");
const bob = person("bob");
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
    await using plane = await planeOf(
      { remote: { url: oauth.url, auth: { type: "oauth" } } },
      { principal: ann },
    );
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
    await using oauth = await startOAuth(["--expires-in", "6"]);
    await using plane = await planeOf(
      { remote: { url: oauth.url, auth: { type: "oauth" } } },
      { principal: ann },
    );
    await signIn(plane);
    await plane.tools.list();
    await delay(3_100);
    const calls = Array.from({ length: 8 }, () => plane.call("remote.whoami_token"));
    for (const outcome of await Promise.all(calls))
      assert.equal(outcome.ok, true, outcome.error?.message);
    const refreshes = oauth.tokens().filter(({ form }) => form.grant_type === "refresh_token");
    assert.ok(refreshes.length >= 1 && refreshes.length <= 2, `${refreshes.length} refreshes`);
  });

  test("a token that was revoked in the middle is refreshed and the call goes through", async () => {
    await using oauth = await startOAuth();
    await using plane = await planeOf(
      { remote: { url: oauth.url, auth: { type: "oauth" } } },
      { principal: ann },
    );
    await signIn(plane);
    assert.equal((await plane.call("remote.revoke_token")).ok, true);
    const outcome = await plane.call("remote.whoami_token");
    assert.equal(outcome.ok, true, outcome.error?.message);
    assert.equal(
      oauth.tokens().filter(({ form }) => form.grant_type === "refresh_token").length,
      1,
    );
  });

  test("a sign-in belongs to who began it and can be finished once", async () => {
    await using oauth = await startOAuth();
    await using plane = await planeOf(
      { remote: { url: oauth.url, auth: { type: "oauth" } } },
      { principal: ann },
    );
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
    await using plane = await planeOf(
      { remote: { url: oauth.url, auth: { type: "oauth" } } },
      { principal: ann },
    );
    const { url } = await plane.tokens.beginSignIn("remote", redirectUri);
    const came = await browse(url);
    await assert.rejects(plane.tokens.finishSignIn(came), /denied|refused/i);
    assert.deepEqual(await plane.tokens.list(), []);
    const outcome = await within("a call", plane.call("remote.whoami_token"));
    assert.equal(errorOf(outcome).code, "AUTH_REQUIRED");
  });
});

suite("a sign-in belongs to the browser that began it", () => {
  let serving: RunningServe;
  let oauth: Awaited<ReturnType<typeof startOAuth>>;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  before(async () => {
    directory = await temporaryDirectory();
    oauth = await startOAuth();
    const config = await writeConfig(directory, {
      remote: { url: oauth.url, auth: { type: "oauth" }, lazy: true },
    });
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await oauth[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });
  const begin = async () => {
    const begun = await fetch(`${serving.url}/servers/remote/sign-in`, {
      method: "POST",
      headers: serving.proof,
    });
    const { url } = (await begun.json()) as { url: string };
    return { url, cookie: String(begun.headers.getSetCookie()[0]) };
  };

  test("a link that another person began is refused in a browser without its cookie, or with that of another", async () => {
    const theirs = await begin();
    const own = await begin();
    assert.match(theirs.cookie, /HttpOnly/i);
    assert.match(theirs.cookie, /SameSite=Lax/i);
    const callback = `${serving.url}/oauth/callback?${await browse(theirs.url)}`;
    const come = async (cookie: string) => (await fetch(callback, { headers: { cookie } })).status;
    const [name] = theirs.cookie.split("=", 1);
    const [value] = own.cookie.slice(own.cookie.indexOf("=") + 1).split(";", 1);
    assert.deepEqual(
      [await come(""), await come(own.cookie), await come(`${name}=${value}`)],
      [403, 403, 403],
    );
    // From the site of the authorization server, as a browser comes.
    const headers = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    const cookie = String(theirs.cookie.split(";", 1)[0]);
    assert.equal(await requestWith(callback, { ...headers, cookie }), 200);
  });

  test("the address to come back to is the plane's own, whatever port a caller names", async () => {
    const { port } = new URL(serving.url);
    const { url } = await begin();
    assert.equal(new URL(url).searchParams.get("redirect_uri"), `${serving.url}/oauth/callback`);
    const own = createOwnAddress("127.0.0.1", ["tools.example.org"], () => Number(port));
    assert.equal(own(`LocalHost:${port}`), `http://localhost:${port}`);
    assert.equal(own("tools.example.org"), "http://tools.example.org");
    for (const host of ["127.0.0.1:1", "localhost", "tools.example.org:81", "[::1]:9"])
      assert.throws(() => own(host), { code: "ORIGIN_REFUSED" }, host);
  });
});
