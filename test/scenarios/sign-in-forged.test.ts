import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { exportSPKI, importJWK, type JWTHeaderParameters, SignJWT } from "jose";
import { type SigningKey, signingKey, soon, startIssuer } from "../fixtures/issuer.ts";
import { type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { claimsOf, createAgent, createHand } from "./signing-by-hand.ts";

const ann = "ann@example.org";
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Keys of a forger, at an address of theirs; it notes who asks. */
async function startForger() {
  const key = await signingKey("forged");
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ keys: [key.jwk] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    key,
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

suite("a forged token opens nothing, and nothing that it names is fetched", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let forger: Awaited<ReturnType<typeof startForger>>;
  let own: {
    token: string;
    idToken: string;
    header: JWTHeaderParameters;
    published: Record<string, unknown>;
  };

  before(async () => {
    issuer = await startIssuer({ discovery: true });
    forger = await startForger();
    world = await startSigningWorld({ issuer: issuer.url, claims: { scopes: "scope" } });
    hand = createHand(world);
    await hand.invite(ann);
    const clientId = await hand.newClient();
    const asked = hand.request(clientId, { scope: "openid call" });
    const back = await hand.allow(createAgent(world.url), asked.path, ann);
    const given = (await hand.exchange(clientId, back, asked.verifier)).json() as Record<
      string,
      string
    >;
    const [header = ""] = String(given.access_token).split(".");
    const keys = (await (await fetch(`${world.url}/oauth/keys`)).json()) as {
      keys: Record<string, unknown>[];
    };
    own = {
      token: String(given.access_token),
      idToken: String(given.id_token),
      header: JSON.parse(Buffer.from(header, "base64url").toString()) as JWTHeaderParameters,
      published: keys.keys[0] ?? assert.fail("no key is published"),
    };
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await issuer.stop();
    await forger[Symbol.asyncDispose]();
  });

  const sign = (claims: object, header: object, by: SigningKey = forger.key) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: by.alg, ...header }).sign(by.privateKey);
  const withSecret = (claims: object, header: object, secret: string) => {
    const signed = `${encode({ ...header, alg: "HS256" })}.${encode(claims)}`;
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  };
  /** Of the plane's own authorization server, and of the issuer beside it. */
  const targets = () => {
    const ofIssuer = {
      iss: issuer.url,
      aud: `${world.url}/mcp`,
      sub: ann,
      scope: "call",
      exp: soon(),
    };
    return [
      { claims: { ...claimsOf(own.token), exp: soon() }, header: own.header, jwk: own.published },
      {
        claims: ofIssuer,
        header: { kid: issuer.key.kid } as JWTHeaderParameters,
        jwk: { ...issuer.key.jwk },
      },
    ];
  };
  type Target = ReturnType<typeof targets>[number];

  test("the right ones do", async () => {
    assert.equal(await hand.use(own.token), 200);
    const { claims, header } = targets()[1] as Target;
    assert.equal(await hand.use(await sign(claims, header, issuer.key)), 200);
  });

  const forgeries: [string, (target: Target) => Promise<string> | string][] = [
    [
      "is not signed",
      ({ claims, header }) => `${encode({ ...header, alg: "none" })}.${encode(claims)}.`,
    ],
    [
      "is not signed, in other letters",
      ({ claims, header }) => `${encode({ ...header, alg: "nOnE" })}.${encode(claims)}.`,
    ],
    [
      "says nothing of how it is signed",
      ({ claims, header }) => `${encode({ kid: header.kid })}.${encode(claims)}.AAAA`,
    ],
    [
      "takes the published key for a secret",
      ({ claims, header, jwk }) => withSecret(claims, header, JSON.stringify(jwk)),
    ],
    [
      "takes the published key for a secret, as PEM",
      async ({ claims, header, jwk }) =>
        withSecret(claims, header, await exportSPKI((await importJWK(jwk, "ES256")) as never)),
    ],
    [
      "is signed with a key of the forger under the name of the right one",
      ({ claims, header }) => sign(claims, header),
    ],
    [
      "names a key of the forger",
      ({ claims, header }) => sign(claims, { ...header, kid: "forged" }),
    ],
    ["names no key", ({ claims, header }) => sign(claims, { ...header, kid: undefined })],
    [
      "names a key by a path",
      ({ claims, header }) => sign(claims, { ...header, kid: "../../../dev/null" }),
    ],
    [
      "brings its key",
      ({ claims, header }) => sign(claims, { ...header, kid: "forged", jwk: forger.key.jwk }),
    ],
    [
      "says where its keys are",
      ({ claims, header }) => sign(claims, { ...header, kid: "forged", jku: forger.url }),
    ],
    [
      "says where its certificate is",
      ({ claims, header }) => sign(claims, { ...header, kid: "forged", x5u: forger.url }),
    ],
    [
      "brings its certificate",
      ({ claims, header }) => sign(claims, { ...header, kid: "forged", x5c: ["MIIB"] }),
    ],
    [
      "demands what is not known",
      ({ claims, header }) => sign(claims, { ...header, b64: true, crit: ["b64"] }),
    ],
    [
      "is of the forger as an issuer",
      ({ claims, header }) => sign({ ...claims, iss: new URL(forger.url).origin }, header),
    ],
  ];
  for (const [what, forge] of forgeries)
    test(`one that ${what}`, async () => {
      for (const target of targets()) assert.equal(await hand.use(await forge(target)), 401);
      assert.deepEqual(forger.asked, []);
    });

  test("one of the issuer that is signed by the plane's key, and the other way round", async () => {
    const [ofPlane, ofIssuer] = targets() as [Target, Target];
    assert.equal(await hand.use(await sign(ofPlane.claims, ofPlane.header, issuer.key)), 401);
    assert.equal(
      await hand.use(
        await sign(ofPlane.claims, { ...ofPlane.header, kid: issuer.key.kid }, issuer.key),
      ),
      401,
    );
    const [, , signature] = own.token.split(".");
    assert.equal(
      await hand.use(`${encode(own.header)}.${encode(ofIssuer.claims)}.${signature}`),
      401,
    );
  });

  test("an ID token, at any address", async () => {
    for (const path of ["/mcp", "/tools", "/grants"])
      assert.equal(await hand.use(own.idToken, path), 401);
  });

  for (const [what, changed] of [
    ["is over", { exp: soon(-60) }],
    ["is never over", { exp: undefined }],
    ["has not begun", { nbf: soon(86_400) }],
    ["is for another plane", { aud: "https://other.example/mcp" }],
    ["is for another address of this plane", { aud: "/tools" }],
    ["is for no address", { aud: undefined }],
  ] as [string, Record<string, unknown>][])
    test(`one of the issuer that ${what}`, async () => {
      const { claims, header } = targets()[1] as Target;
      const aud = changed.aud === "/tools" ? { aud: `${world.url}/tools` } : {};
      const token = await sign(
        JSON.parse(JSON.stringify({ ...claims, ...changed, ...aud })),
        header,
        issuer.key,
      );
      assert.equal(await hand.use(token), 401);
    });
});
