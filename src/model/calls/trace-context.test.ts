import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceContext, withTraceContext } from "./provider.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("where a trace stands is read from what a caller says, and what makes no sense is not", () => {
  assert.deepEqual(readTraceContext({ traceparent, tracestate: "a=1,b=2" }), {
    traceparent,
    tracestate: "a=1,b=2",
  });
  assert.deepEqual(readTraceContext({ traceparent, tracestate: "a=1\r\nx-evil: 1" }), {
    traceparent,
  });
  const wrong = [
    "",
    "00",
    traceparent.toUpperCase(),
    `${traceparent}\r\nx: y`,
    `ff${traceparent.slice(2)}`,
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`,
    7,
  ];
  for (const one of wrong) assert.equal(readTraceContext({ traceparent: one }), null, String(one));
  assert.equal(readTraceContext(undefined), null);
});

test("the trace of a caller is replaced by the one that goes on, and the rest is passed on", () => {
  const before = { traceparent: "old", tracestate: "old=1", other: 1 };
  assert.deepEqual(withTraceContext(before, { traceparent }), { other: 1, traceparent });
  assert.deepEqual(withTraceContext(undefined, { traceparent }), { traceparent });
});
