import assert from "node:assert/strict";
import { principalOf } from "../../src/model/principal.ts";
import type { Promises } from "./opened-store.ts";
import { callEntry } from "./records.ts";

const since = Date.parse("2026-03-01T12:00:00.000Z");
const minuteMs = 60_000;
const at = (ms: number) => new Date(since + ms).toISOString();

export const callSeriesPromises: Promises = {
  "counts the calls of a span of time by minute and status, and knows how long they took": async ({
    store,
  }) => {
    const durations = Array.from({ length: 20 }, (_, index) => index + 1);
    await store.append([
      callEntry("before", { at: at(-1) }),
      ...durations.map((durationMs) =>
        callEntry(`first-${durationMs}`, { at: at(durationMs), durationMs }),
      ),
      callEntry("edge", { at: at(minuteMs - 1), durationMs: 100, status: "failed" }),
      callEntry("third", { at: at(2 * minuteMs), durationMs: 0.5, status: "refused" }),
      callEntry("behind", { at: at(3 * minuteMs) }),
    ]);
    const { steps, ...times } = await store.callSeries({ since, steps: 3, stepMs: minuteMs });
    assert.deepEqual(
      steps.map(({ place, byStatus }) => ({ place, byStatus })),
      [
        { place: 0, byStatus: { succeeded: 20, failed: 1 } },
        { place: 2, byStatus: { refused: 1 } },
      ],
    );
    const isAbout = (found: number | null | undefined, expected: number) =>
      assert.ok(Math.abs((found ?? 0) / expected - 1) < 0.05, `${found} is not about ${expected}`);
    isAbout(times.p50Ms, 10);
    isAbout(times.p95Ms, 20);
    isAbout(steps[0]?.p50Ms, 11);
    isAbout(steps[0]?.p95Ms, 20);
    isAbout(steps[1]?.p95Ms, 0.5);
  },

  "adds to what it has counted, and takes several minutes together": async ({ store }) => {
    await store.append([callEntry("one", { at: at(0) })]);
    await store.append([callEntry("two", { at: at(1) }), callEntry("three", { at: at(minuteMs) })]);
    await assert.rejects(store.append([callEntry("four", { at: at(2) }), callEntry("one")]));
    const { steps } = await store.callSeries({ since, steps: 1, stepMs: 2 * minuteMs });
    assert.deepEqual(
      steps.map(({ byStatus }) => byStatus),
      [{ succeeded: 3 }],
    );
  },

  "counts hours as it counts their minutes, in steps of one hour or more": async ({ store }) => {
    const hourMs = 60 * minuteMs;
    const times = [0, 1, hourMs - 1, hourMs, 5 * hourMs, 6 * hourMs - 1, 7 * hourMs];
    await store.append(
      times.map((ms, index) => callEntry(`c${index}`, { at: at(ms), durationMs: 3 })),
    );
    const placed = async (steps: number, stepMs: number) =>
      (await store.callSeries({ since, steps, stepMs })).steps.map(({ place, byStatus }) => [
        place,
        byStatus.succeeded,
      ]);
    const expected = [
      [0, 3],
      [1, 1],
      [5, 2],
    ];
    // Twice: hours that are over are remembered.
    assert.deepEqual([await placed(7, hourMs), await placed(7, hourMs)], [expected, expected]);
    assert.deepEqual(await placed(3, 2 * hourMs), [
      [0, 4],
      [2, 2],
    ]);
    assert.deepEqual(await placed(14, hourMs / 2), [
      [0, 2],
      [1, 1],
      [2, 1],
      [10, 1],
      [11, 1],
    ]);
  },

  "counts the calls of one user, or of no user, alone": async ({ store }) => {
    const by = (id: string, user: string | null) =>
      callEntry(id, { at: at(0), durationMs: 3, principal: principalOf({ user }) });
    await store.append([by("one", "ada"), by("two", "ada"), by("three", "bob"), by("four", null)]);
    const countOf = async (user: string | null) =>
      (await store.callSeries({ since, steps: 1, stepMs: minuteMs, user })).steps[0]?.byStatus
        .succeeded;
    assert.deepEqual([await countOf("ada"), await countOf("bob"), await countOf(null)], [2, 1, 1]);
    assert.equal(await countOf("eve"), undefined);
  },

  "keeps what it has counted when a clock that was ahead records a call": async ({ store }) => {
    const now = Math.floor(Date.now() / minuteMs) * minuteMs;
    await store.append([callEntry("one", { at: new Date(now).toISOString() })]);
    await store.append([callEntry("two", { at: "2999-01-01T00:00:00.000Z" })]);
    const { steps } = await store.callSeries({ since: now, steps: 1, stepMs: minuteMs });
    assert.deepEqual(steps[0]?.byStatus, { succeeded: 1 });
  },

  "knows no times where there were no calls": async ({ store }) => {
    const found = await store.callSeries({ since, steps: 5, stepMs: minuteMs });
    assert.deepEqual(found, { steps: [], p50Ms: null, p95Ms: null });
  },
};
