import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, suite, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Begun, DueHandler, DueItem, DueWork } from "../model/store.ts";
import { createDueLoop } from "./due-loop.ts";

const item = (id: string, group = id): DueItem => ({ kind: "run", id, group });

async function move(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

/** What is due until it is settled, and what is said about it. */
function sampleLoop(due: DueItem[], begin: (item: DueItem) => Promise<Begun>) {
  const world = {
    due: [...due],
    back: [] as [string, number][],
    told: [] as string[],
    looks: 0,
    nextAt: null as number | null,
  };
  let broken: string | null = null;
  const taken = new Set<string>();
  const work: DueWork = {
    lookMs: 1e9,
    async take({ run }, without) {
      world.looks += 1;
      if (broken !== null) throw new Error(broken);
      const free = world.due
        .filter(({ id, group }) => !taken.has(id) && !without.has(group))
        .slice(0, run);
      for (const { id } of free) taken.add(id);
      return free;
    },
    async settle({ id }) {
      world.due = world.due.filter((one) => one.id !== id);
    },
    async giveBack({ id }, at) {
      taken.delete(id);
      world.back.push([id, at]);
    },
    nextAt: async () => world.nextAt,
    stop: async () => undefined,
  };
  const handler: DueHandler = {
    kind: "run",
    lookMs: 10_000,
    onLook: async () => {},
    room: () => 2,
    begin,
  };
  const loop = createDueLoop({
    open: async () => work,
    handlers: [handler],
    onTrouble: (thrown) => void world.told.push(String(thrown)),
  });
  const breakDown = (reason: string | null) => {
    broken = reason;
  };
  return { loop, world, breakDown };
}

suite("the loop that takes what is due", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 }));
  afterEach(() => mock.timers.reset());

  test("settles what is over, and takes no more of what this plane cannot do until it has learned something", async () => {
    const seen: string[] = [];
    let knows = false;
    const { loop, world } = sampleLoop(
      [item("a"), item("b", "x"), item("c", "x")],
      async ({ id, group }) => {
        seen.push(id);
        return group === "x" && !knows ? { is: "unknown" } : { is: "over" };
      },
    );
    loop.start();
    await move(0);
    assert.deepEqual(seen, ["a", "b"]);
    await move(10_000);
    assert.deepEqual(seen, ["a", "b"], "nothing has changed");
    knows = true;
    loop.changed();
    await move(0);
    assert.deepEqual([seen, world.due], [["a", "b", "b", "c"], []]);
    await loop.stop();
  });

  test("what has begun is settled or given back when it ends, and what cannot be begun comes again", async () => {
    const ends = new Map<string, (at: number | null) => void>();
    const { loop, world } = sampleLoop([item("a"), item("b")], async ({ id }) => ({
      is: "begun",
      ended: new Promise((resolve) => ends.set(id, resolve)),
    }));
    loop.start();
    await move(0);
    ends.get("a")?.(null);
    ends.get("b")?.(70_000);
    await move(0);
    assert.deepEqual([world.due.map(({ id }) => id), world.back], [["b"], [["b", 70_000]]]);
    await loop.halt();
    ends.get("b")?.(null);
    await loop.stop();
  });

  test("a store that fails is reported once for each reason and asked again; an item that fails comes again", async () => {
    const { loop, world, breakDown } = sampleLoop([item("a")], async () => {
      throw new Error("no such table");
    });
    breakDown("disk");
    loop.start();
    await move(0);
    await move(5_000);
    assert.deepEqual(world.told, ["Error: disk"]);
    breakDown(null);
    await move(5_000);
    assert.deepEqual(world.told, ["Error: disk", "Error: no such table"]);
    assert.deepEqual(world.back, [["a", 15_000]]);
    await loop.stop();
  });

  test("looks when something is due, and from time to time", async () => {
    const { loop, world } = sampleLoop([], async () => ({ is: "over" }));
    world.nextAt = 3_000;
    loop.start();
    await move(0);
    await move(2_999);
    assert.equal(world.looks, 1);
    await move(1);
    assert.equal(world.looks, 2);
    world.nextAt = null;
    loop.wake();
    await move(0);
    await move(9_999);
    assert.equal(world.looks, 3);
    await move(1);
    assert.equal(world.looks, 4);
    await loop.stop();
  });
});
