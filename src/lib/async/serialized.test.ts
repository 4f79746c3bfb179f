import assert from "node:assert/strict";
import { test } from "node:test";
import { serialized } from "./once.ts";

test("the next begins when the one before is over, also where that failed", async () => {
  const said: string[] = [];
  const work = serialized(async (name: string) => {
    said.push(`${name} begins`);
    await new Promise(setImmediate);
    said.push(`${name} ends`);
    if (name === "first") throw new Error("no");
    return name;
  });
  const [first, second] = await Promise.allSettled([work("first"), work("second")]);
  assert.deepEqual(said, ["first begins", "first ends", "second begins", "second ends"]);
  assert.deepEqual([first?.status, second?.status], ["rejected", "fulfilled"]);
});
