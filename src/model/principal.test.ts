import assert from "node:assert/strict";
import { test } from "node:test";
import {
  anonymous,
  mayDo,
  principalOf,
  requireScope,
  scopeNames,
  trusted,
  withListed,
} from "./principal.ts";

const may: [held: string[], allowed: string][] = [
  [[], ""],
  [["read"], "read"],
  [["call"], "read call"],
  [["admin"], "read call admin"],
  [["*"], "read call admin"],
  [["openid", "read"], "read"],
  [["Admin", "calls", ""], ""],
];

for (const [held, allowed] of may) {
  test(`a caller with [${held}] may ${allowed || "nothing"}`, () => {
    const principal = principalOf({ scopes: held });
    assert.equal(scopeNames.filter((scope) => mayDo(principal, scope)).join(" "), allowed);
  });
}

test("an unknown caller may do nothing, a named one may call, a trusted one may do everything", () => {
  assert.deepEqual(anonymous.scopes, []);
  assert.deepEqual(principalOf({ user: "ann" }), { ...anonymous, user: "ann", scopes: ["call"] });
  assert.deepEqual(trusted({ user: "ann" }).scopes, ["*"]);
  assert.deepEqual(trusted({ scopes: ["read"] }).scopes, ["read"]);
});

test("a refusal says who, what and which scope", () => {
  requireScope(principalOf({}), "call", "call tools");
  assert.throws(() => requireScope(principalOf({ user: "ann" }), "admin", "see the API keys"), {
    code: "FORBIDDEN",
    message: "ann may not see the API keys: it takes the scope 'admin'.",
  });
  assert.throws(
    () => requireScope(anonymous, "read", "look at tools"),
    /^PlaneError: An anonymous caller may/,
  );
});

const users = { ann: { groups: ["ops"], persona: "Atlas" }, bob: { groups: [], persona: null } };

test("a listed user has the groups and the persona of the list, unless they bring their own", () => {
  const listed = (said: Parameters<typeof principalOf>[0]) => {
    const { groups, persona } = withListed(principalOf(said), users);
    return { groups, persona };
  };
  assert.deepEqual(listed({ user: "ann" }), { groups: ["ops"], persona: "Atlas" });
  assert.deepEqual(listed({ user: "ann", groups: ["dev"] }), { groups: ["dev"], persona: "Atlas" });
  assert.deepEqual(listed({ user: "ann", persona: "Nova" }), { groups: ["ops"], persona: "Nova" });
  assert.deepEqual(listed({ user: "bob" }), { groups: [], persona: null });
  for (const user of [null, "Ann", "__proto__", "toString"])
    assert.deepEqual(listed({ user }), { groups: [], persona: null });
});

test("a listed user works where and with what the list says, unless they bring their own", () => {
  const known = {
    ann: { ...users.ann, workspace: "red", compliance: "HIPAA", tool_groups: ["kb"] },
  };
  const { workspace, compliance, toolGroups } = withListed(principalOf({ user: "ann" }), known);
  assert.deepEqual([workspace, compliance, toolGroups], ["red", "HIPAA", ["kb"]]);
  const own = { user: "ann", workspace: "blue", compliance: "Public", toolGroups: [] };
  const brought = withListed(principalOf(own), known);
  assert.deepEqual(
    [brought.workspace, brought.compliance, brought.toolGroups],
    ["blue", "Public", []],
  );
  assert.ok(!("toolGroups" in withListed(principalOf({ user: "bob" }), users)));
});
