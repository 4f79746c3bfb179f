import assert from "node:assert/strict";
import type { VerifyOptions } from "../../src/model/calls/call-history.ts";
import type { KeptResult } from "../../src/model/calls/stored-result.ts";
import type { Promises } from "./opened-store.ts";
import { auditEntry, callEntry, callRecord, moment } from "./records.ts";

const roomy = 1_000_000;

export function keptResult(id: string, changes: Partial<KeptResult> = {}): KeptResult {
  return {
    id,
    callId: `call-of-${id}`,
    tool: "github_search_issues",
    user: "ada",
    at: moment,
    expiresAt: "2026-03-02T12:00:00.000Z",
    hash: "sha256:1",
    characters: 12_345,
    bytes: 4,
    isCompressed: true,
    body: new Uint8Array([0, 255, 128, 10]),
    ...changes,
  };
}

/** Years ago, a second apart. */
const timeOf = (index: number) =>
  new Date(Date.parse("2020-03-01T12:00:00.000Z") + index * 1_000).toISOString();

export const resultPromises: Promises = {
  "gives a result back to the byte, also after it was opened again": async ({ store, reopen }) => {
    const kept = keptResult("one", { user: null, isCompressed: false });
    assert.equal(await store.putResult(kept, roomy), true);
    const again = await (await reopen()).result("one");
    assert.deepEqual(
      { ...again, body: [...(again?.body ?? [])] },
      { ...kept, body: [...kept.body] },
    );
    assert.equal(await (await reopen()).result("two"), null);
  },

  "keeps a result once however often it comes, and makes it the newest again": async ({
    store,
  }) => {
    for (const id of ["a", "b", "a"]) await store.putResult(keptResult(id), roomy);
    assert.deepEqual(
      (await store.results()).map(({ id }) => id),
      ["a", "b"],
    );
  },

  "lets the oldest results go where there is no room, and refuses what alone is too large": async ({
    store,
  }) => {
    for (const id of ["a", "b", "c"]) await store.putResult(keptResult(id, { bytes: 40 }), 100);
    assert.deepEqual(
      (await store.results()).map(({ id }) => id),
      ["c", "b"],
    );
    assert.equal(await store.putResult(keptResult("d", { bytes: 101 }), 100), false);
    assert.equal((await store.results()).length, 2);
  },

  "forgets results whose time is over, by itself when others come": async ({ store }) => {
    await store.putResult(keptResult("old", { expiresAt: "2026-03-01T11:59:59.000Z" }), roomy);
    await store.putResult(keptResult("new"), roomy);
    assert.equal(await store.result("old"), null);
    assert.equal(await store.forgetResults("2026-03-02T11:59:59.999Z"), 0);
    assert.equal(await store.forgetResults("2026-03-02T12:00:00.000Z"), 1);
    assert.deepEqual(await store.results(), []);
  },

  "lists results without their content, whose they are, a page at a time": async ({ store }) => {
    for (const id of ["a", "b", "c"]) await store.putResult(keptResult(id), roomy);
    await store.putResult(keptResult("nobodys", { user: null }), roomy);
    const idsOf = async (filter: object) =>
      (await store.results(filter)).map(({ id }) => id).join(" ");
    assert.equal(await idsOf({ user: "ada", limit: 2 }), "c b");
    assert.equal(await idsOf({ user: "ada", limit: 2, before: "b" }), "a");
    assert.equal(await idsOf({ user: null }), "nobodys");
    assert.ok(!("body" in ((await store.results())[0] ?? {})));
  },
};

export const chainPromises: Promises = {
  "can say that no recorded call was changed, and where the chain ends": async ({
    store,
    reopen,
  }) => {
    const empty = await store.verifyCalls();
    assert.deepEqual([empty.ok, empty.calls, empty.head], [true, 0, null]);
    const odd = "a'; DROP TABLE calls; -- \ud800 \u{1f680}";
    await store.append([callEntry("one"), callEntry("two", { tool: odd })]);
    const before = await store.verifyCalls();
    assert.deepEqual([before.ok, before.calls, before.broken], [true, 2, null]);
    const opened = await reopen();
    await opened.append([callEntry("three")]);
    const after = await opened.verifyCalls({ head: before.head ?? "" });
    assert.deepEqual([after.ok, after.calls, after.headFound], [true, 3, true]);
    assert.notEqual(after.head, before.head);
    const wrong = await opened.verifyCalls({ head: "0".repeat(64) });
    assert.deepEqual([wrong.ok, wrong.headFound, wrong.broken], [false, false, null]);
  },

  "goes on with the chain where an append failed": async ({ store }) => {
    await store.append([callEntry("one")]);
    await assert.rejects(store.append([callEntry("two"), callEntry("one")]));
    await store.append([callEntry("three")]);
    const { ok, calls } = await store.verifyCalls();
    assert.deepEqual([ok, calls], [true, 2]);
  },

  "removes old calls up to the newest that is old, which proves their age, and closes the chain behind them":
    async ({ store }) => {
      const at = (day: number) => `2026-03-${String(day).padStart(2, "0")}T12:00:00.000Z`;
      await store.append([1, 2, 3, 4].map((day) => callEntry(`c${day}`, { at: at(day) })));
      const { head } = await store.verifyCalls();
      assert.equal(await store.forgetCalls(at(3)), 1);
      assert.equal(await store.forgetCalls(at(3)), 0);
      const ids = async () => (await store.calls()).map(({ id }) => id);
      assert.deepEqual(await ids(), ["c4", "c3", "c2"]);
      assert.equal(await store.forgetCalls(at(9)), 2);
      assert.equal(await store.forgetCalls(at(9)), 0);
      assert.deepEqual(await store.calls(), [callRecord("c4", { at: at(4) })]);
      await store.append([callEntry("c5", { at: at(5) })]);
      const chain = await store.verifyCalls({ head: head ?? "", keepDays: 1 });
      assert.deepEqual([chain.ok, chain.calls, chain.headFound], [true, 2, true]);
      assert.deepEqual(
        chain.checkpoints.map(({ removed }) => removed),
        [1, 2],
      );
      const { broken } = await store.verifyCalls({ keepDays: 100_000 });
      assert.deepEqual(
        [broken?.id, /'calls.keepDays' is 100000/.test(broken?.reason ?? "")],
        ["c4", true],
      );
    },

  "removes old records behind those of a clock that was ahead, which stay only among young ones":
    async ({ store }) => {
      const old = "2001-01-01T00:00:00.000Z";
      const young = new Date().toISOString();
      const ahead = "2999-01-01T00:00:00.000Z";
      const at = [ahead, old, ahead, old, ahead, young];
      await store.append(at.map((one, index) => callEntry(`c${index}`, { at: one })));
      await store.append(at.map((one, index) => auditEntry(`a${index}`, { at: one })));
      assert.deepEqual([await store.forgetCalls(young), await store.forgetAudit(young)], [3, 3]);
      assert.deepEqual([await store.forgetCalls(young), await store.forgetAudit(young)], [0, 0]);
      const left = [...(await store.calls()), ...(await store.audit())].map(({ id }) => id);
      assert.deepEqual(left, ["c5", "c4", "c3", "a5", "a4", "a3"]);
      const options = { keepDays: 30 };
      assert.deepEqual(
        [(await store.verifyCalls(options)).ok, (await store.verifyAudit(options)).ok],
        [true, true],
      );
    },

  "finds calls by two conditions, page by page": async ({ store }) => {
    const entries = Array.from({ length: 60 }, (_, index) => {
      const status = index % 3 === 0 ? ("failed" as const) : ("succeeded" as const);
      return callEntry(`c${index}`, {
        at: timeOf(index),
        tool: index % 2 === 0 ? "even" : "odd",
        status,
      });
    });
    await store.append(entries);
    const filter = { tool: "even", status: "failed" } as const;
    const pages: string[] = [];
    for (let before: string | undefined; ; before = pages.at(-1)) {
      const page = await store.calls({
        ...filter,
        limit: 4,
        ...(before === undefined ? {} : { before }),
      });
      if (page.length === 0) break;
      pages.push(...page.map(({ id }) => id));
    }
    const expected = [54, 48, 42, 36, 30, 24, 18, 12, 6, 0].map((index) => `c${index}`);
    assert.deepEqual(pages, expected);
    assert.deepEqual(
      (await store.calls(filter)).map(({ id }) => id),
      expected,
    );
    assert.deepEqual(await store.calls({ ...filter, limit: 4, before: "unknown" }), []);
    assert.deepEqual(await store.calls({ ...filter, tool: "other", limit: 4 }), []);
  },

  "tells how much it holds of each kind without counting all of it, and when the calls were made":
    async ({ store }) => {
      const entries = Array.from({ length: 1_400 }, (_, index) =>
        callEntry(`c${index}`, { at: timeOf(index) }),
      );
      await store.append(entries);
      await store.putResult(keptResult("one", { bytes: 4 }), roomy);
      await store.putPayloads([{ id: "c1", expiresAt: moment, body: "{}" }]);
      const held = Object.fromEntries((await store.holdings()).map((one) => [one.kind, one]));
      assert.deepEqual([held.calls?.count, held.calls?.oldest], [1_400, timeOf(0)]);
      assert.ok((held.calls?.bytes ?? 0) > 1_400 * JSON.stringify(callRecord("c1")).length);
      assert.deepEqual([held.results?.count, held.payloads?.count, held.runs?.count], [1, 1, 0]);
      assert.deepEqual([await store.callAt(700), await store.callAt(1_400)], [timeOf(700), null]);
    },

  "removes more calls than fit into a batch in several, and each leaves a whole chain": async ({
    store,
  }) => {
    const entries = Array.from({ length: 4_500 }, (_, index) =>
      callEntry(`c${index}`, { at: timeOf(index) }),
    );
    await store.append(entries);
    const removed: number[] = [];
    do {
      removed.push(await store.forgetCalls(timeOf(4_400)));
      assert.equal((await store.verifyCalls({ keepDays: 1 })).ok, true);
    } while (removed.at(-1) !== 0);
    assert.ok(removed.length > 3, removed.join());
    const left = await store.calls();
    assert.deepEqual([left.length, left.at(-1)?.id], [101, "c4399"]);
  },

  "follows a part of the chain by the time of its records": async ({ store }) => {
    const days = Array.from({ length: 9 }, (_, at) => `2026-03-0${at + 1}`);
    await store.append(
      days.flatMap((day) =>
        [1, 2].map((at) => callEntry(`${day} ${at}`, { at: `${day}T1${at}:00:00.000Z` })),
      ),
    );
    const { head } = await store.verifyCalls({ until: "2026-03-03" });
    const counts = [
      [{ since: "2026-03-03" }, 14],
      [{ until: "2026-03-03" }, 6],
      [{ since: "2026-03-03", until: "2026-03-04" }, 4],
      [{ since: "2026-03-03T11:30:00.000Z", until: "2026-03-04T11:00:00.000Z" }, 2],
      [{ since: "2027-01-01" }, 0],
      [{ until: "2025-01-01" }, 0],
      [{ since: "2025-01-01" }, 18],
      [{ since: "2026-03-04", head }, 12],
    ] as const;
    for (const [options, count] of counts) {
      const { ok, calls } = await store.verifyCalls(options as VerifyOptions);
      assert.deepEqual([ok, calls], [true, count], JSON.stringify(options));
    }
  },

  "knows by its head whether records are lost, and whether they were removed because of their age":
    async ({ store }) => {
      const { calls: before } = await store.append([callEntry("c1"), callEntry("c2")]);
      const { calls: after, changes } = await store.append([callEntry("c3"), auditEntry("a1")]);
      assert.ok(before && after && changes);
      for (const [chain, head] of [
        ["calls", before],
        ["calls", after],
        ["changes", changes],
      ] as const)
        assert.equal(await store.findLoss(chain, head), null);
      const loss = { after: moment, until: "then" };
      assert.deepEqual(
        await store.findLoss("calls", { ...after, hash: "other", at: "then" }),
        loss,
      );
      assert.deepEqual(
        await store.findLoss("calls", {
          ...after,
          sequence: after.sequence + 1_000,
          hash: "x",
          at: "then",
        }),
        loss,
      );
      assert.deepEqual(
        await store.findLoss("changes", { sequence: changes.sequence, hash: "x", at: "then" }),
        {
          after: null,
          until: "then",
        },
      );
      assert.equal(await store.forgetCalls("2027"), 2);
      assert.equal(await store.findLoss("calls", before), null);
    },
};
