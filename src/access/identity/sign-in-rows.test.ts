import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createSignInRows } from "./sign-in-rows.ts";

test("what is counted ends with its time, however often it is tried meanwhile, and leaves nothing", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const rows = createSignInRows({
    store: async () => store,
    vault: () => assert.fail("nothing is sealed"),
  });
  const tried = () => rows.count("password ann", 900);
  assert.deepEqual(await tried(), { count: 1, leftSeconds: 900 });
  for (const count of [2, 3]) {
    context.mock.timers.tick(400_000);
    assert.deepEqual(await tried(), { count, leftSeconds: 900 - (count - 1) * 400 });
  }
  context.mock.timers.tick(100_000);
  assert.deepEqual(await tried(), { count: 1, leftSeconds: 900 });
  assert.deepEqual(await rows.count("password ann", 900, -1), { count: 0, leftSeconds: 900 });
  await rows.count("password bob", 900);
  context.mock.timers.tick(900_000);
  assert.equal(await store.forgetShared(), 1);
});
