import assert from "node:assert/strict";
import { healthWindow } from "../../src/model/catalogue/health.ts";
import { principalOf } from "../../src/model/principal.ts";
import type { Store } from "../../src/model/store.ts";
import { type Promises, storeFailed } from "./opened-store.ts";
import { brokenEntry, callEntry, callRecord, eventEntry, moment, sampleEntry } from "./records.ts";

export const callPromises: Promises = {
  "gives a call back exactly as it was recorded, and null for one it never saw": async ({
    store,
  }) => {
    const call = callRecord("one", { server: null, error: null, durationMs: 0.1 + 0.2 });
    await store.append([{ kind: "call", call }]);
    assert.deepEqual(await store.call("one"), call);
    assert.equal(await store.call("two"), null);
  },

  "tells who made calls, and leaves out those it never saw": async ({ store }) => {
    const ann = principalOf({ user: "ann" });
    const anonymous = principalOf({});
    await store.append([
      callEntry("one", { principal: ann }),
      callEntry("two", { principal: anonymous }),
    ]);
    const owners = await store.callOwners(["one", "two", "never"]);
    assert.deepEqual([owners.size, owners.get("one"), owners.get("two")], [2, ann, anonymous]);
    assert.equal((await store.callOwners([])).size, 0);
  },

  "keeps any text a model or a server came up with": async ({ store }) => {
    const tool = "a'; DROP TABLE calls; -- \u0000 \ud800 \u{1f680} \u2028";
    await store.append([callEntry("odd", { tool })]);
    assert.equal((await store.call("odd"))?.tool, tool);
    assert.equal((await store.calls()).length, 1);
  },

  "stores all entries of an append or none": async ({ store }) => {
    const entries = [callEntry("one"), eventEntry("one"), sampleEntry("tool:echo", 1)];
    await assert.rejects(store.append([...entries, brokenEntry()]), storeFailed);
    assert.deepEqual(
      [await store.calls(), await store.events(), await store.samples()],
      [[], [], []],
    );
    await store.append(entries);
    assert.equal((await store.calls()).length, 1);
  },

  "never overwrites a call that is recorded": async ({ store }) => {
    await store.append([callEntry("one")]);
    await assert.rejects(store.append([callEntry("one", { status: "failed" })]), storeFailed);
    assert.equal((await store.call("one"))?.status, "succeeded");
  },

  "pages through calls of the same millisecond without losing or repeating one": async ({
    store,
  }) => {
    // Descending names: an order by id would be the wrong one.
    const ids = Array.from({ length: 25 }, (_, index) => `call-${99 - index}`);
    await store.append(ids.slice(0, 20).map((id) => callEntry(id)));
    for (const id of ids.slice(20)) await store.append([callEntry(id)]);
    const pages: string[][] = [];
    for (let before: string | undefined; ; ) {
      const page = await store.calls({ limit: 10, ...(before === undefined ? {} : { before }) });
      if (page.length === 0) break;
      pages.push(page.map((call) => call.id));
      before = page.at(-1)?.id;
      await store.append([callEntry(`later-${before}`)]);
    }
    assert.deepEqual(
      pages.map((page) => page.length),
      [10, 10, 5],
    );
    assert.deepEqual(pages.flat(), ids.toReversed());
  },

  "filters calls by tool and status, alone, together and across pages": async ({ store }) => {
    const entries = ["a", "b", "c", "d", "e", "f"].map((id, index) =>
      callEntry(id, {
        tool: index < 4 ? "read" : "write",
        status: index % 2 === 0 ? "succeeded" : "refused",
      }),
    );
    await store.append(entries);
    const idsOf = async (filter: Parameters<Store["calls"]>[0]) =>
      (await store.calls(filter)).map((call) => call.id).join("");
    assert.equal(await idsOf({}), "fedcba");
    assert.equal(await idsOf({ tool: "read" }), "dcba");
    assert.equal(await idsOf({ status: "refused" }), "fdb");
    assert.equal(await idsOf({ tool: "read", status: "refused" }), "db");
    assert.equal(await idsOf({ tool: "read", status: "refused", before: "d", limit: 5 }), "b");
    assert.equal(await idsOf({ before: "c", limit: 1 }), "b");
    assert.equal(await idsOf({ limit: 0 }), "");
    assert.equal(await idsOf({ before: "unknown" }), "");
  },

  "filters calls by the user who made them, or by no user": async ({ store }) => {
    const users = ["ann", null, "bob", "ann"];
    await store.append(
      users.map((user, at) => callEntry(`${at}`, { principal: principalOf({ user }) })),
    );
    const idsOf = async (user: string | null, before?: string) =>
      (await store.calls({ user, ...(before === undefined ? {} : { before }) }))
        .map(({ id }) => id)
        .join("");
    assert.equal(await idsOf("ann"), "30");
    assert.equal(await idsOf("ann", "3"), "0");
    assert.equal(await idsOf(null), "1");
    assert.equal(await idsOf("eve"), "");
  },
};

export const eventPromises: Promises = {
  "gives events back oldest first with rising ids, from any id on": async ({ store }) => {
    await store.append([eventEntry("a"), callEntry("between"), eventEntry("b")]);
    await store.append([eventEntry("c")]);
    const all = await store.events();
    assert.deepEqual(
      all.map(({ at, event }) => ({ kind: "event", at, event })),
      [eventEntry("a"), eventEntry("b"), eventEntry("c")],
    );
    const [first, second, third] = all.map((event) => event.id);
    assert.ok(first && second && third && first > 0 && first < second && second < third);
    assert.deepEqual(await store.events(first), all.slice(1));
    assert.deepEqual(await store.events(first, 1), all.slice(1, 2));
    assert.deepEqual(await store.events(third), []);
    assert.equal(await store.lastEventId(), third);
  },

  "reads the events of a call from its record, among the others and in order": async ({
    store,
  }) => {
    const call = callRecord("both", { principal: principalOf({ user: "ada", key: "k-1" }) });
    const late = callRecord("late", { status: "failed", error: null });
    await store.append([
      eventEntry("first"),
      { kind: "call", call, events: 2 },
      eventEntry("between"),
      { kind: "call", call: late, events: 1 },
      { kind: "call", call: callRecord("silent") },
    ]);
    const all = await store.events();
    const [before, begun, ended, between, lateEnd] = all;
    assert.deepEqual(
      all.map(({ event }) => event.type),
      [before?.event.type, "tool.call", "tool.result", between?.event.type, "tool.result"],
    );
    assert.deepEqual(begun?.event, {
      type: "tool.call",
      callId: "both",
      tool: call.tool,
      user: "ada",
      key: "k-1",
    });
    assert.deepEqual([begun?.at, ended?.at], [moment, "2026-03-01T12:00:00.041Z"]);
    assert.equal(lateEnd?.event.type === "tool.result" && lateEnd.event.callId, "late");
    for (const [place, { id }] of all.entries()) {
      assert.deepEqual(await store.events(id), all.slice(place + 1), "from any of them on");
      assert.deepEqual(await store.events(id, 1), all.slice(place + 1, place + 2));
    }
    assert.ok((await store.lastEventId()) >= (lateEnd?.id ?? 0));
    await store.append([eventEntry("last")]);
    assert.equal(
      (await store.events(await store.lastEventId().then((last) => last - 1))).length,
      1,
    );
  },

  "goes on counting events after it was opened again": async ({ store, reopen }) => {
    await store.append([eventEntry("a")]);
    const [before] = await store.events();
    const again = await reopen();
    await again.append([eventEntry("b")]);
    const [after] = await again.events(before?.id);
    assert.ok(before && after && after.id > before.id);
  },
};

export const samplePromises: Promises = {
  "gives samples back unchanged, oldest first within each subject": async ({ store }) => {
    const entries = [
      sampleEntry("b", 3),
      sampleEntry("a", 2.5),
      sampleEntry("b", 1),
      sampleEntry("b", 2),
    ];
    await store.append(entries);
    assert.deepEqual(await latenciesOf(store, "b"), [3, 1, 2]);
    const [only] = (await store.samples()).filter((sample) => sample.subject === "a");
    assert.deepEqual(only, { subject: "a", at: moment, ok: false, latencyMs: 2.5 });
  },

  "keeps only the newest samples of a subject, however they arrive": async ({ store, reopen }) => {
    const numbers = Array.from({ length: healthWindow + 30 }, (_, index) => index);
    await store.append([sampleEntry("quiet", 7)]);
    await store.append(numbers.map((number) => sampleEntry("bulk", number)));
    for (const number of numbers) await store.append([sampleEntry("single", number)]);
    const again = await reopen();
    await again.append([sampleEntry("single", -1)]);
    assert.deepEqual(await latenciesOf(again, "bulk"), numbers.slice(-healthWindow));
    assert.deepEqual(await latenciesOf(again, "single"), [...numbers.slice(1 - healthWindow), -1]);
    assert.deepEqual(await latenciesOf(again, "quiet"), [7]);
  },

  "tells what samples are new since it was asked, from whomever they come": async ({
    store,
    reopen,
  }) => {
    await store.append([sampleEntry("b", 1), sampleEntry("a", 2)]);
    const all = await store.newSamples(0);
    assert.deepEqual(
      all.samples.map(({ subject, latencyMs }) => [subject, latencyMs]),
      [
        ["b", 1],
        ["a", 2],
      ],
    );
    assert.deepEqual(await store.newSamples(all.newest), { samples: [], newest: all.newest });
    const again = await reopen();
    await again.append(
      Array.from({ length: healthWindow + 1 }, (_, number) => sampleEntry("b", number)),
    );
    const { samples, newest } = await again.newSamples(all.newest);
    assert.deepEqual([samples.length, samples.at(-1)?.latencyMs], [healthWindow, healthWindow]);
    assert.ok(newest > all.newest);
  },
};

async function latenciesOf(store: Store, subject: string): Promise<number[]> {
  const samples = await store.samples();
  return samples.filter((sample) => sample.subject === subject).map((sample) => sample.latencyMs);
}
