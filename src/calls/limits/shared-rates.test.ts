import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { sharedCounts } from "../../../test/samples/shared-counts.ts";
import {
  createRateLimiter,
  createSharedRateLimiter,
  type RateLimit,
  type RateLimiter,
} from "./rate-limiter.ts";

const { signal } = new AbortController();
const rated = (perMinute: number): RateLimit => ({
  key: "server:one",
  perMinute,
  what: "Server 'one'",
  setting: "rateLimitPerMinute",
  data: { server: "one" },
});

async function countAtOnce(planes: readonly RateLimiter[], perMinute: number): Promise<number> {
  let taken = 0;
  for (let refused = 0; refused < planes.length; ) {
    refused = 0;
    for (const rates of planes) {
      const isTaken = await Promise.resolve(rates.take(rated(perMinute), 0, signal)).then(
        () => true,
        () => false,
      );
      if (isTaken) taken += 1;
      else refused += 1;
    }
  }
  return taken;
}

suite("rates of several planes", () => {
  useMockedTime();

  test("planes together get what one would get, and most of their calls do not wait for the store", async (context) => {
    const shared = await sharedCounts(context);
    const planes = [1, 2, 3].map(() => createSharedRateLimiter(shared, createRateLimiter()));
    assert.equal(await countAtOnce(planes, 1_200), 200);
    assert.ok(shared.asked < 80, `${shared.asked} of 200`);
    await moveTime(1_000);
    assert.equal(await countAtOnce(planes, 1_200), 20);
  });

  test("a plane that is busy renews its lease before it has run out, so that no call waits for the store", async (context) => {
    const shared = await sharedCounts(context);
    const rates = createSharedRateLimiter(shared, createRateLimiter());
    await rates.take(rated(6_000), 0, signal);
    let waited = 0;
    // Two seconds of a steady rate, below the limit.
    for (let call = 0; call < 160; call += 1) {
      const taken = rates.take(rated(6_000), 0, signal);
      if (taken !== undefined) waited += 1;
      await taken;
      await moveTime(12.5);
    }
    assert.equal(waited, 0);
    assert.ok(shared.asked < 12, `${shared.asked} requests`);
  });

  test("planes that all want more than there is exceed the limit by a second's worth each at most", async (context) => {
    const shared = await sharedCounts(context);
    const planes = [1, 2, 3].map(() => createSharedRateLimiter(shared, createRateLimiter()));
    const [perMinute, seconds, burst] = [1_200, 10, 200];
    let taken = 0;
    for (let step = 0; step < seconds * 10; step += 1) {
      taken += await countAtOnce(planes, perMinute);
      await moveTime(100);
    }
    const most = (perMinute / 60) * seconds + burst;
    assert.ok(
      taken > most * 0.9 && taken <= most + planes.length * (perMinute / 60),
      `${taken} of ${most}`,
    );
  });

  test("turns that were taken ahead and not used are good for a second only", async (context) => {
    const shared = await sharedCounts(context);
    const [first, second] = [1, 2].map(() =>
      createSharedRateLimiter(shared, createRateLimiter()),
    ) as [RateLimiter, RateLimiter];
    // One call, and nineteen turns in hand.
    await first.take(rated(1_200), 0, signal);
    await moveTime(60_000);
    const taken = (await countAtOnce([second], 1_200)) + (await countAtOnce([first], 1_200));
    assert.equal(taken, 200);
  });

  test("a call waits for its turn whichever plane has promised the ones before", async (context) => {
    const shared = await sharedCounts(context);
    const [first, second] = [1, 2].map(() =>
      createSharedRateLimiter(shared, createRateLimiter()),
    ) as [RateLimiter, RateLimiter];
    await first.take(rated(6), 0, signal);
    await assert.rejects(async () => second.take(rated(6), 60_000, signal), {
      code: "RATE_LIMITED",
      message: /takes 6 calls a minute .* comes in 10 s/,
    });
    await moveTime(6_000);
    const waiting = Promise.resolve(second.take(rated(6), 60_000, signal));
    await assert.rejects(async () => first.take(rated(6), 60_000, signal), {
      code: "RATE_LIMITED",
    });
    await moveTime(4_000);
    await waiting;
  });

  test("while the store is unreachable each plane counts for itself", async (context) => {
    const shared = await sharedCounts(context);
    shared.away = true;
    const planes = [1, 2].map(() => createSharedRateLimiter(shared, createRateLimiter()));
    assert.equal(await countAtOnce(planes, 60), 20);
  });
});
