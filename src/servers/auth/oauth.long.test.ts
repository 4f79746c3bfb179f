import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  browse,
  knock,
  openPlane,
  redirectUri,
  remote,
  signIn,
  startOAuth,
} from "../../../test/contracts/signing-in.ts";
import type { PlaneError } from "../../model/errors.ts";

const oauth = { type: "oauth" };
const hour = 3_600_000;

test("a sign-in brings tokens that the server takes, for that user alone", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const { credentials } = plane;
  const server = remote(fixture.url, oauth);
  const challenge = (await knock(fixture.url, {})) ?? assert.fail("let in");
  await assert.rejects(
    credentials.refused("remote", server, "ada", challenge),
    (error: PlaneError) => {
      assert.equal(error.code, "AUTH_REQUIRED");
      assert.deepEqual(error.data, {
        server: "remote",
        kind: "oauth",
        how: "toolplane servers login remote",
      });
      return true;
    },
  );
  const asked = (await signIn(credentials, server)).searchParams;
  assert.equal(asked.get("code_challenge_method"), "S256");
  assert.equal(asked.get("resource"), fixture.url);
  assert.equal(asked.get("scope"), "tools");
  assert.equal(await knock(fixture.url, await credentials.headers("remote", server, "ada")), null);
  await assert.rejects(credentials.headers("remote", server, "bob"), { code: "AUTH_REQUIRED" });
  assert.deepEqual(plane.changed, ["remote ada"]);
  const [status] = await credentials.status("ada");
  assert.deepEqual([status?.kind, status?.scopes, status?.expired], ["oauth", ["tools"], false]);
  const [{ form } = assert.fail("no token")] = fixture.tokens();
  assert.equal(form.resource, fixture.url);
});

for (const layout of ["default", "var1", "var2", "var3"]) {
  test(`the documents are found where they stand: ${layout}`, async () => {
    await using fixture = await startOAuth(["--layout", layout]);
    await using plane = await openPlane();
    const server = remote(fixture.url, oauth);
    const asked = (await signIn(plane.credentials, server)).searchParams;
    assert.equal(asked.get("resource"), layout === "var2" ? fixture.origin : fixture.url);
    assert.equal(
      await knock(fixture.url, await plane.credentials.headers("remote", server, "ada")),
      null,
    );
    const rootAsked = fixture.requests().includes("GET /.well-known/oauth-protected-resource");
    assert.equal(rootAsked, layout === "var2");
    const wrong = "GET /.well-known/oauth-authorization-server";
    assert.equal(fixture.requests().includes(wrong), ["default", "var1"].includes(layout));
  });
}

test("a server without 'auth' is asked for nothing until it refuses with a sign-in to offer", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const { credentials } = plane;
  const server = remote(fixture.url);
  assert.deepEqual(await credentials.headers("remote", server, "ada"), {});
  assert.equal(credentials.isPersonal(server), false);
  const challenge = (await knock(fixture.url, {})) ?? assert.fail("let in");
  await assert.rejects(credentials.refused("remote", server, "ada", challenge), {
    code: "AUTH_REQUIRED",
  });
  assert.equal(credentials.isPersonal(server), true);
  await signIn(credentials, server);
  assert.equal(await knock(fixture.url, await credentials.headers("remote", server, "ada")), null);
  await assert.rejects(credentials.headers("remote", server, "bob"), { code: "AUTH_REQUIRED" });
});

test("a server without 'auth' that only wants a token is left to its configuration", async () => {
  const { startHttpFixture } = await import("../../../test/fixtures/start-server.ts");
  await using fixture = await startHttpFixture("http", ["--token", "right"]);
  await using plane = await openPlane();
  const server = remote(fixture.url);
  const challenge = (await knock(fixture.url, {})) ?? assert.fail("let in");
  assert.equal(await plane.credentials.refused("remote", server, "ada", challenge), false);
  assert.equal(plane.credentials.isPersonal(server), false);
  const begun = plane.credentials.beginSignIn("remote", server, "ada", redirectUri);
  await assert.rejects(begun, { code: "PROVIDER_FAILED", message: /'remote'.*offers no sign-in/ });
});

suite("who we are at the authorization server", () => {
  for (const method of ["none", "client_secret_basic", "client_secret_post"]) {
    test(`a registered client identifies itself as the server wants: ${method}`, async () => {
      await using fixture = await startOAuth(["--token-method", method]);
      await using plane = await openPlane();
      await signIn(plane.credentials, remote(fixture.url, oauth));
      const [{ form, authorization } = assert.fail("no token")] = fixture.tokens();
      assert.equal(authorization?.startsWith("Basic ") ?? false, method === "client_secret_basic");
      assert.equal(form.client_secret !== undefined, method === "client_secret_post");
      const [{ wanted } = assert.fail("not registered")] = fixture.registrations();
      const { application_type, grant_types } = wanted as Record<string, unknown>;
      assert.deepEqual(
        [application_type, grant_types],
        ["native", ["authorization_code", "refresh_token"]],
      );
    });
  }

  test("one registration serves every sign-in that comes back to the same place", async () => {
    await using fixture = await startOAuth();
    await using plane = await openPlane();
    const server = remote(fixture.url, oauth);
    await signIn(plane.credentials, server, "ada");
    await signIn(plane.credentials, server, "bob");
    assert.equal(fixture.registrations().length, 1);
    await plane.credentials.beginSignIn("remote", server, "ada", "https://plane.example/back");
    const { wanted } = fixture.registrations()[1] ?? assert.fail("not registered");
    assert.equal((wanted as { application_type: string }).application_type, "web");
  });

  test("a client that was registered by hand is used, its secret is not stored", async () => {
    const args = ["--token-method", "client_secret_basic", "--client", "by-hand:its%20secret"];
    await using fixture = await startOAuth([
      ...args,
      "--metadata",
      '{"registration_endpoint":null}',
    ]);
    await using plane = await openPlane();
    const auth = { ...oauth, clientId: "by-hand", clientSecret: "its%20secret" };
    const server = remote(fixture.url, { ...auth, issuer: fixture.origin });
    await signIn(plane.credentials, server);
    assert.equal(fixture.registrations().length, 0);
    plane.later(hour);
    assert.ok((await plane.credentials.headers("remote", server, "ada")).authorization);
    plane.later(hour);
    const wrong = remote(fixture.url, { ...auth, clientSecret: "wrong" });
    const headers = plane.credentials.headers("remote", wrong, "ada");
    await assert.rejects(headers, {
      code: "CONFIG_INVALID",
      message: /invalid_client.*auth\.clientSecret/,
    });
    assert.ok((await plane.credentials.headers("remote", server, "ada")).authorization);
  });

  test("without any way to be known, the remedy is reported", async () => {
    await using fixture = await startOAuth(["--metadata", '{"registration_endpoint":null}']);
    await using plane = await openPlane();
    const begun = plane.credentials.beginSignIn(
      "remote",
      remote(fixture.url, oauth),
      "ada",
      redirectUri,
    );
    await assert.rejects(begun, { code: "CONFIG_INVALID", message: /set 'auth\.clientId'/ });
  });

  test("a metadata document is the client id where that is offered", async () => {
    const clientMetadataUrl = "https://plane.example/client.json";
    const metadata = '{"client_id_metadata_document_supported":true}';
    await using fixture = await startOAuth(["--metadata", metadata]);
    await using plane = await openPlane();
    const asked = await signIn(
      plane.credentials,
      remote(fixture.url, { ...oauth, clientMetadataUrl }),
    );
    assert.equal(asked.searchParams.get("client_id"), clientMetadataUrl);
    assert.equal(fixture.registrations().length, 0);
  });

  test("a client signs in by itself where the configuration says so", async () => {
    const args = [
      "--token-method",
      "client_secret_basic",
      "--client",
      "own:own-secret",
      "--expires-in",
      "3600",
    ];
    await using fixture = await startOAuth(args);
    await using plane = await openPlane();
    const { credentials } = plane;
    const auth = {
      ...oauth,
      grant: "client_credentials",
      clientId: "own",
      clientSecret: "own-secret",
    };
    const server = remote(fixture.url, auth);
    const first = await credentials.headers("remote", server, "ada");
    assert.equal(await knock(fixture.url, first), null);
    assert.deepEqual(await credentials.headers("remote", server, "bob"), first);
    assert.equal(fixture.tokens().length, 1);
    await fixture.command("revoke");
    const challenge = (await knock(fixture.url, first)) ?? assert.fail("let in");
    assert.equal(await credentials.refused("remote", server, "ada", challenge), true);
    assert.equal(
      await knock(fixture.url, await credentials.headers("remote", server, "ada")),
      null,
    );
    plane.later(hour);
    await credentials.headers("remote", server, "ada");
    assert.equal(fixture.tokens().length, 3);
    await assert.rejects(credentials.beginSignIn("remote", server, "ada", redirectUri), {
      code: "USAGE",
    });
  });
});

suite("what is not believed", () => {
  const refusals: [title: string, args: string[], why: RegExp, isFoundFirst: boolean][] = [
    [
      "metadata of another issuer",
      ["--metadata", '{"issuer":"https://evil.example.com"}'],
      /another issuer/,
      true,
    ],
    [
      "a resource that is another server",
      ["--resource", "https://evil.example.com/mcp"],
      /another server/,
      true,
    ],
    ["a resource that only begins alike", ["--resource", "ORIGIN/mc"], /another server/, true],
    [
      "a server without PKCE",
      ["--metadata", '{"code_challenge_methods_supported":["plain"]}'],
      /PKCE/,
      false,
    ],
    [
      "an endpoint that a browser must not open",
      ["--metadata", '{"authorization_endpoint":"javascript:alert(1)"}'],
      /authorization_endpoint.*must be https/,
      true,
    ],
    [
      "an endpoint in the clear",
      ["--metadata", '{"token_endpoint":"http://plane.example/token"}'],
      /token_endpoint \(http:\/\/plane\.example\) must be https/,
      true,
    ],
  ];
  for (const [title, args, why, isFoundFirst] of refusals) {
    test(`${title} ends the sign-in before it begins`, async () => {
      await using fixture = await startOAuth(args);
      await using plane = await openPlane();
      const begun = plane.credentials.beginSignIn(
        "remote",
        remote(fixture.url, oauth),
        "ada",
        redirectUri,
      );
      await assert.rejects(begun, { code: "PROVIDER_FAILED", message: why });
      const challenge = (await knock(fixture.url, {})) ?? assert.fail("let in");
      const asked = plane.credentials.refused("remote", remote(fixture.url), "ada", challenge);
      const told = isFoundFirst
        ? { code: "PROVIDER_FAILED", message: why }
        : { code: "AUTH_REQUIRED" };
      await assert.rejects(asked, told);
      assert.equal(
        fixture.requests().some((request) => request.includes("register")),
        false,
      );
    });
  }

  const silent = '{"authorization_response_iss_parameter_supported":false}';
  const answers: [title: string, args: string[], accepted: boolean][] = [
    ["an issuer that is missing although promised", ["--iss", "omit"], false],
    ["another issuer", ["--iss", "wrong"], false],
    ["another issuer that was not promised", ["--iss", "wrong", "--metadata", silent], false],
    ["an issuer that is only nearly the same", ["--iss", "slash"], false],
    ["no issuer where none was promised", ["--iss", "omit", "--metadata", silent], true],
    ["the right issuer although none was promised", ["--metadata", silent], true],
  ];
  for (const [title, args, accepted] of answers) {
    test(`an answer with ${title} is ${accepted ? "taken" : "refused before the code is used"}`, async () => {
      await using fixture = await startOAuth(args);
      await using plane = await openPlane();
      const signing = signIn(plane.credentials, remote(fixture.url, oauth));
      if (accepted) await signing;
      else await assert.rejects(signing, /does not come from the authorization server/);
      assert.equal(fixture.tokens().length, accepted ? 1 : 0);
    });
  }

  test("a state is good once, for ten minutes, and for the one who began", async () => {
    await using fixture = await startOAuth();
    await using plane = await openPlane();
    const { credentials } = plane;
    const server = remote(fixture.url, oauth);
    const begin = async () =>
      browse((await credentials.beginSignIn("remote", server, "ada", redirectUri)).url);
    const unknown = { code: "USAGE", message: /not known, too old or already done/ };
    await assert.rejects(
      credentials.finishSignIn(new URLSearchParams({ state: "x", code: "y" })),
      unknown,
    );
    await assert.rejects(credentials.finishSignIn(new URLSearchParams()), unknown);
    const back = await begin();
    await assert.rejects(credentials.finishSignIn(back, { user: "bob" }), unknown);
    const done = await Promise.allSettled([
      credentials.finishSignIn(back, { user: "ada" }),
      credentials.finishSignIn(back),
    ]);
    assert.deepEqual(done.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const late = await begin();
    plane.later(11 * 60_000);
    await assert.rejects(credentials.finishSignIn(late), unknown);
    await begin();
    assert.equal((await plane.store.secrets("sign-in/")).length, 1);
  });

  test("a refusal of the person is reported", async () => {
    await using fixture = await startOAuth(["--deny"]);
    await using plane = await openPlane();
    const signing = signIn(plane.credentials, remote(fixture.url, oauth));
    await assert.rejects(signing, { code: "AUTH_REQUIRED", message: /answered access_denied/ });
  });

  test("tokens are not sent to an address that the server did not have when they were made", async () => {
    await using fixture = await startOAuth();
    await using plane = await openPlane();
    await signIn(plane.credentials, remote(fixture.url, oauth));
    const moved = remote("https://evil.example.com/mcp", oauth);
    await assert.rejects(plane.credentials.headers("remote", moved, "ada"), {
      code: "AUTH_REQUIRED",
    });
  });
});

suite("what is asked for", () => {
  const cases: [title: string, args: string[], auth: object, scope: string | null][] = [
    ["what the refusal names", ["--scopes", "a b", "--challenge-scope", "c"], {}, "c"],
    ["what the server lists, when the refusal names nothing", ["--scopes", "a b"], {}, "a b"],
    ["nothing, when no scope is named anywhere", ["--scopes", "none"], {}, null],
    [
      "what the configuration names, and what the refusal adds",
      ["--challenge-scope", "c"],
      { scopes: ["x"] },
      "x c",
    ],
    [
      "a refresh token, where the authorization server offers it",
      ["--metadata", '{"scopes_supported":["tools","offline_access"]}'],
      {},
      "tools offline_access",
    ],
    [
      "no refresh token where it is not offered",
      ["--challenge-scope", "a offline_access"],
      {},
      "a",
    ],
  ];
  for (const [title, args, auth, scope] of cases) {
    test(title, async () => {
      await using fixture = await startOAuth(args);
      await using plane = await openPlane();
      const asked = await signIn(plane.credentials, remote(fixture.url, { ...oauth, ...auth }));
      assert.equal(asked.searchParams.get("scope"), scope);
    });
  }

  test("a server that wants more gets it beside what was granted, and not for ever", async () => {
    await using fixture = await startOAuth(["--need-scope", "admin"]);
    await using plane = await openPlane();
    const { credentials } = plane;
    const server = remote(fixture.url, oauth);
    await signIn(credentials, server);
    const challenge =
      (await knock(fixture.url, await credentials.headers("remote", server, "ada"))) ??
      assert.fail();
    assert.equal(challenge.status, 403);
    const needed = { code: "AUTH_REQUIRED", message: /wants more rights \(admin\)/ };
    await assert.rejects(credentials.refused("remote", server, "ada", challenge), needed);
    await assert.rejects(credentials.refused("remote", server, "ada", challenge), needed);
    const asked = await signIn(credentials, server);
    assert.equal(asked.searchParams.get("scope"), "tools admin");
    assert.equal(
      await knock(fixture.url, await credentials.headers("remote", server, "ada")),
      null,
    );
    assert.equal(await credentials.refused("remote", server, "ada", challenge), false);
    const more = (scope: string) => ({
      status: 403,
      wwwAuthenticate: `Bearer error="insufficient_scope", scope="${scope}"`,
    });
    for (const scope of ["b", "c"]) {
      await assert.rejects(credentials.refused("remote", server, "ada", more(scope)), {
        code: "AUTH_REQUIRED",
      });
      await signIn(credentials, server);
    }
    assert.equal(await credentials.refused("remote", server, "ada", more("d")), false);
    plane.later(11 * 60_000);
    await assert.rejects(credentials.refused("remote", server, "ada", more("d")), {
      code: "AUTH_REQUIRED",
    });
  });
});
