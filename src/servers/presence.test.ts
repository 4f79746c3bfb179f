import assert from "node:assert/strict";
import { test } from "node:test";
import { createPresence } from "./presence.ts";

const usual = { enabled: true, alwaysOn: false };

test("a server is kept from when somebody connects it until somebody sends it away", () => {
  const presence = createPresence("s", usual, false);
  assert.equal(presence.isKept(), false);
  presence.keep();
  assert.equal(presence.isKept(), true);
  presence.hold();
  assert.equal(presence.isKept(), false);
  assert.throws(presence.refuseIfAway, /Server 's' was disconnected\. Connect it first\./);
  presence.keep();
  presence.refuseIfAway();
});

test("one that is always on is kept without being asked, but not against a person's will", () => {
  const presence = createPresence("s", { ...usual, alwaysOn: true }, false);
  assert.equal(presence.isKept(), true);
  presence.hold();
  assert.equal(presence.isKept(), false);
  presence.keep();
  assert.equal(presence.isKept(), true);
  presence.stop();
  assert.equal(presence.isKept(), false);
});

for (const [title, presence, reason] of [
  ["disabled", createPresence("s", { ...usual, enabled: false }, false), /is disabled/],
  ["offline", createPresence("s", usual, true), /the plane is offline/],
] as const) {
  test(`one that is ${title} is refused with that reason`, () => {
    assert.throws(presence.refuseIfAway, reason);
  });
}
