import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { SharedStep } from "../../src/model/store.ts";
import type { Promises } from "./opened-store.ts";

const hour = 3_600_000;
const put =
  (text: string): SharedStep<null> =>
  () => ({ value: { text }, answer: null });
const add: SharedStep<number> = (value) => {
  const count = Number(value?.count ?? 0) + 1;
  return { value: { count }, answer: count };
};

export const sharedValuePromises: Promises = {
  "shares a value under its key, whatever the key is, until it is taken away": async ({
    store,
    reopen,
  }) => {
    const key = `it's "one" \\ ${"x".repeat(300)}`;
    assert.equal(await store.sharedValue(key), null);
    await store.changeShared(key, hour, put("a"));
    await store.changeShared(key, hour, put("b"), { tells: true });
    const again = await reopen();
    assert.deepEqual(await again.sharedValue(key), { text: "b" });
    await again.changeShared(key, hour, () => ({ value: null, answer: null }));
    assert.equal(await again.sharedValue(key), null);
  },

  "gives a sealed value back to each step that follows": async ({ store, reopen }) => {
    await store.changeShared("sealed", hour, put("a"), { isSealed: true });
    const again = await reopen();
    assert.deepEqual(await again.sharedValue("sealed"), { text: "a" });
    const before = await again.changeShared("sealed", hour, (value) => ({ value, answer: value }));
    assert.deepEqual(before, { text: "a" });
  },

  "takes one step after the other, and each gets its result": async ({ store }) => {
    const told = await Promise.all(
      Array.from({ length: 20 }, () => store.changeShared("n", hour, add)),
    );
    assert.deepEqual(
      told.toSorted((one, other) => one - other),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
  },

  "says which shared values are there, and forgets those whose time is over": async ({ store }) => {
    await store.changeShared("kept", hour, put("a"));
    await store.changeShared("over", 1, put("b"));
    while ((await store.sharedValue("over")) !== null) await pause(2);
    assert.deepEqual(await store.sharedKeys(["over", "never", "kept"]), ["kept"]);
    assert.equal(await store.changeShared("over", 1, (value) => ({ value, answer: value })), null);
    await store.changeShared("old", 1, put("c"));
    while ((await store.sharedValue("old")) !== null) await pause(2);
    assert.equal(await store.forgetShared(), 1);
    assert.deepEqual(await store.sharedValue("kept"), { text: "a" });
  },
};
