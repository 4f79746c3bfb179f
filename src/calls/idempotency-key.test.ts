import assert from "node:assert/strict";
import { test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { bindKey, withChosenKey } from "../model/calls/idempotency-key.ts";
import { principalOf } from "../model/principal.ts";
import { requestCall } from "./call-tool.ts";
import { idempotencyKeyOf } from "./execute.ts";

const callOf = (idempotency_key: boolean | { required: boolean }, options = {}) => ({
  ...routedCall(sampleTool({ metadata: sampleMetadata({ idempotency_key }) })),
  options,
});

const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });

test("a tool that takes a key gets the call's id, or what the caller says", () => {
  assert.equal(idempotencyKeyOf(callOf(true)), "call-1");
  assert.equal(idempotencyKeyOf(callOf({ required: true })), "call-1");
  assert.equal(idempotencyKeyOf(callOf(true, { sentKey: "order-7.a" })), "order-7.a");
});

test("a call that an earlier version stored is sent with the key that it has", () => {
  assert.equal(idempotencyKeyOf(callOf(true, { idempotencyKey: "order-7" })), "order-7");
});

test("a tool that is declared to read gets only the caller's own key", () => {
  const metadata = sampleMetadata({ idempotency_key: false });
  const declared = { annotations: { readOnlyHint: true }, trusted: true };
  const id = { server: "s", tool: "read_order" };
  const reading = routedCall(sampleTool({ metadata, id, ...declared }));
  assert.equal(idempotencyKeyOf(reading), undefined);
  assert.equal(idempotencyKeyOf({ ...reading, options: { sentKey: "order-7.a" } }), "order-7.a");
});

test("what is not known to read gets a key with its first attempt, whatever it is called", () => {
  const metadata = sampleMetadata({ idempotency_key: false, side_effects: "network" });
  const annotations = { readOnlyHint: true };
  const named = (tool: string, trusted = false) =>
    routedCall(sampleTool({ metadata, annotations, trusted, id: { server: "s", tool } }));
  assert.equal(idempotencyKeyOf(named("create_order")), "call-1");
  assert.equal(idempotencyKeyOf(named("list_orders")), "call-1");
  assert.equal(idempotencyKeyOf(named("frobnicate")), "call-1");
  assert.equal(idempotencyKeyOf(named("list_orders", true)), undefined);
});

for (const idempotencyKey of ["", "a b", "line\nline", "ü", "x".repeat(256), 7, null]) {
  test(`${JSON.stringify(idempotencyKey).slice(0, 20)} is no key`, () => {
    assert.throws(() => idempotencyKeyOf(callOf(true, { idempotencyKey })), { code: "USAGE" });
  });
}

test("a caller's key differs between principals, and is the same for the same one", () => {
  const keyOf = (principal: typeof ann, idempotencyKey = "order-7") =>
    requestCall("pay", {}, { principal, idempotencyKey }).options.sentKey;
  assert.equal(keyOf(ann), keyOf(ann));
  assert.notEqual(keyOf(ann), keyOf(bob));
  assert.notEqual(keyOf(ann), keyOf({ ...ann, key: "k1" }));
  assert.notEqual(keyOf(ann), keyOf({ ...ann, workspace: "other" }));
  assert.equal(keyOf(ann), keyOf({ ...ann, groups: ["later"] }));
  // Written out by another, the bound key of one is bound again.
  assert.notEqual(keyOf(bob, keyOf(ann)), keyOf(ann));
  assert.match(String(keyOf(ann)), /^order-7\./);
});

test("a bound key is still fit for a header, however long it was", () => {
  for (const length of [1, 230, 231, 255]) {
    const bound = bindKey("x".repeat(length), ann);
    assert.match(bound, /^[\x21-\x7e]{1,255}$/);
    assert.notEqual(bound, bindKey("x".repeat(length), bob));
  }
});

test("no caller can say what its key is to be for servers", () => {
  const forged = { principal: bob, idempotencyKey: "order-7", sentKey: bindKey("order-7", ann) };
  assert.equal(requestCall("pay", {}, forged).options.sentKey, bindKey("order-7", bob));
  const alone = { principal: bob, sentKey: bindKey("order-7", ann) };
  assert.equal(requestCall("pay", {}, alone).options.sentKey, undefined);
});

test("the key of a step that the plane runs stays as it is, and no caller can name it", () => {
  const chosen = withChosenKey({ principal: ann }, "job-1-a");
  assert.equal(requestCall("pay", {}, chosen).options.sentKey, "job-1-a");
  const given = { principal: ann, idempotencyKey: "job-1-a" };
  assert.notEqual(requestCall("pay", {}, given).options.sentKey, "job-1-a");
});

test("two equal calls have two keys", () => {
  const [first, second] = [1, 2].map(() => requestCall("pay", { amount: 5 }, { principal: ann }));
  assert.notEqual(first?.id, second?.id);
});
