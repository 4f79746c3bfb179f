import assert from "node:assert/strict";
import { test } from "node:test";
import { yieldEvery } from "./pause.ts";

test("a turn is over after its time, and the next one begins when others had theirs", async () => {
  const short = yieldEvery(0);
  assert.equal(short.isOver(), true);
  const order: string[] = [];
  setImmediate(() => order.push("another"));
  await short.next();
  order.push("we");
  assert.deepEqual(order, ["another", "we"]);
  const long = yieldEvery(60_000);
  await long.next();
  assert.equal(long.isOver(), false);
});
