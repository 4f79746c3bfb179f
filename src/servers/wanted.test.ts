import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import { brokenStatus, compareWanted, isEager, startsWithPlane } from "./wanted.ts";

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
