import assert from "node:assert/strict";
import { test } from "node:test";
import { JwtIssuer } from "./jwt-issuer.ts";

const good = { issuer: "https://id.example", audience: "toolplane" };

const cases: [title: string, settings: object, wrong: string | null][] = [
  ["an https issuer", {}, null],
  ["an issuer on this machine", { issuer: "http://localhost:8080/realms/a" }, null],
  ["an issuer on this machine by number", { issuer: "http://[::1]:8080" }, null],
  [
    "an issuer that is no address, with its keys",
    { issuer: "urn:a", jwksUri: "https://id.example/k" },
    null,
  ],
  ["keys that are left empty", { jwksUri: "" }, null],
  ["an issuer over http", { issuer: "http://id.example" }, "issuer"],
  ["an issuer over http that looks local", { issuer: "http://127.0.0.1.example" }, "issuer"],
  ["an issuer with a password", { issuer: "https://a:b@id.example" }, "issuer"],
  ["an issuer that is no address", { issuer: "people" }, "issuer"],
  ["an empty issuer", { issuer: "", jwksUri: "https://id.example/k" }, "issuer"],
  ["an empty audience", { audience: "" }, "audience"],
  ["keys over http", { jwksUri: "http://id.example/k" }, "jwksUri"],
  ["keys in a file", { jwksUri: "file:///etc/keys" }, "jwksUri"],
  ["an unknown claim", { claims: { usr: "sub" } }, "claims"],
  ["a claim without a name", { claims: { user: "" } }, "claims,user"],
];

for (const [title, settings, wrong] of cases) {
  test(`${title} is ${wrong === null ? "taken" : "refused"}`, () => {
    const { error } = JwtIssuer.safeParse({ ...good, ...settings });
    assert.equal(error?.issues[0]?.path.join() ?? null, wrong);
  });
}

test("what is not said about claims is the usual", () => {
  assert.deepEqual(JwtIssuer.parse({ ...good, claims: { user: "email" } }).claims, {
    user: "email",
    groups: "groups",
    persona: "persona",
    workspace: "workspace",
    compliance: "compliance",
    tool_groups: "tool_groups",
  });
});
