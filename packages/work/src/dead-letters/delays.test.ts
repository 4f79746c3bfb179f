import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deadLetterDelayMs } from "./states.ts";

test("an entry rests for one, five, fifteen, thirty and then sixty minutes", () => {
  const plain = [1, 2, 3, 4, 5, 6, 60].map(
    (attempts) => deadLetterDelayMs(attempts, () => 0.5) / 1000,
  );
  assert.deepEqual(plain, [60, 300, 900, 1800, 3600, 3600, 3600]);
});

test("chance moves a rest by a tenth at most, in both directions", () => {
  assert.deepEqual(
    [deadLetterDelayMs(1, () => 0), deadLetterDelayMs(1, () => 1)],
    [54_000, 66_000],
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (tries, chance) => {
        const plain = deadLetterDelayMs(tries, () => 0.5);
        return Math.abs(deadLetterDelayMs(tries, () => chance) - plain) <= plain * 0.1 + 1;
      },
    ),
  );
});
