import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createJoinedSignals } from "./signals.ts";

test("a joined signal ends with either of the two, and with its reason", () => {
  const shared = new AbortController();
  const { join } = createJoinedSignals(shared.signal);
  const own = new AbortController();
  const first = join(own.signal);
  const second = join(new AbortController().signal);
  const alone = join(undefined);
  own.abort("mine");
  assert.deepEqual([first.signal.aborted, first.signal.reason, second.signal.aborted], [true, "mine", false]);
  shared.abort("shared");
  assert.deepEqual([second.signal.reason, alone.signal.reason], ["shared", "shared"]);
  assert.equal(join(new AbortController().signal).signal.aborted, true);
});

test("a signal that leaves releases its listeners", () => {
  const own = new AbortController();
  const { signal, leave } = createJoinedSignals(new AbortController().signal).join(own.signal);
  assert.equal(getEventListeners(own.signal, "abort").length, 1);
  leave();
  assert.equal(getEventListeners(own.signal, "abort").length, 0);
  own.abort();
  assert.equal(signal.aborted, false);
});
