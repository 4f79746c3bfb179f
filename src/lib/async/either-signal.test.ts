import assert from "node:assert/strict";
import { test } from "node:test";
import { eitherSignal } from "./signals.ts";

test("either of two signals aborts, and without a caller's the own one is enough", () => {
  const caller = new AbortController();
  const own = new AbortController();
  const either = eitherSignal(caller.signal, own.signal);
  assert.equal(eitherSignal(undefined, own.signal), own.signal);
  assert.equal(either.aborted, false);
  caller.abort();
  assert.equal(either.aborted, true);
});
