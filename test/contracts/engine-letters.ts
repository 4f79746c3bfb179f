import assert from "node:assert/strict";
import { until } from "../fixtures/until.ts";
import { sampleLetter } from "../samples/dead-letters.ts";
import type { EnginePromises } from "./engine.ts";
import { planeOn } from "./engine-planes.ts";

const soon = () => new Date(Date.now() + 60_000).toISOString();

export const dueLetterPromises: EnginePromises = {
  "a call that failed is made again when its time comes, once, by one of two planes that know it":
    async (world) => {
      const calls: string[] = [];
      const call = async ({ id }: { id: string }) => calls.push(id) > 0;
      await using left = await planeOn(world, { call });
      await using right = await planeOn(world, { call });
      await using stranger = await planeOn(world, {
        call: async () => assert.fail("unknown"),
        knows: false,
      });
      for (const plane of [stranger, left, right]) await plane.start();
      for (const id of ["a", "b", "c"])
        await left.store.addDeadLetter(sampleLetter(id, { nextRetryAt: soon() }), 10);
      await until("it is known of", async () => (await left.store.deadLetters({})).total === 3);
      assert.deepEqual(calls, [], "too early");
      using _later = await world.later(61_000);
      const resolved = async () => (await left.store.deadLetters({ status: "resolved" })).total;
      await until("they are resolved", async () => {
        for (const plane of [stranger, left, right]) plane.loop.wake();
        return (await resolved()) === 3;
      });
      assert.equal(calls.length, 3);
      await until("nothing is left", async () => (await world.leftOver()) === 0);
    },

  "a retry that was called off comes up again when it was due before, and one whose plane is gone costs a try":
    async (world) => {
      const ends = [false, true];
      await using plane = await planeOn(world, { call: async () => ends.shift() ?? true });
      await plane.start();
      const lease = { until: soon(), was: { status: "pending", nextRetryAt: null } } as const;
      const lost = { status: "retrying", lease, nextRetryAt: null, repeatable: true } as const;
      await plane.store.addDeadLetter(
        sampleLetter("off", { nextRetryAt: soon(), repeatable: true }),
        10,
      );
      await plane.store.addDeadLetter(sampleLetter("lost", lost), 10);
      using _later = await world.later(61_000);
      const stateOf = async (id: string) => {
        const letter = await plane.store.deadLetter(id);
        return [letter?.status, letter?.attempts];
      };
      await until("the first is resolved", async () => {
        plane.loop.wake();
        return (await stateOf("off"))[0] === "resolved";
      });
      await until("the second is free", async () => (await stateOf("lost"))[0] === "pending");
      assert.deepEqual(await stateOf("lost"), ["pending", 2]);
      assert.equal(await world.leftOver(), 1, "its next try is still to come");
    },
};
