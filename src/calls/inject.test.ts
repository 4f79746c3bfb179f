import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool, validatedCall } from "../../test/samples/calls.ts";
import { inject } from "./inject.ts";

test("every parameter the tool leaves to the system gets the system's value, at once or later", async () => {
  const call = validatedCall(sampleTool({ injects: ["username", "_mcp_data"] }));
  const inventory = { available_servers: [] };
  const injected = await inject(call, (parameter, { principal }) =>
    parameter === "username" ? principal.user : Promise.resolve(inventory),
  );
  assert.deepEqual(injected, {
    ...call,
    injected: { values: { username: "ada", _mcp_data: inventory } },
  });
});

test("falsy values are values; undefined is none", async () => {
  const call = validatedCall(sampleTool({ injects: ["a", "b", "c", "d"] }));
  const values = { a: "", b: 0, c: null };
  const { injected } = await inject(call, (name) => values[name as keyof typeof values]);
  assert.deepEqual(injected, { values });
});

test("a tool that leaves nothing to the system gets nothing", async () => {
  const { injected } = await inject(validatedCall(sampleTool()), () =>
    assert.fail("no value was needed"),
  );
  assert.deepEqual(injected, { values: {} });
});

test("the arguments of the caller are left as they are, so that they can be shown", async () => {
  const call = validatedCall(sampleTool({ injects: ["username"] }), { text: "hi" });
  assert.deepEqual((await inject(call, () => "ada")).input, call.input);
});
