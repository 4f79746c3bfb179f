import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { fixture } from "./support.ts";

test("a brief list has the same tools in the same order, and nothing of how they do", async () => {
  await using plane = await createPlane({
    config: { mcpServers: { b: fixture("echo"), a: fixture("echo") } },
  });
  const whole = await plane.tools.list({ face: "mcp" });
  const brief = await plane.tools.list({ face: "mcp", brief: true });
  assert.ok(brief.length > 1);
  assert.deepEqual(
    brief.map(({ name, parameters }) => ({ name, parameters })),
    whole.map(({ name, parameters }) => ({ name, parameters })),
  );
  for (const key of ["health", "review", "impact", "credentials", "unavailable"])
    assert.ok(
      brief.every((tool) => !Object.hasOwn(tool, key)),
      key,
    );
  const ofOne = await plane.tools.list({ face: "mcp", brief: true, server: "a" });
  assert.ok(ofOne.length > 0 && ofOne.every(({ id }) => id.server === "a"));
});
