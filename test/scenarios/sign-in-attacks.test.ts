import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { until } from "../fixtures/until.ts";
import { password, type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import {
  type Answer,
  createAgent,
  createHand,
  type Fields,
  redirectUri,
} from "./signing-by-hand.ts";

const ann = "ann@example.org";
const eve = "eve@example.org";

suite("attacks on the sign-in", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let client: string;

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    await hand.invite(ann, { groups: ["ops"] });
    await hand.invite(eve);
    client = await hand.newClient();
  });
  after(() => world[Symbol.asyncDispose]());

  const agent = () => createAgent(world.url);
  const ask = (other: Fields, by = agent()) => by.ask(hand.request(client, other).path);
  const hasNoCode = (answer: Answer) => {
    assert.equal(answer.location?.searchParams.get("code") ?? null, null);
    assert.doesNotMatch(answer.text, /access_token/);
  };

  suite("requests for a code", () => {
    /** These show the error, and a way back to the client with the error of the RFC, who says it, and the state. */
    const toClient: [string, Fields, string][] = [
      [
        "without PKCE",
        { code_challenge: undefined, code_challenge_method: undefined },
        "invalid_request",
      ],
      ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
      ["with a challenge that is none", { code_challenge: "short" }, "invalid_request"],
      ["for a token in the address", { response_type: "token" }, "unsupported_response_type"],
      [
        "for an ID token in the address",
        { response_type: "id_token" },
        "unsupported_response_type",
      ],
      ["for a hybrid answer", { response_type: "code token" }, "unsupported_response_type"],
      ["for no answer", { response_type: "none" }, "unsupported_response_type"],
      ["for a resource elsewhere", { resource: "https://other.example/mcp" }, "invalid_target"],
      ["for a resource on another port", { resource: "http://localhost:1/mcp" }, "invalid_target"],
      ["for a resource with a fragment", { resource: "#" }, "invalid_target"],
      ["for a resource with hidden dots", { resource: "/mcp/%2e%2e/keys" }, "invalid_target"],
      ["for a resource with hidden slashes", { resource: "/mcp%2f..%2fkeys" }, "invalid_target"],
      ["for a resource with dots", { resource: "/mcp/../keys" }, "invalid_target"],
      ["for a resource with a backslash", { resource: "/mcp\\keys" }, "invalid_target"],
      ["for a resource with spaces around it", { resource: "/mcp " }, "invalid_target"],
      ["for the authorization server itself", { resource: "/oauth/token" }, "invalid_target"],
      ["for the pages of sign-in", { resource: "/sign-in/access" }, "invalid_target"],
      ["with a request object", { request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
      [
        "with a request by reference",
        { request_uri: "https://evil.example/r" },
        "request_uri_not_supported",
      ],
      ["without a person, silently", { prompt: "none" }, "login_required"],
      ["with a prompt that is none", { prompt: "none login" }, "invalid_request"],
    ];
    for (const [what, other, error] of toClient)
      test(`${what} gets ${error}`, async () => {
        const own = (path: string) =>
          path === "#" ? `${world.url}/mcp#x` : path.startsWith("/") ? world.url + path : path;
        const { resource } = other;
        const answer = await ask(
          resource === undefined ? other : { ...other, resource: own(resource) },
        );
        assert.equal(answer.location, null, "no one is sent to an address that anyone registered");
        assert.equal(answer.status, 400);
        const [, href = ""] = /rel="noreferrer" href="([^"]+)"/.exec(answer.text) ?? [];
        assert.ok(href.startsWith(redirectUri), answer.text);
        const fields = Object.fromEntries(new URL(href.replaceAll("&amp;", "&")).searchParams);
        assert.deepEqual(
          [fields.error, fields.iss, fields.state],
          [error, world.url, "state of the client"],
        );
        hasNoCode(answer);
      });

    /** These stay here: the client, or where it is, is not known. */
    const toNowhere: [string, Fields][] = [
      ["by an unknown client", { client_id: "nobody" }],
      ["without a client", { client_id: undefined }],
      ["without a place to go back to", { redirect_uri: undefined }],
      ["to another site", { redirect_uri: "https://evil.example/callback" }],
      ["to another path", { redirect_uri: `${redirectUri}/../evil` }],
      ["to a path below", { redirect_uri: `${redirectUri}/more` }],
      ["with a query of its own", { redirect_uri: `${redirectUri}?next=https://evil.example` }],
      ["with a fragment", { redirect_uri: `${redirectUri}#evil` }],
      ["in another case", { redirect_uri: redirectUri.replace("callback", "Callback") }],
      [
        "to a name with a trailing dot",
        { redirect_uri: redirectUri.replace("example/", "example./") },
      ],
      ["without TLS", { redirect_uri: redirectUri.replace("https:", "http:") }],
      [
        "to a user of another site",
        { redirect_uri: "https://client.example@evil.example/callback" },
      ],
      ["to a program's scheme", { redirect_uri: "javascript:alert(1)" }],
      ["by a document without TLS", { client_id: "http://client.example/client.json" }],
      ["by a document of this machine", { client_id: "https://127.0.0.1/client.json" }],
      ["by a document of this machine, by name", { client_id: "https://localhost/client.json" }],
      ["by a document of a private network", { client_id: "https://10.0.0.1/client.json" }],
      ["by a document of the cloud's metadata", { client_id: "https://169.254.169.254/latest" }],
      ["by a document in IPv6 of this machine", { client_id: "https://[::1]/client.json" }],
      ["by a document in mapped IPv6", { client_id: "https://[::ffff:127.0.0.1]/client.json" }],
      ["by a document with a user name", { client_id: "https://ann@client.example/client.json" }],
      [
        "by a document with dots in its path",
        { client_id: "https://client.example/a/../client.json" },
      ],
      ["by a document with a fragment", { client_id: "https://client.example/client.json#a" }],
    ];
    for (const [what, other] of toNowhere)
      test(`${what} leads nowhere`, async () => {
        const answer = await ask(other);
        assert.equal(answer.location, null, String(answer.location));
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
      });

    test("by a form that posts itself leads nowhere, either", async () => {
      const answer = await ask({ response_mode: "form_post", prompt: "none" });
      assert.equal(answer.status, 400);
      assert.doesNotMatch(answer.text, /<form/);
    });

    test("with a parameter twice gets invalid_request", async () => {
      const { path } = hand.request(client);
      const answer = await agent().ask(`${path}&scope=admin`);
      assert.match(answer.location?.href ?? answer.text, /invalid_request|is duplicated|twice/);
      hasNoCode(answer);
    });

    test("by a form of another site reach nothing", async () => {
      const { fields } = hand.request(client);
      const answer = await agent().post("/oauth/authorize", fields, {
        origin: "https://evil.example",
      });
      assert.equal(answer.status, 404);
    });

    test("of a client on this machine may use any port, and no other path or name", async () => {
      const native = await hand.newClient({ redirect_uris: ["http://127.0.0.1:3000/callback"] });
      const at = async (uri: string) =>
        (await agent().ask(hand.request(native, { redirect_uri: uri }).path)).location;
      assert.match((await at("http://127.0.0.1:49152/callback"))?.pathname ?? "", /^\/sign-in\//);
      for (const uri of [
        "http://127.0.0.1:3000/other",
        "http://localhost:3000/callback",
        "https://127.0.0.1:3000/callback",
      ])
        assert.equal(await at(uri), null, uri);
    });
  });

  suite("registrations", () => {
    const refused: [string, object, string][] = [
      [
        "that go back to a script",
        { redirect_uris: ["javascript:alert(1)"] },
        "invalid_redirect_uri",
      ],
      ["that go back to data", { redirect_uris: ["data:text/html,x"] }, "invalid_redirect_uri"],
      ["that go back to a file", { redirect_uris: ["file:///etc/passwd"] }, "invalid_redirect_uri"],
      [
        "that go back without TLS",
        { redirect_uris: ["http://client.example/callback"] },
        "invalid_redirect_uri",
      ],
      [
        "that go back to a user",
        { redirect_uris: ["https://a@client.example/callback"] },
        "invalid_redirect_uri",
      ],
      ["with a fragment", { redirect_uris: ["https://client.example/#a"] }, "invalid_redirect_uri"],
      [
        "with one bad place among good ones",
        { redirect_uris: [redirectUri, "blob:x"] },
        "invalid_redirect_uri",
      ],
      ["without a place", { redirect_uris: [] }, "invalid_redirect_uri"],
      [
        "with too many places",
        { redirect_uris: Array.from({ length: 21 }, (_, at) => `${redirectUri}${at}`) },
        "invalid_client_metadata",
      ],
      [
        "as a program of its own",
        { grant_types: ["client_credentials"] },
        "invalid_client_metadata",
      ],
      [
        "for assertions",
        { grant_types: ["urn:ietf:params:oauth:grant-type:jwt-bearer"] },
        "invalid_client_metadata",
      ],
      ["for tokens in the address", { response_types: ["token"] }, "invalid_client_metadata"],
      [
        "with keys on a private network",
        { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "http://10.0.0.1/keys" },
        "invalid_client_metadata",
      ],
      [
        "with a page that is a script",
        { client_uri: "javascript:alert(1)" },
        "invalid_client_metadata",
      ],
    ];
    for (const [what, metadata, error] of refused)
      test(`${what} get ${error}`, async () => {
        const { status, json } = await hand.register(metadata);
        assert.equal(status, 400);
        assert.ok(
          [error, "invalid_client_metadata", "invalid_redirect_uri"].includes(String(json().error)),
          json().error as string,
        );
      });

    test("choose neither their id nor their secret", async () => {
      const given = {
        client_id: client,
        client_secret: "mine",
        token_endpoint_auth_method: "client_secret_post",
      };
      const { json } = await hand.register(given);
      assert.notEqual(json().client_id, client);
      assert.notEqual(json().client_secret, "mine");
    });

    test("larger than a page are not read", async () => {
      const { status } = await hand.register({ client_name: "x".repeat(2_000_000) });
      assert.ok(status === 413 || status === 400, String(status));
    });

    test("with a name that lies are shown as what they are", async () => {
      const name = `Toolplane\u202e<script>alert(1)</script>${"\u200b".repeat(200)}`;
      const liar = await hand.newClient({
        client_name: name,
        client_uri: "https://client.example",
      });
      const by = agent();
      const first = await hand.follow(by, await by.ask(hand.request(liar).path));
      const page = await hand.follow(
        by,
        await by.post(`/sign-in/${hand.uidIn(first)}/password`, { user: ann, password }),
      );
      assert.match(page.text, /Not verified\./);
      assert.match(page.text, /&lt;script&gt;/);
      assert.doesNotMatch(page.text, /<script>alert|\u202e|\u200b/);
      assert.ok(page.text.includes(redirectUri));
    });
  });

  suite("codes and tokens", () => {
    test("a code that is used twice ends what it gave", async () => {
      const { access_token, refresh_token, clientId, back, verifier } = await hand.signIn(ann);
      assert.equal(await hand.use(access_token), 200);
      const again = await hand.exchange(clientId, back, verifier);
      assert.deepEqual([again.status, again.json().error], [400, "invalid_grant"]);
      assert.equal(await hand.use(access_token), 401);
      assert.equal((await hand.refresh(clientId, refresh_token)).json().error, "invalid_grant");
    });

    test("of two who use a code at once, no one keeps it", async () => {
      const asked = hand.request(client);
      const back = await hand.allow(agent(), asked.path, ann);
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => hand.exchange(client, back, asked.verifier)),
      );
      const good = answers.filter(({ status }) => status === 200);
      assert.ok(good.length <= 1, `${good.length} of them`);
      for (const { json } of good)
        await until(
          "the token stops to count",
          async () => (await hand.use(String(json().access_token))) === 401,
        );
    });

    const misused: [string, (own: Awaited<ReturnType<typeof hand.signIn>>) => Fields, string][] = [
      ["without the verifier", () => ({ code_verifier: undefined }), "invalid_grant"],
      ["with another verifier", () => ({ code_verifier: "a".repeat(43) }), "invalid_grant"],
      ["by another client", () => ({ client_id: "other" }), "invalid_grant"],
      [
        "for another place",
        () => ({ redirect_uri: "https://client.example/other" }),
        "invalid_grant",
      ],
      ["without its place", () => ({ redirect_uri: undefined }), "invalid_grant"],
      ["for another resource", () => ({ resource: "https://other.example/mcp" }), "invalid_target"],
      ["that was made up", () => ({ code: "a".repeat(43) }), "invalid_grant"],
    ];
    for (const [what, change, error] of misused)
      test(`a code ${what} gets ${error}`, async () => {
        const asked = hand.request(client);
        const back = await hand.allow(agent(), asked.path, ann);
        const other = change({} as never);
        const fields =
          other.client_id === "other" ? { ...other, client_id: await hand.newClient() } : other;
        const answer = await hand.exchange(client, back, asked.verifier, fields);
        assert.ok(answer.status === 400 || answer.status === 401, String(answer.status));
        assert.ok([error, "invalid_request"].includes(String(answer.json().error)), answer.text);
        hasNoCode(answer);
      });

    test("a refresh token counts once, and its second use ends the family", async () => {
      const { clientId, refresh_token } = await hand.signIn(ann);
      const first = (await hand.refresh(clientId, refresh_token)).json() as Record<string, string>;
      assert.notEqual(first.refresh_token, refresh_token);
      assert.equal(await hand.use(String(first.access_token)), 200);
      assert.equal((await hand.refresh(clientId, refresh_token)).json().error, "invalid_grant");
      assert.equal(
        (await hand.refresh(clientId, String(first.refresh_token))).json().error,
        "invalid_grant",
      );
      assert.equal(await hand.use(String(first.access_token)), 401);
    });

    test("a refresh token is its client's, for what was allowed", async () => {
      const { clientId, refresh_token } = await hand.signIn(ann);
      assert.equal(
        (await hand.refresh(await hand.newClient(), refresh_token)).json().error,
        "invalid_grant",
      );
      const wider = await hand.refresh(clientId, refresh_token, { scope: "call admin" });
      if (wider.status === 200) assert.equal(wider.json().scope, "call");
      else assert.equal(wider.json().error, "invalid_scope");
      const fresh = await hand.signIn(ann);
      const elsewhere = await hand.refresh(fresh.clientId, fresh.refresh_token, {
        resource: `${world.url}/tools`,
      });
      assert.equal(elsewhere.json().error, "invalid_target");
    });

    const grants: [string, Fields, string][] = [
      [
        "with a password",
        { grant_type: "password", username: ann, password },
        "unsupported_grant_type",
      ],
      ["as a program", { grant_type: "client_credentials", scope: "call" }, "unauthorized_client"],
      [
        "with a device",
        { grant_type: "urn:ietf:params:oauth:grant-type:device_code" },
        "unsupported_grant_type",
      ],
      [
        "by exchange",
        { grant_type: "urn:ietf:params:oauth:grant-type:token-exchange" },
        "unsupported_grant_type",
      ],
      ["with nothing", { grant_type: undefined }, "invalid_request"],
    ];
    for (const [what, fields, error] of grants)
      test(`a public client gets no token ${what}`, async () => {
        const answer = await hand.token({ client_id: client, ...fields });
        assert.equal(answer.status, 400);
        assert.ok([error, "invalid_request"].includes(String(answer.json().error)), answer.text);
      });

    test("an access token opens its address alone, and only as it was signed", async () => {
      const { access_token } = await hand.signIn(ann);
      assert.equal(await hand.use(access_token), 200);
      assert.equal(await hand.use(access_token, "/tools"), 401);
      const [head = "", payload = "", signature = ""] = access_token.split(".");
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<
        string,
        unknown
      >;
      const forged = (changed: object) =>
        Buffer.from(JSON.stringify({ ...claims, ...changed })).toString("base64url");
      for (const changed of [
        { scope: "admin" },
        { sub: eve },
        { exp: 4_000_000_000 },
        { groups: ["root"] },
        { aud: world.url },
      ])
        assert.equal(
          await hand.use(`${head}.${forged(changed)}.${signature}`),
          401,
          JSON.stringify(changed),
        );
      const none = Buffer.from('{"alg":"none"}').toString("base64url");
      assert.equal(await hand.use(`${none}.${payload}.`), 401);
    });

    test("a refresh token and an ID token are no access tokens", async () => {
      const { refresh_token } = await hand.signIn(ann);
      assert.equal(await hand.use(refresh_token), 401);
    });

    test("a stranger cannot revoke, the client can", async () => {
      const { access_token, clientId, refresh_token } = await hand.signIn(ann);
      const revoke = (id: string) =>
        agent().ask("/oauth/revoke", {
          method: "POST",
          body: new URLSearchParams({ client_id: id, token: refresh_token }).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded" },
        });
      await revoke(await hand.newClient());
      assert.equal(await hand.use(access_token), 200);
      assert.equal((await revoke(clientId)).status, 200);
      await until("the token stops to count", async () => (await hand.use(access_token)) === 401);
    });

    test("a person gives away no more than they have", async () => {
      const { access_token, scope } = await hand.signIn(ann, agent(), {
        scope: "call admin",
        resource: world.url,
      });
      assert.equal(scope, "call");
      assert.equal(await hand.use(access_token, "/keys"), 403);
    });

    test("a person who is removed is out, with every client", async () => {
      await hand.invite("gone@example.org");
      const { access_token, clientId, refresh_token } = await hand.signIn("gone@example.org");
      await world.withPlane((plane) => plane.people.remove("gone@example.org"));
      assert.equal((await hand.refresh(clientId, refresh_token)).json().error, "invalid_grant");
      await until("the token stops to count", async () => (await hand.use(access_token)) === 401);
    });
  });

  suite("pages", () => {
    async function atConsent(user = ann) {
      const by = agent();
      const first = await hand.follow(by, await by.ask(hand.request(await hand.newClient()).path));
      const page = await hand.follow(
        by,
        await by.post(`/sign-in/${hand.uidIn(first)}/password`, { user, password }),
      );
      return { by, page, uid: hand.uidIn(page) };
    }

    test("a sign-in goes on only in the browser that began it", async () => {
      const { uid } = await atConsent();
      for (const path of [`/sign-in/${uid}`, `/sign-in/${uid}/provider`])
        assert.equal((await agent().ask(path)).status, 400);
      for (const step of ["consent", "cancel", "password"])
        assert.equal((await agent().post(`/sign-in/${uid}/${step}`, {})).status, 400, step);
    });

    for (const [what, headers] of [
      ["of another site", { origin: "https://evil.example" }],
      ["of another port", { origin: "http://localhost:1" }],
      ["of no site", { origin: "null" }],
      ["of a page beside it", { "sec-fetch-site": "same-site" }],
    ] as [string, Record<string, string>][])
      test(`a form ${what} allows nothing`, async () => {
        const { by, page, uid } = await atConsent();
        const answer = await by.post(`/sign-in/${uid}/consent`, hand.ticked(page), headers);
        assert.equal(answer.status, 403);
        hasNoCode(answer);
      });

    test("one person's page of consent does not allow for another", async () => {
      const { by, page } = await atConsent(ann);
      const other = agent();
      await hand.allow(other, hand.request(await hand.newClient()).path, eve);
      const stolen = [...other.jar].find(([name]) => name.includes("session "));
      const own = [...by.jar].find(([name]) => name.includes("session "));
      assert.ok(stolen && own);
      by.jar.set(own[0], stolen[1]);
      for (const [name, cookie] of other.jar)
        if (name.includes("session.sig")) by.jar.set(name, cookie);
      const answer = await hand.follow(by, await hand.consent(by, page));
      hasNoCode(answer);
    });

    test("a cookie that was set before the sign-in is not the one after it", async () => {
      const by = agent();
      const first = await hand.follow(by, await by.ask(hand.request(client).path));
      const before = [...by.jar]
        .filter(([name]) => name.includes("session"))
        .map(([, { value }]) => value);
      await hand.follow(
        by,
        await by.post(`/sign-in/${hand.uidIn(first)}/password`, { user: ann, password }),
      );
      const afterwards = [...by.jar]
        .filter(([name]) => name.includes("session"))
        .map(([, { value }]) => value);
      assert.ok(afterwards.length > 0);
      assert.deepEqual(
        afterwards.filter((value) => before.includes(value)),
        [],
      );
    });

    test("a cookie whose value was changed is none", async () => {
      const { by } = await atConsent();
      for (const [name, cookie] of by.jar)
        if (name.startsWith("toolplane_session "))
          by.jar.set(name, { ...cookie, value: `${cookie.value}x` });
      assert.equal((await by.access()).status, 401);
    });

    test("no page can be framed, and cookies are for the browser alone", async () => {
      const { by, page, uid } = await atConsent();
      const invitation = await by.ask("/sign-in/invite/none");
      for (const { headers } of [
        page,
        await by.ask(`/sign-in/${uid}`),
        await by.ask("/oauth/authorize"),
        invitation,
      ]) {
        assert.equal(headers.get("x-frame-options"), "DENY");
        assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
        for (const cookie of headers.getSetCookie()) assert.match(cookie, /httponly/i);
        for (const cookie of headers.getSetCookie()) assert.match(cookie, /samesite=lax/i);
      }
      assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'self'/);
      assert.equal(page.headers.get("cache-control"), "no-store");
    });

    test("a name that is not there answers as one with a wrong password", async () => {
      const by = agent();
      const first = await hand.follow(by, await by.ask(hand.request(client).path));
      const uid = hand.uidIn(first);
      const wrong = async (user: string) => {
        const { status, text } = await by.post(`/sign-in/${uid}/password`, {
          user,
          password: "not the password",
        });
        return [status, text.replaceAll(user, "NAME")];
      };
      assert.deepEqual(await wrong(eve), await wrong("unknown@example.org"));
      const options = async () =>
        (
          await by.ask(`/sign-in/${uid}/passkey/options`, {
            method: "POST",
            headers: { origin: world.url },
          })
        ).json();
      assert.equal((await options()).allowCredentials, undefined, "no passkey is named");
    });

    test("many tries of a password pause, also for the right one", async () => {
      await hand.invite("slow@example.org");
      const by = agent();
      const uid = hand.uidIn(await hand.follow(by, await by.ask(hand.request(client).path)));
      const attempt = (given: string) =>
        by.post(`/sign-in/${uid}/password`, { user: "slow@example.org", password: given });
      for (let at = 0; at < 10; at += 1) assert.equal((await attempt(`wrong ${at}`)).status, 401);
      const answer = await attempt(password);
      assert.deepEqual(
        [answer.status, answer.text.includes("too many tries. Wait 15 minutes")],
        [429, true],
      );
      const seconds = Number(answer.headers.get("retry-after"));
      assert.ok(seconds > 800 && seconds <= 900, `${seconds}`);
    });

    test("an invitation counts once, and cannot be guessed", async () => {
      const { url } = await world.withPlane((plane) =>
        plane.people.invite({ user: "new@example.org" }),
      );
      const { pathname } = new URL(url);
      const accept = (path: string) => agent().post(`${path}/password`, { password });
      assert.equal((await accept(`${pathname.slice(0, -2)}AA`)).status, 404);
      assert.equal((await agent().post(`${pathname}/password`, { password: "short" })).status, 400);
      assert.equal((await accept(pathname)).status, 303);
      assert.equal((await accept(pathname)).status, 404);
    });

    test("a passkey that no one asked for is not taken", async () => {
      const by = agent();
      const uid = hand.uidIn(await hand.follow(by, await by.ask(hand.request(client).path)));
      const verify = (body: unknown) =>
        by.ask(`/sign-in/${uid}/passkey/verify`, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { origin: world.url, "content-type": "application/json" },
        });
      assert.equal((await verify({ id: "a", response: { userHandle: "a" } })).status, 401);
      assert.equal((await verify([])).status, 400);
      assert.equal((await verify({ response: null })).status, 401);
    });

    test("a person takes back their own grants alone", async () => {
      const { access_token } = await hand.signIn(ann);
      const [, payload = ""] = access_token.split(".");
      const { grant } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
        grant: string;
      };
      const { agent: other } = await hand.signIn(eve);
      await other.post("/sign-in/access/revoke", { grant });
      assert.equal(await hand.use(access_token), 200);
      assert.doesNotMatch((await other.access()).text, new RegExp(grant));
    });

    test("the way back from a provider leads nowhere that was not begun here", async () => {
      const answer = await agent().ask(
        "/sign-in/callback?state=made-up&code=x&iss=https://evil.example",
      );
      assert.deepEqual([answer.status, answer.location], [400, null]);
      const uid = "A".repeat(21);
      assert.equal(
        (await agent().ask(`/sign-in/${uid}/back?state=https://evil.example`)).status,
        400,
      );
    });

    test("another host in the request changes no link", async () => {
      const headers = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        forwarded: "host=evil.example",
      };
      const { json } = await agent().ask("/.well-known/oauth-authorization-server", { headers });
      assert.equal(json().issuer, world.url);
      assert.ok(Object.values(json()).every((value) => !String(value).includes("evil")));
    });

    test("a path that is none is none", async () => {
      for (const path of [
        "/sign-in",
        "/sign-in/../keys",
        "/sign-in/a/b/c/d",
        "/oauth/nothing",
        "/sign-in/%00",
      ])
        assert.ok([401, 404, 400].includes((await agent().ask(path)).status), path);
    });
  });

  test("the store holds no code, token, cookie or invitation that counts", async () => {
    const { access_token, refresh_token, agent: by } = await hand.signIn(ann);
    const { url } = await world.withPlane((plane) =>
      plane.people.invite({ user: "later@example.org" }),
    );
    const secrets = [
      access_token,
      refresh_token,
      url.split("/").at(-1) ?? "",
      ...[...by.jar.values()].map(({ value }) => value),
    ];
    const directory = world.directory.file("data");
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    for (const { parentPath, name } of files) {
      const content = readFileSync(`${parentPath}/${name}`);
      for (const secret of secrets)
        assert.ok(secret.length < 16 || !content.includes(secret), name);
    }
  });

  test("refusals, grants and sign-ins are in the record of changes", async () => {
    const lines = await world.withPlane((plane) => plane.audit.list({ limit: 1_000 }));
    const failed = new Set(lines.filter(({ ok }) => !ok).map(({ operation }) => operation));
    for (const operation of [
      "signIn.authorize",
      "signIn.token",
      "clients.register",
      "signIn.login",
    ])
      assert.ok(failed.has(operation), operation);
    const done = new Set(lines.filter(({ ok }) => ok).map(({ operation }) => operation));
    for (const operation of [
      "signIn.token",
      "clients.register",
      "signIn.login",
      "grants.allow",
      "grants.revoke",
      "people.accept",
    ])
      assert.ok(done.has(operation), operation);
    assert.ok(!JSON.stringify(lines).includes(password));
  });
});
