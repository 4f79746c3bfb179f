import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { planeOf, processFixture } from "./support.ts";

const carriedBytes = 16 * 1024;
const calls = 4_000;

test("what a call held is freed with the young objects, without a full collection", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;
  await using plane = await planeOf({ one: processFixture("echo") });
  const callAll = async (count: number) => {
    let left = count;
    const caller = async () => {
      while (left-- > 0) {
        const carried: number[] = new Array(carriedBytes / 8).fill(left);
        // The call holds this function, and the function holds what is carried.
        const askHere = async () =>
          carried.includes(-1) ? { decision: "approve" as const } : null;
        await plane.call("one.echo", { message: "hi" }, { askHere });
      }
    };
    await Promise.all(Array.from({ length: 16 }, caller));
  };
  await callAll(calls);
  collect();
  const before = process.memoryUsage().heapUsed;
  await callAll(calls);
  collect({ type: "minor" });
  collect({ type: "minor" });
  const keptPerCall = (process.memoryUsage().heapUsed - before) / calls;
  assert.ok(
    keptPerCall < carriedBytes / 2,
    `${Math.round(keptPerCall)} bytes of each call are kept`,
  );
});
