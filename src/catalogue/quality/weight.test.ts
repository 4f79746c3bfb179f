import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { sampleTool } from "../../../test/samples/calls.ts";
import { createWeigh } from "./score.ts";

const summaryLimit = () => 100;
const restMs = 300;
const maxMs = 5_000;
const sample = (name: string) => sampleTool({ name, parameters: { type: "object", title: name } });
type Weigh = ReturnType<typeof createWeigh>;

async function untilCounted(weigh: Weigh, name: ReturnType<typeof sample>): Promise<void> {
  while (weigh([name])[0]?.fullTokens === null) await new Promise(setImmediate);
}

test("tokens are counted when no list was read for a while", async (context) => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  context.after(() => mock.timers.reset());
  const weigh = createWeigh(summaryLimit);
  const tool = sample("first");
  assert.equal(weigh([tool])[0]?.fullTokens, null);
  mock.timers.tick(restMs - 1);
  assert.equal(weigh([tool])[0]?.fullTokens, null, "the list is read again");
  mock.timers.tick(restMs);
  await untilCounted(weigh, tool);
});

test("tokens are counted even if a list is read again and again", async (context) => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  context.after(() => mock.timers.reset());
  const weigh = createWeigh(summaryLimit);
  const tool = sample("second");
  for (let passed = 0; passed <= maxMs; passed += restMs - 1) {
    weigh([tool]);
    mock.timers.tick(restMs - 1);
  }
  await untilCounted(weigh, tool);
});

test("a count that failed costs a warning, and the next look counts again", async (context) => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  context.after(() => mock.timers.reset());
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  let isBroken = false;
  const weigh = createWeigh(() => {
    if (isBroken) throw new Error("no limit is known");
    return 100;
  });
  const tool = sample("third");
  weigh([tool]);
  isBroken = true;
  mock.timers.tick(restMs);
  await new Promise(setImmediate);
  isBroken = false;
  assert.match(String(warned.mock.calls[0]?.arguments[0]), /cannot be counted: no limit is known/);
  weigh([tool]);
  mock.timers.tick(restMs);
  await untilCounted(weigh, tool);
});
