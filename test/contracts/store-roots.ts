import assert from "node:assert/strict";
import { makeRoot } from "../../src/store/roots/make-root.ts";
import { proveCall } from "../../src/store/roots/prove-call.ts";
import { findProofProblem, hashOfRoot } from "../../src/store/roots/root-hash.ts";
import { verifyRoots } from "../../src/store/roots/verify-roots.ts";
import type { Promises } from "./opened-store.ts";
import { auditEntry, callEntry } from "./records.ts";

export const rootPromises: Promises = {
  "makes a root of the ends of all chains, linked to the one before, and none where nothing is new":
    async ({ store, reopen }) => {
      assert.equal(await makeRoot(store), null);
      await store.append([callEntry("one"), callEntry("two"), auditEntry("a")]);
      const first = await makeRoot(store);
      assert.deepEqual([first?.number, first?.previous, first?.leaves.length], [1, "", 2]);
      assert.equal(await makeRoot(store), null);
      const again = await reopen();
      await again.append([callEntry("three")]);
      const second = await makeRoot(again);
      assert.deepEqual([second?.number, second?.previous], [2, first?.hash]);
      assert.equal(
        second?.leaves.reduce((sum, { records }) => sum + records, 0),
        1,
      );
      assert.equal(await again.addRoot({ ...second, number: 2 } as never), false);
      const { ok, roots, newest, missing } = await verifyRoots(again, { root: first?.hash ?? "" });
      assert.deepEqual([ok, roots, newest?.hash, missing], [true, 2, second?.hash, []]);
      assert.equal((await verifyRoots(again, { root: "0".repeat(64) })).ok, false);
    },

  "proves one call under a root, without any other record": async ({ store }) => {
    await store.append(Array.from({ length: 21 }, (_, at) => callEntry(`c${at}`)));
    await makeRoot(store);
    await store.append([callEntry("late"), callEntry("later")]);
    for (const id of ["c0", "c13", "c20", "late", "later"]) {
      const proof = await proveCall(store, id);
      assert.deepEqual(
        [proof.id, findProofProblem(proof), JSON.parse(proof.record).id],
        [id, null, id],
      );
      assert.ok(!JSON.stringify({ ...proof, record: "" }).includes("github"));
      const record = proof.record.replace('"succeeded"', '"failed"');
      assert.match(findProofProblem({ ...proof, record }) ?? "", /does not have this hash/);
      assert.match(findProofProblem({ ...proof, chain: "changes" }) ?? "", /not under this root/);
      assert.match(
        findProofProblem(proof, "0".repeat(64)) ?? "",
        /another than the one that was kept/,
      );
    }
    await assert.rejects(proveCall(store, "none"), { code: "NOT_FOUND" });
  },

  "removes old roots, but never the newest": async ({ store }) => {
    for (const id of ["one", "two", "three"]) {
      await store.append([callEntry(id)]);
      await makeRoot(store);
    }
    assert.equal(await store.forgetRoots("2999-01-01"), 2);
    assert.equal(await store.forgetRoots("2999-01-01"), 0);
    const { ok, roots } = await verifyRoots(store);
    assert.deepEqual([ok, roots], [true, 1]);
  },

  "leaves no gap between roots where a clock was wrong": async ({ store }) => {
    const times = [
      "2026-01-01T00:00",
      "2999-01-01T00:00",
      "2026-02-01T00:00",
      "1970-01-01T00:00",
      "2026-02-02T00:00",
    ];
    let previous = "";
    for (const [place, time] of times.entries()) {
      const content = { number: place + 1, at: `${time}:00.000Z`, previous, leaves: [] };
      previous = hashOfRoot(content);
      assert.equal(await store.addRoot({ ...content, hash: previous }), true);
    }
    assert.equal(await store.forgetRoots("2026-01-15"), 2);
    const { ok, roots } = await verifyRoots(store);
    assert.deepEqual([ok, roots], [true, 3]);
  },
};
