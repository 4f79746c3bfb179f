import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, settled, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { PlaneError } from "../../model/errors.ts";
import { createRateLimiter, type RateLimit, type RateLimiter } from "./rate-limiter.ts";

const { signal } = new AbortController();
const rated = (perMinute: number, key = "server:search"): RateLimit => ({
  key,
  perMinute,
  what: "Server 'search'",
  setting: "rateLimitPerMinute",
  data: { server: "search" },
});

/** How many get through without waiting. */
function countAtOnce(rates: RateLimiter, perMinute: number): number {
  for (let count = 0; ; count += 1) {
    try {
      if (rates.take(rated(perMinute), 0, signal) !== undefined) return count;
    } catch {
      return count;
    }
  }
}

suite("rate limits", () => {
  useMockedTime();

  for (const [perMinute, burst] of [
    [1, 1],
    [6, 1],
    [7, 2],
    [60, 10],
    [61, 11],
  ] as const) {
    test(`of ${perMinute} calls a minute, ${burst} may come at once`, () => {
      assert.equal(countAtOnce(createRateLimiter(), perMinute), burst);
    });
  }

  test("in the long run no more get through than the limit says", async () => {
    const rates = createRateLimiter();
    let passed = 0;
    for (let second = 0; second < 600; second += 1) {
      passed += countAtOnce(rates, 60);
      await moveTime(1_000);
    }
    assert.equal(passed, 10 + 599);
  });

  test("who comes too soon waits in order, as long as the wait is short", async () => {
    const rates = createRateLimiter();
    assert.equal(countAtOnce(rates, 60), 10);
    const waiting = [1, 2].map(() =>
      settled(rates.take(rated(60), 60_000, signal) ?? Promise.resolve()),
    );
    await moveTime(999);
    assert.deepEqual(
      waiting.map(({ state }) => state),
      ["pending", "pending"],
    );
    await moveTime(1);
    assert.deepEqual(
      waiting.map(({ state }) => state),
      ["fulfilled", "pending"],
    );
    await moveTime(1_000);
    assert.deepEqual(
      waiting.map(({ state }) => state),
      ["fulfilled", "fulfilled"],
    );
  });

  test("who would wait longer than 5 s, or than there is time, is refused at once with the moment to come back", () => {
    const rates = createRateLimiter();
    rates.take(rated(6), 60_000, signal);
    assert.throws(() => rates.take(rated(6), 60_000, signal), {
      code: "RATE_LIMITED",
      message:
        "Server 'search' takes 6 calls a minute ('rateLimitPerMinute'), and its next turn comes in 10 s. Call again then.",
      data: {
        server: "search",
        sent: false,
        retryAt: new Date(10_000).toISOString(),
        retryInMs: 10_000,
      },
    });
    const quick = createRateLimiter();
    for (let at = 0; at < 10; at += 1) quick.take(rated(60), 60_000, signal);
    assert.throws(() => quick.take(rated(60), 900, signal), PlaneError);
  });

  test("a refusal uses nothing up", async () => {
    const rates = createRateLimiter();
    rates.take(rated(6), 60_000, signal);
    for (let at = 0; at < 100; at += 1) assert.throws(() => rates.take(rated(6), 60_000, signal));
    await moveTime(10_000);
    assert.equal(rates.take(rated(6), 0, signal), undefined);
  });

  test("a caller that gives up while it waits leaves its turn to others", async () => {
    const rates = createRateLimiter();
    countAtOnce(rates, 60);
    const impatient = new AbortController();
    const given = settled(rates.take(rated(60), 60_000, impatient.signal) ?? Promise.resolve());
    impatient.abort(new Error("enough"));
    await moveTime(0);
    assert.equal(given.reason<Error>().message, "enough");
    await moveTime(1_000);
    assert.equal(rates.take(rated(60), 0, signal), undefined);
  });

  test("each is counted on its own, and what is not used is forgotten", async () => {
    const rates = createRateLimiter();
    for (const key of ["a", "b", "c"])
      assert.equal(rates.take(rated(6, key), 0, signal), undefined);
    assert.equal(rates.size(), 3);
    await moveTime(60_000);
    rates.take(rated(6, "a"), 0, signal);
    assert.equal(rates.size(), 1);
  });

  test("another limit holds from the next call on", () => {
    const rates = createRateLimiter();
    assert.equal(countAtOnce(rates, 600), 100);
    assert.equal(countAtOnce(rates, 6), 0);
  });
});
