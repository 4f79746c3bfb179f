import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Store } from "../../src/model/store.ts";
import { type OpenedStore, type Promises, storeFailed } from "./opened-store.ts";
import { answeredCall, callEntry, eventEntry, heldCall, sampleEntry } from "./records.ts";
import { apiKeyPromises } from "./store-api-keys.ts";
import { callSearchPromises } from "./store-call-search.ts";
import { callSeriesPromises } from "./store-call-series.ts";
import { changePromises, entryPromises } from "./store-changes.ts";
import { deadLetterPromises } from "./store-dead-letters.ts";
import { callPromises, eventPromises, samplePromises } from "./store-entries.ts";
import { heldCallPromises } from "./store-held-calls.ts";
import { jobPromises } from "./store-jobs.ts";
import { pinPromises } from "./store-pins.ts";
import { chainPromises, resultPromises } from "./store-results.ts";
import { rootPromises } from "./store-roots.ts";
import { runPromises } from "./store-runs.ts";
import { secretPromises } from "./store-secrets.ts";
import { sharedValuePromises } from "./store-shared-values.ts";
import { signInPromises } from "./store-sign-ins.ts";
import { statePromises } from "./store-state.ts";
import { versionPromises } from "./store-versions.ts";

const lifePromises: Promises = {
  "has everything after it was closed and opened again": async ({ store, reopen }) => {
    await store.append([callEntry("one"), eventEntry("one"), sampleEntry("tool:echo", 4)]);
    await store.addHeldCall(heldCall("asked"));
    await store.addHeldCall(heldCall("answered"));
    await store.replaceHeldCall(answeredCall(heldCall("answered"), "approve"));
    const contentOf = async (one: Store) =>
      Promise.all([one.calls(), one.events(), one.samples(), one.heldCalls()]);
    const before = await contentOf(store);
    assert.deepEqual(await contentOf(await reopen()), before);
  },

  "refuses to work once closed, and may be closed twice": async ({ store }) => {
    await store.close();
    await store.close();
    await assert.rejects(store.append([callEntry("late")]), storeFailed);
    await assert.rejects(store.calls(), storeFailed);
    await assert.rejects(store.heldCalls(), storeFailed);
  },
};

/** Proves that a store keeps what every store promises, whatever it stands on. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  const promises = [
    callPromises,
    callSearchPromises,
    callSeriesPromises,
    eventPromises,
    samplePromises,
    heldCallPromises,
    secretPromises,
    signInPromises,
    sharedValuePromises,
    changePromises,
    entryPromises,
    apiKeyPromises,
    pinPromises,
    deadLetterPromises,
    resultPromises,
    chainPromises,
    rootPromises,
    runPromises,
    jobPromises,
    statePromises,
    versionPromises,
    lifePromises,
  ];
  describe(name, () => {
    for (const [sentence, prove] of promises.flatMap((group) => Object.entries(group))) {
      test(sentence, async (context) => {
        const opened = await open();
        context.after(() => opened.dispose());
        await prove(opened);
      });
    }
  });
}
