import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import { compareWanted, createPresence, isEager, startsWithPlane } from "./desired-state.ts";
import { brokenStatus } from "./server-status.ts";

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

test("two configurations are compared by what their servers are, not by how they are written", () => {
  const before = {
    kept: sampleServer({ env: { A: "1", B: "2" } }),
    gone: sampleServer(),
    other: sampleServer(),
  };
  const after = {
    other: sampleServer({ args: ["x"] }),
    kept: sampleServer({ env: { B: "2", A: "1" } }),
    fresh: sampleServer(),
  };
  assert.deepEqual(compareWanted(before, after), {
    added: ["fresh"],
    removed: ["gone"],
    changed: ["other"],
    unchanged: ["kept"],
  });
});

test("a name that every object knows is a server like any other", () => {
  const named = Object.fromEntries(["constructor", "toString"].map((name) => [name, sampleServer()]));
  assert.deepEqual(compareWanted({}, named).added, ["constructor", "toString"]);
  assert.deepEqual(compareWanted(named, {}).removed, ["constructor", "toString"]);
  assert.deepEqual(compareWanted(named, named).unchanged, ["constructor", "toString"]);
});

for (const [settings, eager, unknown, known] of [
  [{}, true, true, false],
  [{ lazy: true }, false, false, false],
  [{ lazy: false }, true, true, true],
  [{ autoConnect: false }, false, false, false],
  [{ autoConnect: false, lazy: false }, false, false, false],
  [{ alwaysOn: true }, true, true, true],
  [{ alwaysOn: true, lazy: true, autoConnect: false }, true, true, true],
] as const) {
  test(`a server with ${JSON.stringify(settings)} ${unknown ? "starts" : "does not start"} with the plane`, () => {
    const definition = sampleServer(settings);
    assert.equal(isEager(definition), eager);
    assert.equal(startsWithPlane(definition, false), unknown);
    assert.equal(startsWithPlane(definition, true), known);
  });
}

test("a server that cannot run is shown with the reason", () => {
  const { name, state, error, tools, pid } = brokenStatus("s", "no 'command'");
  assert.deepEqual([name, state, error, tools, pid], ["s", "config_error", "no 'command'", 0, null]);
});
