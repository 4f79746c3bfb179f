import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { HealthSample } from "../../model/catalogue/health.ts";
import { createHealthFeed } from "./health.ts";

/** A store that others write to, and how often it was asked. */
function sharedStore() {
  const stored: HealthSample[] = [];
  let asked = 0;
  return {
    add: (latencyMs: number) => stored.push({ subject: "tool:a", at: "now", ok: true, latencyMs }),
    asked: () => asked,
    newSamples: async (after: number) => {
      asked += 1;
      return { samples: stored.slice(after), newest: stored.length };
    },
  };
}

test("what another process adds is there after two seconds, and the store is not asked sooner", async () => {
  mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  try {
    const store = sharedStore();
    store.add(1);
    const feed = createHealthFeed(store.newSamples);
    const total = async () => (await feed.read()).summary("tool:a").total;
    assert.equal(await total(), 1);
    store.add(2);
    mock.timers.tick(1_999);
    assert.deepEqual([await total(), store.asked()], [1, 1]);
    mock.timers.tick(1);
    assert.deepEqual([await total(), store.asked()], [2, 2]);
  } finally {
    mock.timers.reset();
  }
});

test("what this process adds is there at once", async () => {
  const store = sharedStore();
  const feed = createHealthFeed(store.newSamples);
  await feed.read();
  store.add(1);
  feed.changed();
  assert.equal((await feed.read()).summary("tool:a").total, 1);
});

test("those who look at the same time share one look, and what is added meanwhile is seen by the next", async () => {
  const store = sharedStore();
  const feed = createHealthFeed(store.newSamples);
  const looks = [feed.read(), feed.read(), feed.read()];
  store.add(1);
  feed.changed();
  await Promise.all(looks);
  assert.equal(store.asked(), 1);
  assert.equal((await feed.read()).summary("tool:a").total, 1);
});

test("a store that fails once is asked again", async () => {
  let asked = 0;
  const feed = createHealthFeed(async () => {
    asked += 1;
    if (asked === 1) throw new Error("locked");
    return { samples: [], newest: 0 };
  });
  await assert.rejects(feed.read(), /locked/);
  await feed.read();
  assert.equal(asked, 2);
});
