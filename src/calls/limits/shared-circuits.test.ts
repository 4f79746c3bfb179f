import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { until } from "../../../test/fixtures/until.ts";
import type { Config } from "../../model/config/config.ts";
import type { Store, StoreNews } from "../../model/store.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import type { OpenCircuit } from "./circuit-breaker.ts";
import { createSharedCircuits } from "./shared-circuits.ts";

const moment = Date.parse("2026-11-01T12:00:00.000Z");
const longMs = 3_600_000;
const servers = () => ({ far: { url: "https://far.example/mcp" } }) as unknown as Config["servers"];
const openFor = (ms: number): OpenCircuit => {
  const now = Date.now();
  return { failures: 5, opened: 1, since: now, until: now + ms, lastError: "it is gone" };
};

type Shared = Pick<Store, "changeShared" | "sharedMoment">;

/** One plane tells, the other learns: both ask one store, whose clock stands still. */
async function twoPlanes(
  context: TestContext,
  beforeWrite: () => Promise<void>,
  beforeRead: () => void,
) {
  context.mock.timers.enable({ apis: ["Date"], now: moment });
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const listeners: ((news: StoreNews) => void)[] = [];
  const learned: (OpenCircuit | null)[] = [];
  const shared: Shared = {
    async changeShared(key, _keptMs, step) {
      await beforeWrite();
      const answer = await store.changeShared(key, longMs, (value) => step(value, moment));
      for (const listener of listeners) listener({ what: "shared", key });
      return answer;
    },
    async sharedMoment(key) {
      const value = await store.sharedValue(key);
      beforeRead();
      return { value, now: moment };
    },
  };
  const plane = (ports: Pick<Parameters<typeof createSharedCircuits>[0], "onNews" | "learn">) =>
    createSharedCircuits({ servers, store: async () => shared, ...ports });
  const teller = plane({ onNews: () => () => undefined, learn: () => undefined });
  plane({
    onNews(listener) {
      listeners.push(listener);
      return () => undefined;
    },
    learn: (_, told) => void learned.push(told),
  });
  return { teller, learned };
}

for (const aheadMs of [60_000, -60_000])
  test(`a circuit is open for as long on a plane whose clock is ${aheadMs} ms ahead`, async (context) => {
    const ownClock = () => context.mock.timers.setTime(moment + aheadMs);
    const { teller, learned } = await twoPlanes(context, nextTurn, ownClock);
    teller.tell("far", openFor(30_000));
    await until("it is learned", async () => learned.length > 0);
    assert.deepEqual(learned[0], openFor(30_000));
  });

test("a circuit that closes while its opening is on the way is closed for others in the end", async (context) => {
  let writes = 0;
  const slowFirst = async () => {
    writes += 1;
    for (let turn = writes === 1 ? 50 : 0; turn > 0; turn -= 1) await nextTurn();
  };
  const { teller, learned } = await twoPlanes(context, slowFirst, () => undefined);
  teller.tell("far", openFor(30_000));
  teller.tell("far", null);
  await until("both are learned", async () => learned.length === 2);
  assert.equal(learned[1], null);
});
