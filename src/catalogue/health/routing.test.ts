import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { moveClocks } from "../../../test/samples/mocked-time.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import { createRouting } from "./routing.ts";

const spec: ProviderSpec = { name: "mcp", priority: 0, health_check_interval: 300, config: {} };

suite("what is remembered of providers", () => {
  test("a failed one cools down for 1, 2, 4 … 60 seconds, and a success clears that", () => {
    moveClocks({ mock }, 1_000_000);
    try {
      const routing = createRouting(() => 0.5);
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
        routing.failed("t", "a", "it broke.");
        assert.match(routing.cooldown("t", "a") ?? "", /^next try in \d+ s, after it broke/);
        mock.timers.tick(seconds * 1_000 - 1);
        assert.notEqual(routing.cooldown("t", "a"), null);
        mock.timers.tick(1);
        assert.equal(routing.cooldown("t", "a"), null, `after ${seconds} s it is asked again`);
      }
      routing.failed("t", "a", "again");
      routing.worked("t", "a");
      assert.equal(routing.cooldown("t", "a"), null);
      assert.deepEqual(routing.state("t", "a"), {
        healthy: true,
        failures: 0,
        backoff_until: null,
        last_error: null,
      });
      routing.failed("t", "a", "once");
      assert.equal(
        routing.state("t", "a").backoff_until,
        new Date(Date.now() + 1_000).toISOString(),
      );
    } finally {
      mock.reset();
    }
  });

  test("the gaps vary by a fifth", () => {
    moveClocks({ mock }, 0);
    try {
      for (const [random, ms] of [
        [0, 800],
        [1, 1_200],
      ] as const) {
        const routing = createRouting(() => random);
        routing.failed("t", "a", "x");
        assert.equal(Date.parse(routing.state("t", "a").backoff_until ?? ""), ms);
      }
    } finally {
      mock.reset();
    }
  });

  test("a provider that asks for a longer cooldown gets it, up to an hour", () => {
    moveClocks({ mock }, 0);
    try {
      const routing = createRouting(() => 0.5);
      const until = () => Date.parse(routing.state("t", "a").backoff_until ?? "");
      routing.failed("t", "a", "x", 30_000);
      assert.equal(until(), 30_000);
      routing.failed("t", "a", "x", 500);
      assert.equal(until(), 2_000, "never less than it would rest anyway");
      routing.failed("t", "a", "x", 86_400_000);
      assert.equal(until(), 3_600_000);
    } finally {
      mock.reset();
    }
  });

  test("one provider's trouble is not another's, nor another tool's", () => {
    const routing = createRouting();
    routing.failed("t", "a", "x");
    assert.equal(routing.cooldown("t", "b"), null);
    assert.equal(routing.cooldown("other", "a"), null);
  });

  test("a check is due once in its interval, and never when that is 0", () => {
    moveClocks({ mock }, 1_000_000);
    try {
      const routing = createRouting();
      const due = Array.from({ length: 10 }, () => routing.takeCheck("t", "a", spec));
      assert.deepEqual(due.filter(Boolean).length, 1);
      mock.timers.tick(300_000);
      assert.equal(routing.takeCheck("t", "a", spec), true);
      assert.equal(routing.takeCheck("t", "b", { ...spec, health_check_interval: 0 }), false);
    } finally {
      mock.reset();
    }
  });
});
