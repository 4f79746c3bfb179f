import assert from "node:assert/strict";
import { type Promises, storeFailed } from "./opened-store.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

export const secretPromises: Promises = {
  "gives a secret back byte for byte, and null for one it never got": async ({ store, reopen }) => {
    await store.putSecret("one", bytes(0, 255, 10, 0, 128));
    await store.putSecret("empty", bytes());
    const again = await reopen();
    assert.deepEqual(Uint8Array.from((await again.secret("one")) ?? []), bytes(0, 255, 10, 0, 128));
    assert.equal((await again.secret("empty"))?.length, 0);
    assert.equal(await again.secret("two"), null);
  },

  "replaces a secret that is put again": async ({ store }) => {
    await store.putSecret("one", bytes(1));
    await store.putSecret("one", bytes(2));
    assert.deepEqual(Uint8Array.from((await store.secret("one")) ?? []), bytes(2));
    assert.deepEqual(await store.secrets(""), ["one"]);
  },

  "lets one of several take a secret away": async ({ store }) => {
    await store.putSecret("one", bytes(1));
    const taken = await Promise.all([store.deleteSecret("one"), store.deleteSecret("one")]);
    assert.deepEqual(taken.toSorted(), [false, true]);
    assert.equal(await store.secret("one"), null);
    assert.equal(await store.deleteSecret("never"), false);
  },

  "lists the keys of secrets by their beginning, whatever characters it has": async ({ store }) => {
    for (const key of ["b/2", "a_/1", "b/1", "ax/1", "a%/1", "B/3", "*/1"])
      await store.putSecret(key, bytes(1));
    assert.deepEqual(await store.secrets("b/"), ["b/1", "b/2"]);
    assert.deepEqual(await store.secrets("a_"), ["a_/1"]);
    assert.deepEqual(await store.secrets("a%"), ["a%/1"]);
    assert.deepEqual(await store.secrets("*"), ["*/1"]);
    assert.equal((await store.secrets("")).length, 7);
  },

  "keeps no secret once closed": async ({ store }) => {
    await store.close();
    await assert.rejects(store.putSecret("late", bytes(1)), storeFailed);
    await assert.rejects(store.secret("late"), storeFailed);
  },
};
