import assert from "node:assert/strict";
import { test } from "node:test";
import { createEndpoints } from "./endpoints.ts";

class Down extends Error {
  readonly retryAfterMs: number | undefined;
  constructor(retryAfterMs?: number) {
    super("down");
    this.retryAfterMs = retryAfterMs;
  }
}

function start() {
  let time = 0;
  let asked = 0;
  const endpoints = createEndpoints({
    firstMs: 1_000,
    maxMs: 8_000,
    failureOf: (thrown) => (thrown instanceof Down ? { retryAfterMs: thrown.retryAfterMs } : null),
    refuse: (failure, restMs) => new Error(`${(failure as Error).message} for ${restMs}`),
    now: () => time,
  });
  const ask = (outcome: unknown) =>
    endpoints.ask("a", async () => {
      asked += 1;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  return {
    endpoints,
    ask,
    asked: () => asked,
    move(ms: number) {
      time += ms;
    },
  };
}

test("an endpoint that fails rests twice as long each time, up to the limit, and is itself again after one success", async () => {
  const { ask, endpoints, move } = start();
  const rests: number[] = [];
  for (let failure = 0; failure < 6; failure += 1) {
    await assert.rejects(ask(new Down()), { message: "down" });
    rests.push(endpoints.restMs("a"));
    await assert.rejects(ask("unused"), { message: `down for ${rests.at(-1)}` });
    move(rests.at(-1) ?? 0);
  }
  assert.deepEqual(rests, [1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  assert.equal(await ask("back"), "back");
  await assert.rejects(ask(new Down()), { message: "down" });
  assert.equal(endpoints.restMs("a"), 1_000);
});

test("a wait that the endpoint names is kept, and no more than five minutes of it", async () => {
  const { ask, endpoints, move } = start();
  await assert.rejects(ask(new Down(30_000)));
  assert.equal(endpoints.restMs("a"), 30_000);
  move(30_000);
  await assert.rejects(ask(new Down(86_400_000)));
  assert.equal(endpoints.restMs("a"), 300_000);
});

test("a refusal is no failure of the endpoint", async () => {
  const { ask, endpoints } = start();
  await assert.rejects(ask(new Error("not you")), { message: "not you" });
  assert.equal(endpoints.restMs("a"), 0);
});

test("after its rest one request finds out, and requests that failed together are one failure", async () => {
  const { ask, asked, endpoints, move } = start();
  await Promise.allSettled([ask(new Down()), ask(new Down()), ask(new Down())]);
  assert.equal(endpoints.restMs("a"), 1_000);
  move(1_000);
  const before = asked();
  const outcomes = await Promise.allSettled([ask("back"), ask("back"), ask("back")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected"],
  );
  assert.equal(asked() - before, 1);
});

test("those who want the same at once share its answer and its failure; later ones ask again", async () => {
  const { endpoints } = start();
  let runs = 0;
  const work = () =>
    endpoints.share("same", async () => {
      runs += 1;
      throw new Error(`failure ${runs}`);
    });
  const [first, second] = await Promise.allSettled([work(), work()]);
  assert.deepEqual([first?.status, second?.status, runs], ["rejected", "rejected", 1]);
  await assert.rejects(work(), { message: "failure 2" });
});
