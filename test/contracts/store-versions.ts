import assert from "node:assert/strict";
import { version } from "../../src/lib/version.ts";
import type { StoredDecision } from "../../src/model/config/changed-defaults.ts";
import type { Promises } from "./opened-store.ts";

function decision(changes: Partial<StoredDecision> = {}): StoredDecision {
  return {
    files: ["/home/ada/toolplane.json"],
    change: "durability",
    decision: "accept",
    decidedBy: "ada",
    decidedAt: "2026-11-19T10:00:00.000Z",
    ...changes,
  };
}

export const versionPromises: Promises = {
  "notes the version that made it, once": async ({ store, reopen }) => {
    const made = await store.storeVersions();
    assert.deepEqual(
      made.map((noted) => noted.version),
      [version],
    );
    assert.deepEqual(await (await reopen()).storeVersions(), made);
  },

  "keeps one decision about a changed default for each configuration": async ({
    store,
    reopen,
  }) => {
    const everywhere = decision({ files: [], decidedBy: null });
    await store.decideDefault(decision());
    await store.decideDefault(everywhere);
    const changed = decision({ decision: "keep", decidedBy: "ben" });
    await store.decideDefault(changed);
    const other = decision({ change: "another" });
    await store.decideDefault(other);
    const stored = await (await reopen()).defaultDecisions();
    assert.deepEqual(stored, [other, changed, everywhere]);
  },
};
