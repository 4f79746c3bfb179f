import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { openPlane, remote } from "../../../test/contracts/signing-in.ts";
import { createEgress } from "../../lib/net/egress.ts";
import { ServerDefinition } from "../../model/servers/server.ts";
import { createCredentials } from "./credentials.ts";

const url = "http://127.0.0.1:9/mcp";
const local = ServerDefinition.parse({ command: "x", transport: "stdio" });

suite("what the configuration says", () => {
  const credentials = createCredentials({
    store: () => assert.fail("the store is not needed"),
    directory: undefined,
    clientName: "test",
    egress: createEgress({ allow: () => [] }),
    onChanged: () => undefined,
  });
  const cases: [title: string, definition: ServerDefinition, headers: Record<string, string>][] = [
    ["a local server gets nothing", local, {}],
    ["none sends nothing", remote(url, { type: "none", token: "t" }), {}],
    ["an empty token sends nothing", remote(url, { type: "bearer", token: "" }), {}],
    [
      "a header of the configuration is enough",
      { ...remote(url), headers: { AUTHORIZATION: "Basic x" } },
      {},
    ],
    ["bearer", remote(url, { token: "t" }), { authorization: "Bearer t" }],
    ["jwt", remote(url, { type: "jwt", token: "t" }), { authorization: "Bearer t" }],
    ["an API key", remote(url, { type: "api_key", token: "t", header: "X-My" }), { "X-My": "t" }],
  ];
  for (const [title, definition, headers] of cases) {
    test(`is sent without looking at the store: ${title}`, async () => {
      assert.deepEqual(await credentials.headers("a", definition, "ada"), headers);
      assert.equal(credentials.isPersonal(definition), false);
      const challenge = { status: 401, wwwAuthenticate: "Bearer" };
      assert.equal(await credentials.refused("a", definition, "ada", challenge), false);
    });
  }

  test("is personal where each user has their own", () => {
    const personal = (auth?: object) => credentials.isPersonal(remote(url, auth));
    assert.deepEqual([personal({ type: "bearer" }), personal({ type: "oauth" })], [true, true]);
    assert.deepEqual(
      [personal(), personal({ type: "oauth", grant: "client_credentials" })],
      [false, false],
    );
  });
});

test("a server that wants a token asks each user for their own", async () => {
  await using plane = await openPlane();
  const { credentials } = plane;
  const bearer = remote(url, { type: "bearer" });
  const needed = {
    name: "PlaneError",
    code: "AUTH_REQUIRED",
    message: /toolplane servers login docs/,
  };
  await assert.rejects(
    credentials.headers("docs", bearer, "ada"),
    (error: Error & { data?: unknown }) => {
      assert.deepEqual(error.data, {
        server: "docs",
        kind: "token",
        how: "toolplane servers login docs",
      });
      return true;
    },
  );
  await credentials.setToken(
    "docs",
    "ada",
    { token: " ada's-token \n".replace("'", ""), scopes: ["read"] },
    url,
  );
  assert.deepEqual(await credentials.headers("docs", bearer, "ada"), {
    authorization: "Bearer adas-token",
  });
  const key = remote(url, { type: "api_key" });
  assert.deepEqual(await credentials.headers("docs", key, "ada"), { "X-API-Key": "adas-token" });
  await assert.rejects(credentials.headers("docs", bearer, "bob"), needed);
  await assert.rejects(credentials.headers("docs", bearer, null), needed);
  await assert.rejects(credentials.headers("other", bearer, "ada"), { code: "AUTH_REQUIRED" });
  const challenge = { status: 401, wwwAuthenticate: null };
  await assert.rejects(credentials.refused("docs", bearer, "ada", challenge), /refused the token/);
  assert.equal(
    await credentials.refused("docs", bearer, "ada", { ...challenge, status: 403 }),
    false,
  );
});

test("a token goes to the origin that it was given for, also when another server has the name", async () => {
  await using plane = await openPlane();
  const { credentials } = plane;
  const bearer = remote(url, { type: "bearer" });
  const moved = remote("https://stranger.example/mcp", { type: "bearer" });
  await credentials.setToken("docs", "ada", { token: "t" }, url);
  await assert.rejects(
    credentials.headers("docs", moved, "ada"),
    /its token is for .*, and it is at https:\/\/stranger\.example now/,
  );
  const path = remote(new URL("/elsewhere", url).href, { type: "bearer" });
  assert.deepEqual(await credentials.headers("docs", path, "ada"), { authorization: "Bearer t" });
  assert.deepEqual(await credentials.headers("docs", bearer, "ada"), { authorization: "Bearer t" });
});

test("a token is over one minute before its end", async () => {
  await using plane = await openPlane();
  const { credentials } = plane;
  const bearer = remote(url, { type: "bearer" });
  const expiresAt = new Date(Date.now() + 120_000).toISOString();
  await credentials.setToken("docs", "ada", { token: "t", expiresAt }, url);
  await credentials.headers("docs", bearer, "ada");
  assert.equal((await credentials.status("ada"))[0]?.expired, false);
  plane.later(61_000);
  await assert.rejects(credentials.headers("docs", bearer, "ada"), /its token has expired/);
  assert.equal((await credentials.status("ada"))[0]?.expired, true);
});

test("status lists one user's credentials, forget removes them, and both sides are notified", async () => {
  await using plane = await openPlane();
  const { credentials } = plane;
  const odd = "a/b \ud800 \"'% ünï";
  await credentials.setToken("docs", "ada", { token: "t" }, url);
  await credentials.setToken(
    odd,
    "ada",
    {
      token: "t",
      expiresAt: "2099-01-01T00:00:00+01:00",
      scopes: ["x"],
    },
    url,
  );
  await credentials.setToken("docs", "ada/docs", { token: "t" }, url);
  await credentials.setToken("docs", null, { token: "t" }, url);
  const named = (await credentials.status("ada")).toSorted(
    (one, other) => one.server.length - other.server.length,
  );
  assert.deepEqual(named, [
    { server: "docs", user: "ada", kind: "token", expiresAt: null, scopes: [], expired: false },
    {
      server: odd,
      user: "ada",
      kind: "token",
      expiresAt: "2098-12-31T23:00:00.000Z",
      scopes: ["x"],
      expired: false,
    },
  ]);
  assert.equal((await credentials.status(null)).length, 1);
  plane.changed.length = 0;
  assert.equal(await credentials.forget("docs", "ada"), true);
  assert.equal(await credentials.forget("docs", "ada"), false);
  assert.deepEqual(plane.changed, ["docs ada"]);
  assert.equal((await credentials.status("ada/docs")).length, 1);
});

test("a token that no header can carry is refused without being told", async () => {
  await using plane = await openPlane();
  for (const token of ["", "  ", "very-secret\r\nX-Evil: 1", "very-secret-ü"]) {
    await assert.rejects(
      plane.credentials.setToken("docs", "ada", { token }, url),
      (error: Error) => {
        assert.match(error.message, /'docs' is empty or has characters/);
        assert.doesNotMatch(error.message, /very-secret/);
        return true;
      },
    );
  }
  const wrong = { token: "t", expiresAt: "tomorrow" };
  await assert.rejects(
    plane.credentials.setToken("docs", "ada", wrong, url),
    {
      code: "USAGE",
      message: /expiry/,
    },
    url,
  );
});

test("after the key is lost, headers tell so, status goes on, and a new token works", async () => {
  await using plane = await openPlane();
  await plane.credentials.setToken("docs", "ada", { token: "very-secret" }, url);
  const { writeFile } = await import("node:fs/promises");
  await writeFile(`${plane.directory}/vault.key`, Buffer.alloc(32, 1));
  const bearer = remote(url, { type: "bearer" });
  await using again = await openPlane(plane.directory);
  await assert.rejects(again.credentials.headers("docs", bearer, "ada"), {
    message: /another key.*sign in again/,
  });
  assert.deepEqual(
    (await again.credentials.status("ada")).map(({ server, expired }) => [server, expired]),
    [["docs", true]],
  );
  await again.credentials.setToken("docs", "ada", { token: "new" }, url);
  assert.deepEqual(await again.credentials.headers("docs", bearer, "ada"), {
    authorization: "Bearer new",
  });
});

test("a caller who gives up does not wait", async () => {
  await using plane = await openPlane();
  const signal = AbortSignal.abort(new Error("enough"));
  const asked = plane.credentials.headers("docs", remote(url, { type: "bearer" }), "ada", signal);
  await assert.rejects(asked, /enough/);
});
