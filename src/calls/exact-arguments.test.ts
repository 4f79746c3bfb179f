import assert from "node:assert/strict";
import { test } from "node:test";
import { routedCall, sampleTool } from "../../test/samples/calls.ts";
import { PlaneError } from "../model/errors.ts";
import { requireExactProviders } from "./route.ts";

function routedTo(provider: string, text: string) {
  const call = routedCall(sampleTool());
  const [first] = call.route.candidates;
  const exact = [{ path: ["a", "b"], text }];
  return {
    ...call,
    input: { ...call.input, exact },
    route: { ...call.route, candidates: first ? [{ ...first, name: provider }] : [] },
  };
}

test("a server gets a number that only a text can hold", () => {
  const call = routedTo("mcp", "9007199254740993");
  assert.equal(requireExactProviders(call), call);
});

test("whatever else executes a tool refuses such a number by name", () => {
  assert.throws(
    () => requireExactProviders(routedTo("http", "9007199254740993")),
    (thrown) =>
      thrown instanceof PlaneError &&
      thrown.code === "INVALID_ARGUMENTS" &&
      /^'a\.b' of '.+' is 9007199254740993, which is another number/.test(thrown.message),
  );
  assert.throws(
    () => requireExactProviders(routedTo("http", "9".repeat(500))),
    /9… \(500 characters\)/,
  );
});

test("a number that is only rounded is no reason to refuse", () => {
  const call = routedTo("http", "3.14159265358979323846");
  assert.equal(requireExactProviders(call), call);
});
