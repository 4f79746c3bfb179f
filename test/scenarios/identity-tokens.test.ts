import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { startIssuer } from "../fixtures/issuer.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, writeConfig } from "./support.ts";

const audience = "toolplane";
const refused = (reason: string) => ({ code: "UNAUTHENTICATED", data: { reason } });

suite("tokens of an identity provider", () => {
  test("tell who calls, and the configuration says what else is known of them", async () => {
    await using issuer = await startIssuer({ discovery: true });
    const claims = { user: "email", workspace: "tenant.id" };
    await using plane = await createPlane({
      config: {
        mcpServers: {},
        auth: { jwt: { issuer: issuer.url, audience, claims } },
        users: { "ann@example.org": { groups: ["ops"], persona: "Atlas" } },
      },
    });
    assert.equal(await plane.identity.needsCredentials(), true);
    await assert.rejects(plane.identity.identify(null), refused("missing"));
    const email = "ann@example.org";
    assert.deepEqual(
      await plane.identity.identify(await issuer.token({ email, tenant: { id: "research" } })),
      {
        user: email,
        groups: ["ops"],
        persona: "Atlas",
        scopes: ["call"],
        workspace: "research",
        compliance: null,
        brought: { groups: [], persona: null, workspace: "research", compliance: null },
      },
    );
    const own = await plane.identity.identify(
      await issuer.token({ email, groups: ["dev"], scope: "read" }),
    );
    assert.deepEqual([own.groups, own.persona, own.scopes], [["dev"], "Atlas", ["read"]]);
    await assert.rejects(plane.identity.identify(await issuer.token()), refused("claims"));
  });

  test("and keys are taken side by side", async () => {
    await using issuer = await startIssuer();
    await using plane = await createPlane({
      config: { mcpServers: {}, auth: { jwt: { issuer: issuer.url, audience } } },
    });
    const { secret } = await plane.keys.create({ name: "ci", user: "build" });
    assert.equal((await plane.identity.identify(secret)).user, "build");
    assert.equal((await plane.identity.identify(await issuer.token())).user, "ann");
    await issuer.stop();
    assert.equal((await plane.identity.identify(secret)).user, "build", "a key needs no issuer");
  });

  test("another issuer in the configuration is the one that counts, at once", async () => {
    await using directory = await temporaryDirectory();
    await using first = await startIssuer();
    await using second = await startIssuer();
    const write = (issuer: string) =>
      writeConfig(directory, {}, { auth: { jwt: { issuer, audience } } });
    await using plane = await createPlane({ config: await write(first.url) });
    const old = await first.token();
    const next = await second.token();
    await plane.identity.identify(old);
    await assert.rejects(plane.identity.identify(next), refused("issuer"));
    await write(second.url);
    await plane.reload();
    await plane.identity.identify(next);
    await assert.rejects(plane.identity.identify(old), refused("issuer"));
  });

  test("an issuer that is unreachable is no reason to turn a user into no one", async () => {
    await using issuer = await startIssuer();
    await using plane = await createPlane({
      config: { mcpServers: {}, auth: { jwt: { issuer: issuer.url, audience } } },
    });
    const token = await issuer.token();
    await issuer.stop();
    await assert.rejects(plane.identity.identify(token), { code: "SERVER_UNAVAILABLE" });
  });

  for (const [title, jwt, place] of [
    ["without an audience", { issuer: "https://id.example" }, "auth.jwt.audience"],
    ["over http", { issuer: "http://id.example", audience }, "auth.jwt.issuer"],
    [
      "with an unknown claim",
      { issuer: "https://id.example", audience, claims: { x: "y" } },
      "claims",
    ],
  ] as const) {
    test(`no plane starts with an issuer ${title}`, async () => {
      await using directory = await temporaryDirectory();
      const config = await writeConfig(directory, {}, { auth: { jwt } });
      const { code, stderr } = await runCli([
        "keys",
        "list",
        "--config",
        config,
        "--data-dir",
        directory.path,
      ]);
      assert.equal(code, 2, stderr);
      assert.ok(stderr.includes(place), stderr);
    });
  }
});
