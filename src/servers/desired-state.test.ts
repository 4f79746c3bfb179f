import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import {
  compareDefinitions,
  createDesiredState,
  isEager,
  startsWithPlane,
} from "./desired-state.ts";
import { brokenStatus } from "./server-status.ts";

const usual = { enabled: true, alwaysOn: false };

test("a server stays connected from connect to disconnect", () => {
  const desired = createDesiredState("s", usual, false);
  assert.equal(desired.staysConnected(), false);
  desired.connect();
  assert.equal(desired.staysConnected(), true);
  desired.disconnect();
  assert.equal(desired.staysConnected(), false);
  assert.throws(desired.requireAvailable, /Server 's' was disconnected\. Connect it first\./);
  desired.connect();
  desired.requireAvailable();
});

test("an alwaysOn server stays connected by default, but not after disconnect", () => {
  const desired = createDesiredState("s", { ...usual, alwaysOn: true }, false);
  assert.equal(desired.staysConnected(), true);
  desired.disconnect();
  assert.equal(desired.staysConnected(), false);
  desired.connect();
  assert.equal(desired.staysConnected(), true);
  desired.stop();
  assert.equal(desired.staysConnected(), false);
});

for (const [title, desired, reason] of [
  ["disabled", createDesiredState("s", { ...usual, enabled: false }, false), /is disabled/],
  ["offline", createDesiredState("s", usual, true), /the plane is offline/],
] as const) {
  test(`one that is ${title} is refused with that reason`, () => {
    assert.throws(desired.requireAvailable, reason);
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
  assert.deepEqual(compareDefinitions(before, after), {
    added: ["fresh"],
    removed: ["gone"],
    changed: ["other"],
    unchanged: ["kept"],
  });
});

test("a name that every object knows is a server like any other", () => {
  const named = Object.fromEntries(
    ["constructor", "toString"].map((name) => [name, sampleServer()]),
  );
  assert.deepEqual(compareDefinitions({}, named).added, ["constructor", "toString"]);
  assert.deepEqual(compareDefinitions(named, {}).removed, ["constructor", "toString"]);
  assert.deepEqual(compareDefinitions(named, named).unchanged, ["constructor", "toString"]);
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
  assert.deepEqual(
    [name, state, error, tools, pid],
    ["s", "config_error", "no 'command'", 0, null],
  );
});
