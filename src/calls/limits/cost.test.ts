import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import type { Attempt } from "../../model/calls/call-schema.ts";
import { costField, costOf } from "./cost.ts";

const tool = sampleTool({ metadata: sampleMetadata({ cost_per_call: 0.1, cost_unit: "EUR" }) });
const seen: Attempt = { provider: "mcp", ok: true, durationMs: 1, error: null };
const unsent: Attempt = { ...seen, ok: false, error: "SERVER_UNAVAILABLE", sent: false };

test("every attempt that a provider saw costs what the manifest says, without rests of fractions", () => {
  assert.deepEqual(costField(tool, [seen, unsent, seen, seen]), {
    cost: { amount: 0.3, unit: "EUR" },
  });
  assert.deepEqual(costField(tool, [unsent]), { cost: { amount: 0, unit: "EUR" } });
});

test("what was never tried, is not known or has no price says nothing", () => {
  assert.deepEqual(costField(tool, []), {});
  assert.deepEqual(costField(undefined, [seen]), {});
  assert.deepEqual(costField(sampleTool(), [seen]), {});
});

test("a price without a unit counts in units", () => {
  const free = sampleTool({ metadata: sampleMetadata({ cost_per_call: 0 }) });
  assert.deepEqual(costOf(free, 3), { amount: 0, unit: "units" });
});
