import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { sharedCounts } from "../../../test/samples/shared-counts.ts";
import { createRateLimiter, createSharedRateLimiter, type Rated, type RateLimiter } from "./rate-limiter.ts";

const { signal } = new AbortController();
const rated = (perMinute: number): Rated => ({
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

  test("turns that were taken ahead and not used are good for a second only", async (context) => {
    const shared = await sharedCounts(context);
    const [first, second] = [1, 2].map(() => createSharedRateLimiter(shared, createRateLimiter())) as [
      RateLimiter,
      RateLimiter,
    ];
    // One call, and nineteen turns in hand.
    await first.take(rated(1_200), 0, signal);
    await moveTime(60_000);
    const taken = (await countAtOnce([second], 1_200)) + (await countAtOnce([first], 1_200));
    assert.equal(taken, 200);
  });

  test("a call waits for its turn whichever plane has promised the ones before", async (context) => {
    const shared = await sharedCounts(context);
    const [first, second] = [1, 2].map(() => createSharedRateLimiter(shared, createRateLimiter())) as [
      RateLimiter,
      RateLimiter,
    ];
    await first.take(rated(6), 0, signal);
    await assert.rejects(async () => second.take(rated(6), 60_000, signal), {
      code: "RATE_LIMITED",
      message: /takes 6 calls a minute .* comes in 10 s/,
    });
    await moveTime(6_000);
    const waiting = Promise.resolve(second.take(rated(6), 60_000, signal));
    await assert.rejects(async () => first.take(rated(6), 60_000, signal), { code: "RATE_LIMITED" });
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
