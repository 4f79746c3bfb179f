import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailed, fixture, planeOf, textsOf } from "./support.ts";

test("a tool of high risk runs where its server is isolated, and is refused elsewhere", async () => {
  const overlay = { safety_level: "high" as const };
  const config = {
    mcpServers: { plain: fixture("echo"), boxed: fixture("echo", [], { isolated: true }) },
    overlays: { "plain.echo": overlay, "boxed.echo": overlay },
    policy: { isolation: "required" as const },
  };
  await using plane = await planeOf({}, { config });
  const options = { consent: true };
  const refused = await plane.call("plain.echo", { message: "x" }, options);
  assertFailed(refused, "APPROVAL_DENIED", "refused");
  assert.match(refused.error?.message ?? "", /server 'plain' does not run isolated/);
  assert.deepEqual(textsOf(await plane.call("boxed.echo", { message: "x" }, options)), ["x"]);
  const { verdict, origin } = await plane.policy.test("plain.echo", { message: "x" });
  assert.deepEqual([verdict, origin], ["deny", "isolation"]);
});
