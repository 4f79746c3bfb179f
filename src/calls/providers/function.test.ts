import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolFunction } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import { createFunctionProvider } from "./providers.ts";

const spec = {
  name: "function",
  priority: 0,
  health_check_interval: 300,
  config: { function: "f" },
};
const context = {
  signal: new AbortController().signal,
  owner: { user: "ada", conversation: null },
  onProgress() {},
};
const call = (run: ToolFunction | undefined, args = {}) =>
  createFunctionProvider((name) => (name === "f" ? run : undefined))(spec, args, context);

const answers: [title: string, returned: unknown, result: unknown][] = [
  ["a text", "hi", { content: [{ type: "text", text: "hi" }], structuredContent: "hi" }],
  [
    "an object",
    { n: 1 },
    { content: [{ type: "text", text: '{"n":1}' }], structuredContent: { n: 1 } },
  ],
  ["nothing", undefined, { content: [] }],
  ["a result", { content: [], isError: true }, { content: [], isError: true }],
];

for (const [title, returned, result] of answers) {
  test(`${title} becomes a result`, async () => {
    assert.deepEqual(await call(() => returned), result);
    assert.deepEqual(await call(async () => returned), result);
  });
}

test("it is given the arguments and the caller", async () => {
  const given: unknown[] = [];
  await call((args, { owner }) => void given.push(args, owner.user), { a: 1 });
  assert.deepEqual(given, [{ a: 1 }, "ada"]);
});

test("what it throws is a failure of the provider that may have done something", async () => {
  const failure = await call(() => {
    throw new Error("no luck");
  }).catch((thrown: unknown) => thrown);
  assert.ok(failure instanceof PlaneError);
  assert.deepEqual([failure.code, failure.data.sent], ["PROVIDER_FAILED", true]);
  assert.match(failure.message, /'f' failed: no luck/);
});

test("without its function it has done nothing for sure", async () => {
  await assert.rejects(call(undefined), (thrown: PlaneError) => {
    assert.deepEqual([thrown.code, thrown.data.sent], ["NO_PROVIDER", false]);
    return true;
  });
});
