import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as library from "../../src/index.ts";
import { live, type Seen } from "../fixtures/outcomes/live.ts";
import { readOutcomes } from "../fixtures/outcomes/recorded.ts";
import { isWholeTier } from "../fixtures/tier.ts";

const { version, lives } = readOutcomes();

/**
 * What is meant to differ, each with its line of CHANGELOG.md: makes what was seen then what has to be seen now. There is no such
 * difference so far.
 */
const intended: readonly ((then: Seen) => Seen)[] = [];

suite(`calls end, are recorded and are reported as in ${version}`, { concurrency: 2 }, () => {
  for (const [at, { steps, seen }] of (isWholeTier ? lives : lives.slice(0, 4)).entries())
    test(`whatever changes between them, in life ${at + 1}`, async () => {
      const calls = steps.filter((step) => "call" in step || "answer" in step);
      const now = await live(library, steps);
      assert.equal(now.length, seen.length);
      for (const [place, then] of seen.entries()) {
        const expected = intended.reduce((before, change) => change(before), then);
        assert.deepEqual({ step: calls[place], ...now[place] }, { step: calls[place], ...expected });
      }
    });
});
