import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../index.ts";
import { principalOf } from "../model/principal.ts";

test("a plane for one caller shows and does what this caller may", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const guest = plane.as(principalOf({ user: "ann", scopes: ["read"] }));
  assert.deepEqual(await guest.tools.list(), await plane.tools.list());
  await assert.rejects(guest.keys.list(), { code: "FORBIDDEN" });
  assert.deepEqual(await plane.keys.list(), []);
  const { error } = await guest.call("demo.add", { a: 1, b: 2 });
  assert.equal(error?.code, "FORBIDDEN");
});

test("a caller who is named counts before the one that the plane is for", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const guest = plane.as(principalOf({ user: "ann", scopes: [] }));
  assert.deepEqual(await guest.keys.list({ principal: plane.identity.usualCaller() }), []);
});
