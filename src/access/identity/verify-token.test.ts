import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { suite, test } from "node:test";
import { exportSPKI } from "jose";
import {
  type IssuerOptions,
  signingKey,
  soon,
  startIssuer,
} from "../../../test/fixtures/issuer.ts";
import { moveClocks } from "../../../test/samples/mocked-time.ts";
import { createEgress } from "../../lib/net/egress.ts";
import { JwtIssuer } from "../../model/access/jwt-issuer.ts";
import { createVerifyToken } from "./verify-token.ts";

const egress = createEgress({ allow: () => [] });

async function setUp(options: IssuerOptions = {}, settings: object = {}) {
  const issuer = await startIssuer(options);
  const verify = createVerifyToken(
    JwtIssuer.parse({ issuer: issuer.url, audience: "toolplane", ...settings }),
    egress,
  );
  return { issuer, verify, [Symbol.asyncDispose]: issuer.stop };
}

const refused =
  (reason: string, message: RegExp) => (error: Error & { code?: string; data?: unknown }) => {
    assert.deepEqual(
      [error.code, error.data, error.cause],
      ["UNAUTHENTICATED", { reason }, undefined],
    );
    assert.match(error.message, message);
    return true;
  };
const unavailable = { name: "PlaneError", code: "SERVER_UNAVAILABLE" };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

suite("a token of the issuer", () => {
  for (const discovery of [true, false]) {
    test(`is believed, ${discovery ? "with" : "without"} metadata of the issuer`, async () => {
      await using at = await setUp({ discovery });
      const token = await at.issuer.token({ aud: ["other", "toolplane"], groups: ["ops"] });
      const { user, groups, scopes } = await at.verify(token);
      assert.deepEqual(
        { user, groups, scopes },
        { user: "ann", groups: ["ops"], scopes: ["call"] },
      );
      await Promise.all([at.verify(token), at.verify(token)]);
      const keys = discovery ? "/keys" : "/.well-known/jwks.json";
      assert.deepEqual(at.issuer.state.asked, ["/.well-known/openid-configuration", keys]);
    });
  }

  test("is believed by keys that the configuration names, whatever the issuer is called", async () => {
    await using keys = await startIssuer();
    const settings = JwtIssuer.parse({
      issuer: "urn:example:people",
      audience: "toolplane",
      jwksUri: `${keys.url}/.well-known/jwks.json`,
    });
    const verify = createVerifyToken(settings, egress);
    assert.equal((await verify(await keys.token({ iss: "urn:example:people" }))).user, "ann");
  });

  for (const alg of ["RS256", "PS384", "ES384", "EdDSA"]) {
    test(`may be signed with ${alg}`, async () => {
      await using at = await setUp();
      const key = await signingKey("other", alg);
      at.issuer.state.keys = [at.issuer.key.jwk, key.jwk];
      assert.equal((await at.verify(await at.issuer.token({}, {}, key))).user, "ann");
    });
  }
});

suite("what is wrong with a token is reported, and the token is not repeated", () => {
  const wrong: [title: string, claims: object, reason: string, message: RegExp][] = [
    [
      "another issuer",
      { iss: "https://evil.example" },
      "issuer",
      /issuer of the token is not 'http/,
    ],
    ["an issuer that only begins alike", { iss: "http://127.0.0.1" }, "issuer", /issuer/],
    ["no issuer", { iss: undefined }, "issuer", /issuer/],
    [
      "another audience",
      { aud: "toolplane2" },
      "audience",
      /audience of the token is not 'toolplane'/,
    ],
    ["no audience", { aud: undefined }, "audience", /audience/],
    ["its time is over", { exp: 1_700_000_000 }, "expired", /expired at 2023-11-14T22:13:20\.000Z/],
    ["its time never ends", { exp: undefined }, "claims", /no 'exp'/],
    ["a time that is none", { exp: "soon" }, "claims", /'exp'/],
    ["its time has not come", { nbf: soon(3_600) }, "not_yet", /not valid before 20\d\d-/],
    ["without a subject", { sub: undefined }, "claims", /no 'sub'/],
    [
      "a user that is no text",
      { sub: { name: "ann" } },
      "claims",
      /'sub' in the token is not a string/,
    ],
    ["an empty user", { sub: " " }, "claims", /'sub'/],
  ];
  for (const [title, claims, reason, message] of wrong) {
    test(title, async () => {
      await using at = await setUp();
      const token = await at.issuer.token({ ...claims });
      await assert.rejects(at.verify(token), (error: Error) => {
        assert.ok(token.split(".").every((part) => !error.message.includes(part)));
        assert.doesNotMatch(error.message, /evil|toolplane2/);
        return refused(reason, message)(error);
      });
    });
  }

  test("clocks may differ by half a minute", async () => {
    await using at = await setUp();
    await at.verify(await at.issuer.token({ exp: soon(-25), nbf: soon(25) }));
    await assert.rejects(
      at.verify(await at.issuer.token({ exp: soon(-35) })),
      refused("expired", /expired/),
    );
  });

  for (const text of [
    "",
    "x",
    "a.b",
    "a.b.c",
    "..",
    "a.b.c.d.e",
    `${encode({ alg: "ES256" })}.e30`,
  ]) {
    test(`'${text}' is no token`, async () => {
      await using at = await setUp();
      await assert.rejects(
        at.verify(text),
        refused("malformed", /neither an API key nor a signed JWT/),
      );
      assert.deepEqual(at.issuer.state.asked, []);
    });
  }

  test("one that is far too long is not even read", async () => {
    await using at = await setUp();
    const token = await at.issuer.token({ more: "x".repeat(20_000) });
    await assert.rejects(at.verify(token), refused("malformed", /longer than 16 KiB/));
    assert.deepEqual(at.issuer.state.asked, []);
  });
});

suite("a forged token is not believed", () => {
  test("one that is not signed at all", async () => {
    await using at = await setUp();
    const [, payload] = (await at.issuer.token()).split(".");
    for (const alg of ["none", "None", "", undefined]) {
      const token = `${encode({ alg, kid: "first" })}.${payload}.`;
      await assert.rejects(
        at.verify(token),
        refused("algorithm", /must be signed with one of RS256/),
      );
    }
    assert.deepEqual(at.issuer.state.asked, []);
  });

  test("one that takes the issuer's public key for a shared secret", async () => {
    await using at = await setUp();
    const key = await signingKey("rsa", "RS256");
    at.issuer.state.keys = [key.jwk];
    const [, payload] = (await at.issuer.token()).split(".");
    for (const secret of [
      await exportSPKI(key.publicKey),
      JSON.stringify(key.jwk),
      String(key.jwk.n),
    ]) {
      const signed = `${encode({ alg: "HS256", kid: "rsa" })}.${payload}`;
      const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
      await assert.rejects(at.verify(token), refused("algorithm", /signed with/));
    }
  });

  test("one that another issuer signed under the same name of a key", async () => {
    await using at = await setUp();
    await using other = await startIssuer();
    const token = await at.issuer.token({}, {}, other.key);
    await assert.rejects(at.verify(token), refused("signature", /does not match/));
    await assert.rejects(at.verify(await other.token()), refused("issuer", /issuer/));
  });

  test("one whose content was changed afterwards, or that brings its own key", async () => {
    await using at = await setUp();
    const [header, , signature] = (await at.issuer.token()).split(".");
    const claims = { iss: at.issuer.url, aud: "toolplane", sub: "root", exp: soon() };
    await assert.rejects(
      at.verify(`${header}.${encode(claims)}.${signature}`),
      refused("signature", /does not match/),
    );
    const mine = await signingKey("mine");
    const own = await at.issuer.token({}, { jwk: mine.jwk, jku: "http://127.0.0.1:1/" }, mine);
    await assert.rejects(at.verify(own), refused("signature", /does not publish/));
  });

  test("one with a demand in its header that is not understood", async () => {
    await using at = await setUp();
    const [, payload, signature] = (await at.issuer.token()).split(".");
    const header = encode({ alg: "ES256", kid: "first", crit: ["odd"], odd: true });
    await assert.rejects(
      at.verify(`${header}.${payload}.${signature}`),
      refused("signature", /verified/),
    );
  });
});

suite("the issuer's keys", () => {
  test("are fetched again for a new name, but not for every invented name", async (context) => {
    await using at = await setUp({}, {});
    const fetched = () => at.issuer.state.asked.filter((path) => path.endsWith("jwks.json")).length;
    await at.verify(await at.issuer.token());
    const next = await signingKey("next");
    at.issuer.state.keys = [next.jwk];
    const early = await at.issuer.token({}, {}, next);
    await assert.rejects(at.verify(early), refused("signature", /does not publish/));
    assert.equal(fetched(), 1);
    moveClocks(context, Date.now() + 31_000);
    await at.verify(early);
    assert.equal(fetched(), 2);
    for (const kid of ["a", "b", "c"])
      await assert.rejects(
        at.verify(await at.issuer.token({}, { kid }, next)),
        refused("signature", /publish/),
      );
    assert.equal(fetched(), 2);
    await assert.rejects(
      at.verify(await at.issuer.token()),
      refused("signature", /publish/),
      "withdrawn with the old key",
    );
  });

  test("a withdrawn key is not believed for longer than ten minutes", async (context) => {
    await using at = await setUp();
    const token = await at.issuer.token({ exp: soon(3_600) });
    await at.verify(token);
    at.issuer.state.keys = [(await signingKey("next")).jwk];
    moveClocks(context, Date.now() + 601_000);
    await assert.rejects(at.verify(token), refused("signature", /does not publish/));
  });

  test("without them no token is called false, and the issuer has a cooldown", async (context) => {
    await using at = await setUp();
    at.issuer.state.status = 503;
    const token = await at.issuer.token();
    await assert.rejects(at.verify(token), unavailable);
    const asked = at.issuer.state.asked.length;
    at.issuer.state.status = 200;
    await assert.rejects(at.verify(token), unavailable);
    assert.equal(at.issuer.state.asked.length, asked);
    moveClocks(context, Date.now() + 6_000);
    assert.equal((await at.verify(token)).user, "ann");
  });

  test("those that are known hold while the issuer is unreachable, whatever others show meanwhile", async (context) => {
    await using at = await setUp();
    const token = await at.issuer.token();
    await at.verify(token);
    await at.issuer.stop();
    moveClocks(context, Date.now() + 40_000);
    const strange = await at.issuer.token({}, { kid: "strange" });
    await assert.rejects(at.verify(strange), unavailable);
    assert.equal((await at.verify(token)).user, "ann");
  });

  test("the address is not shown", async () => {
    await using at = await setUp();
    await at.issuer.stop();
    await assert.rejects(at.verify(await at.issuer.token()), (error: Error) => {
      assert.match(error.message, /could not be asked for its keys: ECONNREFUSED/);
      assert.doesNotMatch(error.message, /127\.0\.0\.1/);
      return true;
    });
  });

  for (const [title, metadata] of [
    ["is about another issuer", { issuer: "https://evil.example" }],
    ["names keys that can be changed on their way", { jwks_uri: "http://evil.example/keys" }],
    ["names no keys", { jwks_uri: undefined }],
  ] as const) {
    test(`metadata that ${title} is not followed`, async () => {
      await using at = await setUp({ discovery: true, metadata });
      await assert.rejects(at.verify(await at.issuer.token()), unavailable);
    });
  }

  for (const [title, keys] of [
    ["no list", "x"],
    ["a list of something else", [1, "a", null]],
  ] as const) {
    test(`${title} in their place is refused`, async () => {
      await using at = await setUp();
      at.issuer.state.keys = keys;
      await assert.rejects(at.verify(await at.issuer.token()), unavailable);
    });
  }

  test("a token that does not name its key is refused where there are several", async () => {
    await using at = await setUp();
    at.issuer.state.keys = [at.issuer.key.jwk, (await signingKey("second")).jwk];
    const token = await at.issuer.token({}, { kid: undefined as unknown as string });
    await assert.rejects(at.verify(token), refused("signature", /'kid'/));
  });
});
