import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { sharedCounts } from "../../../test/samples/shared-counts.ts";
import { createSharedSlots, leaseMs } from "./shared-slots.ts";

const { signal } = new AbortController();

/** Planes on one store that hear of each other. */
async function planesOf(context: TestContext, count: number) {
  const shared = await sharedCounts(context);
  const listeners = new Set<(key: string) => void>();
  const running = { now: 0, most: 0 };
  const planes = Array.from({ length: count }, () => {
    let own: ((key: string) => void) | undefined;
    const slots = createSharedSlots({
      shared,
      tell: async (key) => {
        for (const listener of listeners) if (listener !== own) listener(key);
      },
      onTold(listener) {
        own = listener;
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const begin = async (total: number, given = signal) => {
      const { acquired: taken, release } = slots.take("one", total, given);
      await taken;
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      return () => {
        running.now -= 1;
        release();
      };
    };
    return { slots, begin };
  });
  return { shared, planes, running };
}

const isTaken = async (work: Promise<unknown>) => {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 10; turn += 1) await moveTime(0);
  return isDone;
};

suite("slots of several planes", () => {
  useMockedTime();

  test("planes together never have more calls at once than the limit, and all calls are made", async (context) => {
    for (const [count, total] of [
      [3, 10],
      [4, 2],
      [2, 1],
    ] as const) {
      const { planes, running } = await planesOf(context, count);
      const done = planes.map(() => 0);
      const work = planes.flatMap(({ begin }, at) =>
        Array.from({ length: 40 }, async (_, call) => {
          const end = await begin(total);
          await moveTime(10 + ((call * 7 + at) % 30));
          end();
          done[at] = (done[at] ?? 0) + 1;
        }),
      );
      let isOver = false;
      const over = Promise.all(work).then(() => {
        isOver = true;
      });
      while (!isOver) await moveTime(50);
      await over;
      assert.deepEqual(
        done,
        planes.map(() => 40),
      );
      assert.equal(running.most, total, `${count} planes, ${total} slots`);
    }
  });

  test("a busy plane asks the store now and then, and no call of it waits for that", async (context) => {
    const { shared, planes } = await planesOf(context, 1);
    const [plane] = planes;
    assert.ok(plane);
    const first = await Promise.all(Array.from({ length: 5 }, () => plane.begin(20)));
    const before = shared.asked;
    let waited = 0;
    for (let call = 0; call < 200; call += 1) {
      first.shift()?.();
      const { acquired: taken, release } = plane.slots.take("one", 20, signal);
      if (taken !== undefined) waited += 1;
      await taken;
      first.push(release);
      await moveTime(50);
    }
    assert.equal(waited, 0);
    assert.ok(shared.asked - before <= 5, `${shared.asked - before} requests in ten seconds`);
  });

  test("a plane that has all slots gives up half of them when another wants them, and all when it is idle", async (context) => {
    const { planes } = await planesOf(context, 2);
    const [left, right] = planes;
    assert.ok(left && right);
    const ends = await Promise.all(Array.from({ length: 4 }, () => left.begin(4)));
    const [one, two, three] = [right.begin(4), right.begin(4), right.begin(4)];
    assert.equal(await isTaken(one), false);
    ends.shift()?.();
    assert.equal(await isTaken(one), true);
    const back = left.begin(4);
    ends.shift()?.();
    assert.equal(await isTaken(two), true);
    assert.deepEqual([await isTaken(three), await isTaken(back)], [false, false]);
    ends.shift()?.();
    assert.equal(await isTaken(back), true, "half of them are its own");
    ends.shift()?.();
    (await back)();
    await moveTime(4_000);
    assert.equal(await isTaken(three), true);
  });

  test("slots of a killed plane are free after its lease, and those of a stopped one at once", async (context) => {
    const { planes } = await planesOf(context, 3);
    const [killed, stopped, next] = planes;
    assert.ok(killed && stopped && next);
    const { shared } = { shared: await sharedCounts(context) };
    await shared.change("slots:one", leaseMs, (_, now) => ({
      value: { gone: { slots: 2, wanted: 2, until: now + leaseMs } },
      answer: null,
    }));
    const alone = createSharedSlots({
      shared,
      tell: async () => undefined,
      onTold: () => () => undefined,
    });
    const waiting = alone.take("one", 2, signal).acquired ?? Promise.resolve();
    await moveTime(leaseMs - 1_000);
    assert.equal(await isTaken(waiting), false);
    await moveTime(2_000);
    assert.equal(await isTaken(waiting), true);

    const end = await stopped.begin(1);
    const other = next.begin(1);
    end();
    await stopped.slots.stop();
    assert.equal(await isTaken(other), true);
  });

  test("without the store each plane goes on with what it had, and with one slot at least", async (context) => {
    const { shared, planes } = await planesOf(context, 2);
    const [left, right] = planes;
    assert.ok(left && right);
    const ends = await Promise.all(Array.from({ length: 3 }, () => left.begin(4)));
    shared.away = true;
    assert.equal(await isTaken(right.begin(4)), true);
    assert.equal(await isTaken(right.begin(4)), false);
    await moveTime(leaseMs);
    for (const end of ends) end();
    assert.equal((await Promise.all([1, 2, 3].map(() => left.begin(4)))).length, 3);
  });

  test("who is cancelled while waiting leaves the line, and a full line refuses", async (context) => {
    const { planes } = await planesOf(context, 1);
    const [plane] = planes;
    assert.ok(plane);
    const end = await plane.begin(1);
    const leaving = new AbortController();
    const left = plane.begin(1, leaving.signal);
    const stays = Array.from({ length: 999 }, () => plane.begin(1));
    await assert.rejects(plane.begin(1), {
      code: "BUSY",
      message: /together send 1 calls at once \('sharedConcurrency'\)/,
    });
    leaving.abort(new Error("enough"));
    await assert.rejects(left, /enough/);
    end();
    assert.equal(await isTaken(stays[0] ?? Promise.reject()), true);
  });
});
