import assert from "node:assert/strict";
import { test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { idempotencyKeyOf } from "./execute.ts";

const callOf = (idempotency_key: boolean | { required: boolean }, options = {}) => ({
  ...routedCall(sampleTool({ metadata: sampleMetadata({ idempotency_key }) })),
  options,
});

test("a tool that takes a key gets the call's id, or what the caller says", () => {
  assert.equal(idempotencyKeyOf(callOf(true)), "call-1");
  assert.equal(idempotencyKeyOf(callOf({ required: true })), "call-1");
  assert.equal(idempotencyKeyOf(callOf(true, { idempotencyKey: "order-7" })), "order-7");
});

test("a tool that takes none and does not seem to write gets only the caller's own", () => {
  const metadata = sampleMetadata({ idempotency_key: false });
  const reading = routedCall(sampleTool({ metadata, id: { server: "s", tool: "read_order" } }));
  assert.equal(idempotencyKeyOf(reading), undefined);
  assert.equal(idempotencyKeyOf({ ...reading, options: { idempotencyKey: "order-7" } }), "order-7");
});

test("a tool that is known to write gets a key, declared or not", () => {
  const tool = sampleTool({
    metadata: sampleMetadata({ idempotency_key: false, side_effects: "write" }),
  });
  assert.equal(idempotencyKeyOf(routedCall(tool)), "call-1");
});

for (const idempotencyKey of ["", "a b", "line\nline", "ü", "x".repeat(256), 7, null]) {
  test(`${JSON.stringify(idempotencyKey).slice(0, 20)} is no key`, () => {
    assert.throws(() => idempotencyKeyOf(callOf(true, { idempotencyKey })), { code: "USAGE" });
  });
}

test("a write by its name alone gets a key, too", () => {
  const metadata = sampleMetadata({ idempotency_key: false, side_effects: "network" });
  const named = (tool: string) => routedCall(sampleTool({ metadata, id: { server: "s", tool } }));
  assert.equal(idempotencyKeyOf(named("create_order")), "call-1");
  assert.equal(idempotencyKeyOf(named("list_orders")), undefined);
});
