import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";

test("every section is taken apart into values that can be explained", () => {
  const { settings, problems } = readShapesOf({
    manifests: ["a.json"],
    toolsets: { all: { providers: ["git"], timeout_sec: null } },
    models: { default: { model: "m" } },
    policy: { profile: "strict", rules: [] },
    approvals: { allowEdit: false },
    lazy: { mode: "never" },
    store: "sqlite",
    auth: { jwt: { issuer: "i", claims: { groups: "roles" } } },
    users: { "ann@example.org": { groups: ["ops"] } },
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(meaning(settings), {
    manifests: ["a.json"],
    "toolsets.all.providers": ["git"],
    "toolsets.all.timeout_sec": null,
    "models.default.model": "m",
    "policy.profile": "strict",
    "policy.rules": [],
    "approvals.allowEdit": false,
    "lazy.mode": "never",
    store: "sqlite",
    "auth.jwt.issuer": "i",
    "auth.jwt.claims": { groups: "roles" },
    "users.ann@example.org.groups": ["ops"],
  });
});

test("a section that is empty or null says nothing", () => {
  const { settings, problems } = readShapesOf({
    policy: null,
    lazy: {},
    users: {},
    servers: null,
    tools: null,
  });
  assert.deepEqual([settings, problems], [[], []]);
});

test("something with a name exists even when it says nothing that is known", () => {
  const { settings, problems } = readShapesOf({
    toolsets: { all: {} },
    users: { ann: { group: [] } },
  });
  assert.deepEqual(
    settings.map(({ path }) => path.join(".")),
    ["toolsets.all", "users.ann"],
  );
  assert.deepEqual(
    problems.map(({ path, hint }) => [path, hint]),
    [["users.ann.group", "Did you mean 'groups'?"]],
  );
});

test("unknown keys inside sections are reported with the nearest known one", () => {
  const { problems } = readShapesOf({ policy: { profil: "x" }, auth: { jwt: { isuer: "i" } } });
  assert.deepEqual(
    problems.map(({ path, hint }) => [path, hint]),
    [
      ["policy.profil", "Did you mean 'profile'?"],
      ["auth.jwt.isuer", "Did you mean 'issuer'?"],
    ],
  );
});
