import assert from "node:assert/strict";
import { test } from "node:test";
import { redactDeep } from "./redact.ts";

test("every text of a value is without secrets, and the rest is as it was", () => {
  const given = {
    type: "server.error",
    message: "401 for token=hunter2hunter2",
    attempts: [{ provider: "mcp", reason: "sk-abcdefgh12345678", n: 3, ok: false, none: null }],
  };
  assert.deepEqual(redactDeep(given), {
    type: "server.error",
    message: "401 for token=[redacted]",
    attempts: [{ provider: "mcp", reason: "[redacted]", n: 3, ok: false, none: null }],
  });
  assert.match(given.message, /hunter2/, "what was given is not changed");
});

test("it says the same again, also after many others", () => {
  for (let n = 0; n < 3_000; n += 1) redactDeep(`text ${n}`);
  assert.equal(redactDeep("password=hunter2"), "password=[redacted]");
  assert.equal(redactDeep("password=hunter2"), "password=[redacted]");
});
