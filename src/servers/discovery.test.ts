import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { abortable } from "../lib/async/signals.ts";
import type { Listing } from "../protocol/list-all.ts";
import { createDiscovery } from "./discovery.ts";

/** A server whose answers are given by hand, one for each time it was asked. */
function sample({ windowMs = 60_000 } = {}) {
  const asked: PromiseWithResolvers<Listing>[] = [];
  const listed: unknown[] = [];
  const failed: unknown[] = [];
  const flapping: number[] = [];
  const world = { isOpen: true };
  const discovery = createDiscovery({
    windowMs,
    isOpen: () => world.isOpen,
    list() {
      const answer = Promise.withResolvers<Listing>();
      asked.push(answer);
      return answer.promise;
    },
    onListed: ({ items }) => listed.push(items[0]),
    onFailed: (reason) => failed.push(reason),
    onFlapping: () => flapping.push(Date.now()),
  });
  const answer = (at: number, item: unknown) =>
    asked[at]?.resolve({ items: [item], warning: null });
  const learn = async (item: unknown, options?: { force?: boolean }) => {
    const known = discovery.list(options);
    answer(asked.length - 1, item);
    await known;
  };
  return { discovery, asked, listed, failed, flapping, answer, learn, world };
}

suite("discovery", () => {
  useMockedTime();

  test("fifty who ask at once share one request", async () => {
    const { discovery, asked, listed, answer } = sample();
    const all = Array.from({ length: 50 }, () => discovery.list());
    answer(0, "a");
    await Promise.all(all);
    assert.deepEqual([asked.length, listed], [1, ["a"]]);
  });

  test("what is fresh is not asked again, unless it is forced", async () => {
    const { discovery, asked, listed, learn } = sample();
    await learn("a");
    await discovery.list();
    assert.equal(asked.length, 1);
    await learn("b", { force: true });
    assert.deepEqual(listed, ["a", "b"]);
  });

  test("a forced listing joins a running one", async () => {
    const { discovery, asked, answer } = sample();
    const both = Promise.all([discovery.list(), discovery.list({ force: true })]);
    answer(0, "a");
    await both;
    assert.equal(asked.length, 1);
  });

  test("a listing is good for its time and no longer", async () => {
    const { discovery, asked, learn } = sample({ windowMs: 1_000 });
    await learn("a");
    await moveTime(999);
    assert.equal(discovery.isFresh(), true);
    await discovery.list();
    assert.equal(asked.length, 1);
    await moveTime(1);
    assert.equal(discovery.isFresh(), false);
    await learn("b");
    assert.equal(asked.length, 2);
  });

  test("a window of 0 never ends", async () => {
    const { discovery, asked, learn } = sample({ windowMs: 0 });
    assert.equal(discovery.isFresh(), false);
    await learn("a");
    await moveTime(10 ** 9);
    await discovery.list();
    assert.equal(asked.length, 1);
  });

  test("a failure reaches every caller that waits, is reported once and is not kept", async () => {
    const { discovery, asked, failed, listed, learn } = sample();
    const waiting = [discovery.list(), discovery.list()];
    const reason = new Error("no");
    asked[0]?.reject(reason);
    for (const one of waiting) await assert.rejects(one, reason);
    assert.deepEqual([failed, discovery.listedAt()], [[reason], null]);
    await learn("a");
    assert.deepEqual(listed, ["a"]);
  });

  test("a failure takes away nothing of what was listed before", async () => {
    const { discovery, asked, learn } = sample();
    await learn("a");
    const before = discovery.listedAt();
    await moveTime(10);
    const again = discovery.list({ force: true });
    asked[1]?.reject(new Error("no"));
    await assert.rejects(again);
    assert.equal(discovery.listedAt(), before);
  });

  test("who follows gets the answer, also when the one who asked first gives up", async () => {
    const { discovery, answer, listed } = sample();
    const leader = new AbortController();
    const first = abortable(discovery.list(), leader.signal);
    const second = settled(discovery.list());
    leader.abort("enough");
    await assert.rejects(first, (reason) => reason === "enough");
    answer(0, "a");
    await moveTime(0);
    assert.deepEqual([second.state, listed], ["fulfilled", ["a"]]);
  });

  test("what is forgotten while it is being asked is not taken, and asked again", async () => {
    const { discovery, asked, listed, answer } = sample();
    const before = settled(discovery.list());
    discovery.forget();
    const after = settled(discovery.list());
    assert.equal(asked.length, 2);
    answer(0, "old");
    await moveTime(0);
    assert.deepEqual([before.state, after.state, listed], ["fulfilled", "pending", []]);
    answer(1, "new");
    await moveTime(0);
    assert.deepEqual([after.state, listed], ["fulfilled", ["new"]]);
  });

  test("a failure of a forgotten listing is not reported", async () => {
    const { discovery, asked, failed } = sample();
    const before = discovery.list();
    discovery.forget();
    asked[0]?.reject(new Error("closed"));
    await assert.rejects(before);
    assert.deepEqual(failed, []);
  });

  test("what is forgotten is not fresh", async () => {
    const { discovery, learn } = sample();
    await learn("a");
    discovery.forget();
    assert.deepEqual([discovery.isFresh(), discovery.listedAt()], [false, null]);
  });

  test("what is remembered counts as listed then, and never instead of what was listed since", async () => {
    const { discovery, learn } = sample({ windowMs: 1_000 });
    const start = Date.now();
    discovery.remember(start - 400);
    assert.equal(discovery.isFresh(), true);
    await moveTime(600);
    assert.equal(discovery.isFresh(), false);
    await learn("a");
    discovery.remember(start);
    assert.equal(discovery.listedAt(), start + 600);
  });

  test("a storm of changes is one listing, soon", async () => {
    const { discovery, asked, learn, listed, answer } = sample();
    await learn("a");
    await moveTime(10_000);
    for (let count = 0; count < 100; count++) discovery.changed();
    await moveTime(49);
    assert.equal(asked.length, 1);
    await moveTime(1);
    assert.equal(asked.length, 2);
    answer(1, "b");
    await moveTime(0);
    assert.deepEqual(listed, ["a", "b"]);
  });

  test("a storm that does not end is listed less and less often, and the last list is good meanwhile", async () => {
    const { discovery, asked, learn, answer, flapping } = sample();
    await learn("a");
    const gaps: number[] = [];
    let last = Date.now();
    for (let moment = 0; moment < 40_000; moment += 1) {
      const before = asked.length;
      discovery.changed();
      await moveTime(10);
      if (asked.length === before) continue;
      gaps.push(Date.now() - last);
      last = Date.now();
      answer(asked.length - 1, "b");
    }
    assert.deepEqual(
      gaps.map((gapMs) => Math.round(gapMs / 500) / 2),
      [0.5, 0.5, 0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60],
    );
    assert.deepEqual(
      [flapping.length, discovery.isFlapping(), discovery.isFresh()],
      [1, true, true],
    );
  });

  test("a server that answers each listing with a notice is not asked more often because it is looked at", async () => {
    const { discovery, asked, answer, learn } = sample();
    await learn("a");
    discovery.changed();
    for (let moment = 0; moment < 800; moment++) {
      const before = asked.length;
      const looked = settled(discovery.list());
      await moveTime(10);
      if (asked.length > before) {
        discovery.changed();
        answer(asked.length - 1, "a");
      } else if (discovery.isFlapping()) assert.equal(looked.state, "fulfilled");
    }
    assert.ok(asked.length <= 8, `${asked.length} in eight seconds`);
  });

  test("a server that keeps quiet after a listing is believed at once again", async () => {
    const { discovery, asked, answer, learn } = sample();
    await learn("a");
    for (let count = 0; count < 6; count++) {
      discovery.changed();
      await moveTime(600);
      answer(asked.length - 1, "a");
      await moveTime(2_000);
    }
    assert.equal(discovery.isFlapping(), false);
    for (let count = 0; count < 6; count++) {
      discovery.changed();
      await moveTime(9_000);
      discovery.changed();
      answer(asked.length - 1, "a");
      await moveTime(0);
    }
    assert.equal(discovery.isFlapping(), true);
    await moveTime(60_000);
    answer(asked.length - 1, "a");
    await moveTime(2_000);
    assert.equal(discovery.isFlapping(), false);
    const before = asked.length;
    discovery.changed();
    await moveTime(50);
    assert.equal(asked.length, before + 1);
  });

  test("who asks after a notice gets the new list, as soon as the gap is over", async () => {
    const { discovery, asked, answer, learn, listed } = sample();
    await learn("old");
    discovery.changed();
    const looked = settled(discovery.list());
    await moveTime(499);
    assert.deepEqual([asked.length, looked.state], [1, "pending"]);
    await moveTime(1);
    answer(1, "new");
    await moveTime(0);
    assert.deepEqual([looked.state, listed], ["fulfilled", ["old", "new"]]);
  });

  test("who waits for the end of a gap does not wait for a server that was stopped", async () => {
    const { discovery, learn } = sample();
    await learn("old");
    discovery.changed();
    const looked = settled(discovery.list());
    discovery.stop();
    await moveTime(0);
    assert.equal(looked.state, "fulfilled");
  });

  test("another process is asked at once, however often the last one cried", async () => {
    const { discovery, asked, answer, learn } = sample();
    await learn("a");
    for (let count = 0; count < 8; count++) {
      discovery.changed();
      await moveTime(60_000);
      discovery.changed();
      answer(asked.length - 1, "a");
      await moveTime(0);
    }
    const before = asked.length;
    discovery.renew();
    assert.equal(discovery.isFresh(), false);
    void discovery.list();
    assert.equal(asked.length, before + 1);
    answer(before, "a");
  });

  test("a change during a listing is not lost in its answer", async () => {
    const { discovery, asked, listed, answer } = sample();
    const first = settled(discovery.list());
    discovery.changed();
    await moveTime(50);
    answer(0, "old");
    await moveTime(1_000);
    assert.equal(asked.length, 2);
    answer(1, "new");
    await moveTime(0);
    assert.equal(listed.at(-1), "new");
    assert.equal(first.state, "fulfilled");
  });

  test("a storm longer than a listing takes does not pile up requests, and lists all the same", async () => {
    const { discovery, asked, listed, learn } = sample();
    await learn("a");
    let waiting = 0;
    let most = 0;
    let seen = asked.length;
    for (let moment = 0; moment < 500; moment++) {
      discovery.changed();
      await moveTime(10);
      for (; seen < asked.length; seen++) {
        const one = asked[seen];
        waiting += 1;
        most = Math.max(most, waiting);
        setTimeout(() => {
          waiting -= 1;
          one?.resolve({ items: [seen], warning: null });
        }, 200);
      }
    }
    assert.ok(most <= 2, `${most} at a time`);
    assert.ok(listed.length > 3, `${listed.length} were taken`);
  });

  test("a change that is reported before the connection stands is not lost", async () => {
    const { discovery, asked, listed, answer, world } = sample();
    world.isOpen = false;
    const first = discovery.list();
    discovery.changed();
    await moveTime(100);
    answer(0, "old");
    await first;
    world.isOpen = true;
    await moveTime(1_000);
    // Whether it asks by itself or is asked: the old list is not taken for the new one.
    const again = discovery.list();
    answer(asked.length - 1, "new");
    await again;
    assert.deepEqual(listed.at(-1), "new");
  });

  test("a change that could not be listed is asked for again by the next caller", async () => {
    const { discovery, asked, learn, listed } = sample();
    await learn("old");
    await moveTime(1_000);
    discovery.changed();
    await moveTime(50);
    asked[1]?.reject(new Error("timed out"));
    await moveTime(0);
    const again = settled(discovery.list());
    await moveTime(500);
    asked[2]?.resolve({ items: ["new"], warning: null });
    await moveTime(0);
    assert.deepEqual([listed, again.state], [["old", "new"], "fulfilled"]);
  });

  test("the server is not asked after a stop, or while it is unreachable", async () => {
    const { discovery, asked, world } = sample();
    discovery.changed();
    discovery.stop();
    await moveTime(1_000);
    world.isOpen = false;
    discovery.changed();
    await moveTime(1_000);
    assert.equal(asked.length, 0);
  });
});
