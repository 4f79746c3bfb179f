import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClaimPaths, JwtIssuer } from "../../model/access/jwt-issuer.ts";
import type { UnknownObject } from "../../model/json.ts";
import { readClaims } from "./verify-token.ts";

function read(claims: UnknownObject, paths: Partial<ClaimPaths> = {}) {
  const settings = { issuer: "https://id.example", audience: "a", claims: paths };
  return readClaims({ sub: "ann", ...claims }, JwtIssuer.parse(settings).claims);
}

test("a token that says nothing but who it is for gives a caller without groups", () => {
  assert.deepEqual(read({}), {
    user: "ann",
    groups: [],
    persona: null,
    scopes: ["call"],
    workspace: null,
    compliance: null,
  });
});

test("each fact is read from where the configuration says", () => {
  const claims = {
    email: "ann@example.org",
    realm_access: { roles: ["ops", "dev", "ops"] },
    "https://example.org/persona": "Atlas",
    "https://example.org/facts": { level: "SOC2" },
    tenant: { id: "research" },
    permissions: ["admin", "something"],
  };
  assert.deepEqual(
    read(claims, {
      user: "email",
      groups: "realm_access.roles",
      persona: "https://example.org/persona",
      scopes: "permissions",
      workspace: "tenant.id",
      compliance: "https://example.org/facts.level",
    }),
    {
      user: "ann@example.org",
      groups: ["ops", "dev"],
      persona: "Atlas",
      scopes: ["admin"],
      workspace: "research",
      compliance: "SOC2",
    },
  );
});

test("the groups of tools are a list or words, and not said where the token does not say", () => {
  const groupsIn = (claims: UnknownObject) => read({ sub: "ann", ...claims }, {}).toolGroups;
  assert.deepEqual(groupsIn({ tool_groups: ["default", "kb"] }), ["default", "kb"]);
  assert.deepEqual(groupsIn({ tool_groups: "default kb" }), ["default", "kb"]);
  assert.deepEqual(groupsIn({ tool_groups: [] }), []);
  assert.equal(groupsIn({}), undefined);
  assert.throws(() => groupsIn({ tool_groups: 7 }), { code: "UNAUTHENTICATED" });
});

const scopes: [title: string, claims: UnknownObject, path: string | undefined, held: string[]][] = [
  ["the usual claim is a text with words", { scope: "openid read" }, undefined, ["read"]],
  ["the usual claim may be a list", { scope: ["admin"] }, undefined, ["admin"]],
  [
    "where the usual claim does not speak of us, calling is allowed",
    { scope: "openid" },
    undefined,
    ["call"],
  ],
  ["a claim that is named is the last word", { scope: "admin", may: "read" }, "may", ["read"]],
  ["a claim that is named and missing gives nothing", { scope: "admin" }, "may", []],
  ["a claim that is named and says nothing of us gives nothing", { may: ["openid"] }, "may", []],
];

for (const [title, claims, path, held] of scopes) {
  test(title, () => {
    assert.deepEqual(read(claims, path === undefined ? {} : { scopes: path }).scopes, held);
  });
}

test("one group may be written as a text, also with spaces in its name", () => {
  assert.deepEqual(read({ groups: "Domain Users" }).groups, ["Domain Users"]);
});

const wrong: [claims: UnknownObject, message: RegExp][] = [
  [{ groups: { ops: true } }, /'groups' in the token is not a list of strings/],
  [{ groups: ["ops", 1] }, /'groups'/],
  [{ persona: ["Atlas"] }, /'persona' in the token is not a string/],
  [{ scope: 7 }, /'scope'/],
  [{ compliance: true }, /'compliance'/],
];

for (const [claims, message] of wrong) {
  test(`${JSON.stringify(claims)} is refused, not passed over`, () => {
    assert.throws(() => read(claims), { code: "UNAUTHENTICATED", message });
  });
}

test("a path finds nothing that every object has", () => {
  for (const user of ["__proto__", "constructor.name", "toString", "a.__proto__.b"])
    assert.throws(() => read({ a: {} }, { user }), /does not say who its bearer is/);
});

test("an address that its issuer calls unverified names no one, whichever claim it stands in", () => {
  const address = "ann@example.org";
  const refused: [claims: UnknownObject, user: string][] = [
    [{ email: address, email_verified: false }, "email"],
    [{ email: address, email_verified: "false" }, "email"],
    [{ email: address, email_verified: 0 }, "email"],
    [
      { email: address, email_verified: false, preferred_username: "Ann@Example.org" },
      "preferred_username",
    ],
    [{ profile: { email: address, email_verified: false } }, "profile.email"],
    [
      { "https://id.example/email": address, "https://id.example/email_verified": false },
      "https://id.example/email",
    ],
    [{ work_email: address, email_verified: false }, "work_email"],
  ];
  for (const [claims, user] of refused)
    assert.throws(
      () => read(claims, { user }),
      /has not verified the e-mail address/,
      JSON.stringify(claims),
    );
  for (const said of [{}, { email_verified: true }, { email_verified: "true" }])
    assert.equal(read({ email: address, ...said }, { user: "email" }).user, address);
  assert.equal(
    read({ email: address, email_verified: false }).user,
    "ann",
    "it is known by something else",
  );
});
