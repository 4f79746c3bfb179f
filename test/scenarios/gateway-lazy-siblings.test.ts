import assert from "node:assert/strict";
import { test } from "node:test";
import { openClient, startLazy } from "./lazy-world.ts";
import { fixture } from "./support.ts";

test("a tool that shares the line of another counts, and may be called as what was shown", async () => {
  const servers = { one: fixture("echo"), two: fixture("echo") };
  await using gateway = await startLazy(servers, { lazy: { callable: "found" } });
  const { search, call } = await openClient(gateway.url);
  assert.equal((await call("two__echo", { message: "hi" })).isError, true);
  const found = await search("return the message it was given", { limit: 50 });
  assert.match(found.text, /one__echo\(.*\(also on two\)/);
  assert.equal(found.truncated, false);
  assert.match(found.message, new RegExp(`^\\d+ of ${found.total} tools`));
  assert.match(found.message, /\. They are loaded: .* \d+ more do the same on other servers/);
  assert.equal(found.message.startsWith(`${found.total} of`), false, "only those shown are loaded");
  assert.deepEqual(
    await call("two__echo", { message: "hi" }).then(({ isError }) => isError),
    false,
  );
});
