import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { once } from "../lib/async/once.ts";
import type { DueHandler, DueItem } from "../model/store.ts";
import { handleOnDemand } from "./handle-on-demand.ts";

const dayMs = 24 * 3_600_000;
const item: DueItem = { kind: "run", id: "a", group: "a" };

/** A handler, how often it was loaded, and what it and its records were asked. */
function sample() {
  const world = { hasWork: false, hasRecords: false, loads: 0, asked: 0, told: [] as string[] };
  const handler: DueHandler = {
    kind: "run",
    lookMs: 1,
    room: () => 7,
    onLook: async (now, hasJumpedBack) => void world.told.push(`look ${now} ${hasJumpedBack}`),
    async begin({ id }) {
      world.told.push(`begin ${id}`);
      return { is: "over" };
    },
  };
  const load = once(async () => {
    world.loads += 1;
    return { handler };
  });
  const onDemand = handleOnDemand({
    kind: "run",
    lookMs: 10_000,
    load,
    room: 1,
    mayHaveWork: async () => world.hasWork,
    async hasRecords() {
      world.asked += 1;
      return world.hasRecords;
    },
  });
  return { world, load, onDemand };
}

suite("a handler that is loaded on demand", () => {
  test("is not loaded by looks at nothing, and records are asked for once a day", async () => {
    const { world, onDemand } = sample();
    for (const now of [0, 10_000, dayMs - 1]) await onDemand.onLook(now, false);
    assert.deepEqual([world.loads, world.asked, onDemand.room()], [0, 1, 1]);
    world.hasRecords = true;
    await onDemand.onLook(dayMs, true);
    assert.deepEqual([world.loads, world.asked, world.told], [1, 2, [`look ${dayMs} true`]]);
  });

  test("is loaded by the look that finds work, and has room as it says itself from then on", async () => {
    const { world, onDemand } = sample();
    await onDemand.onLook(0, false);
    world.hasWork = true;
    await onDemand.onLook(1, false);
    world.hasWork = false;
    await onDemand.onLook(2, false);
    assert.deepEqual(
      [world.loads, world.told, onDemand.room()],
      [1, ["look 1 false", "look 2 false"], 7],
    );
  });

  test("is loaded by the first item, and looks when something else has loaded it", async () => {
    const first = sample();
    assert.deepEqual(await first.onDemand.begin(item), { is: "over" });
    assert.deepEqual([first.world.loads, first.world.told], [1, ["begin a"]]);
    const second = sample();
    await second.load();
    await second.onDemand.onLook(0, false);
    assert.deepEqual([second.world.asked, second.world.told], [0, ["look 0 false"]]);
  });

  test("asks for records again when the store could not be read", async () => {
    let isBroken = true;
    const { world, load } = sample();
    const onDemand = handleOnDemand({
      kind: "run",
      lookMs: 1,
      load,
      room: 1,
      mayHaveWork: async () => false,
      async hasRecords() {
        if (isBroken) throw new Error("the store is gone");
        return true;
      },
    });
    await assert.rejects(onDemand.onLook(0, false), /gone/);
    isBroken = false;
    await onDemand.onLook(1, false);
    assert.equal(world.loads, 1);
  });
});
