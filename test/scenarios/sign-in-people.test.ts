import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Plane } from "../../src/index.ts";
import { soon } from "../fixtures/issuer.ts";
import { startSignInProvider } from "../fixtures/sign-in-provider.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { startSigningWorld } from "../workbench/signing-world.ts";
import { type Answer, claimsOf, createAgent, createHand } from "./signing-by-hand.ts";
import { runCli, startServeProcess, writeConfig } from "./support.ts";

const clientId = "toolplane";
const clientSecret = "a secret of the plane";
const email = "ann@example.org";

async function setUp(claims: object = {}) {
  const provider = await startSignInProvider(clientId, clientSecret);
  const world = await startSigningWorld({
    signIn: { issuer: provider.url, clientId, clientSecret, claims },
  });
  const hand = createHand(world);
  provider.state.claims = { sub: "1", email, email_verified: true, groups: ["ops"] };
  /** Through the provider, to where the browser ends up. */
  async function through(agent = createAgent(world.url), path = ""): Promise<Answer> {
    const begun = path === "" ? hand.request(await hand.newClient()).path : path;
    const page = await hand.follow(agent, await agent.ask(begun));
    const away = await agent.ask(`/sign-in/${hand.uidIn(page)}/provider`);
    assert.equal(away.location?.origin, provider.url);
    const back = await fetch(away.location, { redirect: "manual" });
    const { pathname, search } = new URL(back.headers.get("location") ?? "");
    return hand.follow(agent, await agent.ask(pathname + search));
  }
  return {
    provider,
    world,
    hand,
    through,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

suite("people sign in at the company's provider", () => {
  test("and are who it says they are, with their groups", async () => {
    await using at = await setUp();
    const agent = createAgent(at.world.url);
    const client = await at.hand.newClient();
    const asked = at.hand.request(client);
    const page = await at.through(agent, asked.path);
    assert.match(page.text, /You are signed in as ann@example\.org/);
    const back = await at.hand.follow(agent, await at.hand.consent(agent, page));
    assert.ok(back.location);
    const given = (await at.hand.exchange(client, back.location, asked.verifier)).json() as Record<
      string,
      string
    >;
    const [, payload = ""] = String(given.access_token).split(".");
    const { sub, groups } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<
      string,
      unknown
    >;
    assert.deepEqual([sub, groups], [email, ["ops"]]);
    assert.equal(await at.hand.use(String(given.access_token)), 200);
    const [person] = await at.world.withPlane((plane) => plane.people.list());
    assert.deepEqual([person?.user, person?.source], [email, "provider"]);

    at.provider.state.claims = { ...at.provider.state.claims, groups: ["dev"] };
    await at.through();
    const renewed = (await at.hand.refresh(client, String(given.refresh_token))).json() as Record<
      string,
      string
    >;
    const [, next = ""] = String(renewed.access_token).split(".");
    assert.match(
      Buffer.from(next, "base64url").toString(),
      /"groups":\["dev"\]/,
      "the newest word counts",
    );
  });

  const changed = (fields: URLSearchParams, name: string, value: string | null) => {
    if (value === null) fields.delete(name);
    else fields.set(name, value);
    return fields;
  };
  type Wrong = Partial<Awaited<ReturnType<typeof startSignInProvider>>["state"]>;
  const good = { sub: "1", email, email_verified: true };
  const wrong: [string, Wrong][] = [
    ["another state", { answer: (fields) => changed(fields, "state", "other") }],
    ["another issuer", { answer: (fields) => changed(fields, "iss", "https://evil.example") }],
    ["no issuer", { answer: (fields) => changed(fields, "iss", null) }],
    ["another code", { answer: (fields) => changed(fields, "code", "x") }],
    ["an error", { answer: () => new URLSearchParams({ error: "access_denied" }) }],
    ["another nonce", { claims: { ...good, nonce: "replayed" } }],
    ["another audience", { claims: { ...good, aud: "other" } }],
    ["an old ID token", { claims: { ...good, exp: soon(-600), iat: soon(-700) } }],
    ["an ID token of tomorrow", { claims: { ...good, nbf: soon(3_600) } }],
    ["an address that is not verified", { claims: { ...good, email_verified: false } }],
    [
      "an address that is not verified, said in text",
      { claims: { ...good, email_verified: "false" } },
    ],
    ["no address", { claims: { sub: "1" } }],
  ];
  test("and no answer but the right one lets a person in", async () => {
    await using at = await setUp();
    const { claims, answer } = at.provider.state;
    for (const [what, change] of wrong) {
      Object.assign(at.provider.state, { claims, answer }, change);
      const page = await at.through();
      assert.ok(page.status === 401 || page.status === 400, `${what}: ${page.status}`);
      assert.equal(page.location, null, what);
    }
    assert.deepEqual(await at.world.withPlane((plane) => plane.people.list()), []);
    const refused = (plane: Plane) => plane.audit.list({ operation: "signIn.login" });
    await until("every refusal is recorded", async () => {
      const lines = await at.world.withPlane(refused);
      return lines.length === wrong.length - 2 && lines.every(({ ok }) => !ok);
    });
  });

  test("and are known by their address, also where the configuration names another claim for their groups", async () => {
    await using at = await setUp({ groups: "roles" });
    at.provider.state.claims = { sub: "1", email, roles: ["ops"] };
    assert.match((await at.through()).text, /You are signed in as ann@example\.org/);
    const [person] = await at.world.withPlane((plane) => plane.people.list());
    assert.deepEqual([person?.user, person?.groups], [email, ["ops"]]);
  });

  test("and learn where it cannot be reached, as does the record", async () => {
    await using at = await setUp();
    await at.provider[Symbol.asyncDispose]();
    const agent = createAgent(at.world.url);
    const page = await at.hand.follow(
      agent,
      await agent.ask(at.hand.request(await at.hand.newClient()).path),
    );
    const away = await agent.ask(`/sign-in/${at.hand.uidIn(page)}/provider`);
    assert.equal(away.status, 503);
    assert.match(away.text, /cannot be reached to sign you in/);
    const list = (plane: Plane) => plane.audit.list({ operation: "signIn.login" });
    await until("the failure is recorded", async () =>
      /sign-in provider cannot be used/.test(JSON.stringify(await at.world.withPlane(list))),
    );
  });

  test("and the way back counts in the browser that went, once", async () => {
    await using at = await setUp();
    const agent = createAgent(at.world.url);
    const page = await at.hand.follow(
      agent,
      await agent.ask(at.hand.request(await at.hand.newClient()).path),
    );
    const away = await agent.ask(`/sign-in/${at.hand.uidIn(page)}/provider`);
    const back = new URL(
      (await fetch(away.location ?? "", { redirect: "manual" })).headers.get("location") ?? "",
    );
    const victim = createAgent(at.world.url);
    const stolen = await at.hand.follow(victim, await victim.ask(back.pathname + back.search));
    assert.equal(stolen.status, 400);
    const own = await at.hand.follow(agent, await agent.ask(back.pathname + back.search));
    assert.match(own.text, /Allow/);
    assert.equal(
      (await at.hand.follow(agent, await agent.ask(back.pathname + back.search))).status,
      400,
    );
  });
});

suite("programs sign in as themselves", () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const basic = (id: string, word: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${word}`).toString("base64")}`,
  });

  test("with a secret, and get what the configuration says", async () => {
    const clients = { ci: { secret, scopes: ["call", "server:files"], groups: ["robots"] } };
    await using world = await startSigningWorld({ server: { clients } });
    const hand = createHand(world);
    const ask = (fields: Record<string, string>, word = secret) =>
      hand.token(
        { grant_type: "client_credentials", resource: `${world.url}/mcp`, ...fields },
        basic("ci", word),
      );
    for (const fields of [{}, { scope: "call server:files" }] as Record<string, string>[]) {
      const { status, json } = await ask(fields);
      assert.equal(status, 200);
      const [, payload = ""] = String(json().access_token).split(".");
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<
        string,
        unknown
      >;
      assert.deepEqual(
        [claims.sub, claims.scope, claims.groups],
        ["ci", "call server:files", ["robots"]],
      );
      assert.equal(await hand.use(String(json().access_token)), 200);
    }
    assert.equal((await ask({ scope: "admin" })).json().scope, undefined);
    assert.equal(
      await hand.use(String((await ask({ scope: "admin" })).json().access_token), "/keys"),
      401,
    );
    assert.equal((await ask({}, "wrong")).json().error, "invalid_client");
    assert.equal((await ask({ resource: "https://other.example" })).json().error, "invalid_target");
    assert.equal(
      (await hand.token({ grant_type: "client_credentials", client_id: "ci" })).json().error,
      "invalid_client",
    );
  });

  test("with a key of their own, and each proof counts once", async () => {
    const { SignJWT } = await import("jose");
    const { signingKey } = await import("../fixtures/issuer.ts");
    const key = await signingKey("ci-key");
    await using world = await startSigningWorld({
      server: { clients: { ci: { keys: [key.jwk], scopes: ["read"] } } },
    });
    const hand = createHand(world);
    const proof = (claims: object, by = key) =>
      new SignJWT({
        iss: "ci",
        sub: "ci",
        aud: world.url,
        jti: crypto.randomUUID(),
        exp: soon(60),
        ...claims,
      })
        .setProtectedHeader({ alg: by.alg, kid: by.kid })
        .sign(by.privateKey);
    const ask = (assertion: string) =>
      hand.token({
        grant_type: "client_credentials",
        resource: `${world.url}/mcp`,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: assertion,
      });
    const good = await proof({});
    assert.equal((await ask(good)).status, 200);
    for (const bad of [
      good,
      await proof({ aud: "https://other.example" }),
      await proof({ exp: soon(-120) }),
      await proof({ sub: "other" }),
      await proof({}, await signingKey("ci-key")),
    ])
      assert.equal((await ask(bad)).json().error, "invalid_client");
  });

  test("for a person, with the assertion of the company's provider", async () => {
    await using provider = await startSignInProvider(clientId, clientSecret);
    const clients = { agent: { secret, scopes: [] } };
    await using world = await startSigningWorld({
      server: { clients, assertionIssuers: [provider.url] },
    });
    const hand = createHand(world);
    const assertion = (claims: object = {}, type = "oauth-id-jag+jwt") =>
      provider.sign(
        {
          iss: provider.url,
          sub: "1",
          email,
          groups: ["ops"],
          aud: world.url,
          client_id: "agent",
          jti: crypto.randomUUID(),
          resource: `${world.url}/mcp`,
          scope: "call",
          iat: soon(0),
          exp: soon(300),
          ...claims,
        },
        type,
      );
    const ask = (text: string, fields: Record<string, string> = {}) =>
      hand.token(
        { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: text, ...fields },
        basic("agent", secret),
      );
    const good = await assertion();
    const { status, json, text } = await ask(good);
    assert.equal(status, 200, text);
    assert.equal(await hand.use(String(json().access_token)), 200);
    const [grant] = await world.withPlane((plane) => plane.grants.list());
    assert.deepEqual(
      [grant?.user, grant?.client.id, grant?.client.verified],
      [email, "agent", true],
    );
    await world.withPlane((plane) => plane.grants.revoke(grant?.id ?? ""));
    const limited = await ask(await assertion({ scope: "call server:files" }), { scope: "call" });
    assert.equal(claimsOf(String(limited.json().access_token)).scope, "call server:files");
    const only = await ask(await assertion({ groups: undefined }));
    assert.deepEqual(
      claimsOf(String(only.json().access_token)).groups,
      ["ops"],
      "what it says nothing of stays",
    );
    const less = await ask(await assertion({ groups: ["dev"] }));
    assert.deepEqual(
      claimsOf(String(less.json().access_token)).groups,
      ["dev"],
      "the newest word counts",
    );
    for (const [bad, fields] of [
      [good, {}],
      [await assertion({ iat: soon(86_400), exp: soon(86_700) }), {}],
      [await assertion({ aud: "https://other.example" }), {}],
      [await assertion({ client_id: "other" }), {}],
      [await assertion({ iss: "https://evil.example" }), {}],
      [await assertion({ exp: soon(-60) }), {}],
      [await assertion({ exp: soon(86_400) }), {}],
      [await assertion({ jti: undefined }), {}],
      [await assertion({}, "JWT"), {}],
      ["made up", {}],
      [await assertion({ scope: "admin" }), {}],
      [await assertion(), { scope: "call admin", resource: "https://other.example" }],
    ] as [string, Record<string, string>][]) {
      const answer = await ask(bad, fields);
      assert.equal(answer.status, 400, answer.text);
      assert.match(String(answer.json().error), /invalid_grant|invalid_scope|invalid_target/);
    }
  });
});

suite("a plane that others reach and that lets no one in", () => {
  test("does not start with people of a provider that it has no more, and does for programs", async () => {
    await using at = await setUp();
    await at.through();
    const { directory } = at.world;
    await at.world.serving.stop();
    const place = ["--data-dir", directory.file("data"), "--port", "0"];
    const start = async (server: object) => {
      const auth = { publicUrl: "https://tools.example.org", server };
      return ["serve", "--config", await writeConfig(directory, {}, { auth }), ...place];
    };
    const refused = await runCli(await start({ enabled: true }));
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /No one could sign in at this plane/);
    const ci = { secret: "0123456789abcdef", scopes: ["call"] };
    const [, , config = ""] = await start({ clients: { ci } });
    await using serving = await startServeProcess(config, directory.file("data"));
    assert.ok(serving.url);
  });

  test("does not start, and says what to do", async () => {
    await using directory = await temporaryDirectory();
    const auth = { publicUrl: "https://tools.example.org", server: { enabled: true } };
    const config = await writeConfig(directory, {}, { auth });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { code, stderr } = await runCli(["serve", "--port", "0", ...place]);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /No one could sign in at this plane.*toolplane people invite NAME --scope admin/s,
    );
    const invited = await runCli([
      "people",
      "invite",
      "me@example.org",
      "--scope",
      "admin",
      ...place,
    ]);
    assert.match(invited.stdout, /https:\/\/tools\.example\.org\/sign-in\/invite\/[\w-]{43}/);
    const { stdout } = await runCli(["people", "list", ...place]);
    assert.match(stdout, /me@example\.org.*admin.*invited/);
  });
});
