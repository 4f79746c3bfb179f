import assert from "node:assert/strict";
import { test } from "node:test";
import { takeOverTrace } from "./http-gateway.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("a call without a trace has that of its HTTP request, and one with a trace keeps its own", () => {
  const bare = { method: "tools/call", params: { name: "a", _meta: { progressToken: 1 } } };
  const own = { method: "tools/call", params: { name: "a", _meta: { traceparent: "own" } } };
  const other = { method: "tools/list", params: {} };
  takeOverTrace([bare, own, other, { method: "tools/call" }], { traceparent, tracestate: "a=1" });
  assert.deepEqual(bare.params._meta, { progressToken: 1, traceparent, tracestate: "a=1" });
  assert.deepEqual(own.params._meta, { traceparent: "own" });
  assert.deepEqual(other.params, {});
});

test("a header that makes no sense says nothing", () => {
  const call = { method: "tools/call", params: { name: "a" } };
  takeOverTrace([call], { traceparent: "nonsense" });
  takeOverTrace([call], {});
  assert.deepEqual(call.params, { name: "a" });
});
