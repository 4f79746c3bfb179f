import assert from "node:assert/strict";
import { test } from "node:test";
import { callEntry, eventEntry, sampleEntry } from "../../test/contracts/records.ts";
import { PlaneError } from "../model/errors.ts";
import type { Store } from "../model/store.ts";
import { createIdempotentAppend } from "./idempotent-append.ts";
import { openSqliteStore } from "./sqlite.ts";

/** Stores what it is given, or does not, and loses the answer either way. */
function losing(store: Store, isStored: boolean): Store["append"] {
  return async (entries) => {
    if (isStored) await store.append(entries);
    throw new PlaneError("STORE_FAILED", "lost", { data: { lost: true } });
  };
}

const group = [callEntry("one"), sampleEntry("tool:echo", 4)];
const others = [eventEntry("two"), callEntry("two"), sampleEntry("tool:echo", 6)];

for (const isStored of [true, false]) {
  test(`a call whose answer was lost is recorded once when it was ${isStored ? "" : "not "}stored`, async (context) => {
    const store = await openSqliteStore(":memory:");
    context.after(() => store.close());
    let line = losing(store, isStored);
    const append = createIdempotentAppend({
      append: (entries) => line(entries),
      call: store.call,
      audited: store.audited,
    });
    await assert.rejects(append(group), { code: "STORE_FAILED" });
    line = store.append;
    await append([...group, ...others]);
    const calls = await store.calls();
    const samples = await store.samples();
    const events = await store.events();
    assert.deepEqual([calls.length, samples.length, events.length], [2, 2, 1]);
    await assert.rejects(
      append(group),
      { code: "STORE_FAILED" },
      "the same id from another caller is refused",
    );
  });
}
