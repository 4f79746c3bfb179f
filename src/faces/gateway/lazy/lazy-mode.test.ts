import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plane } from "../../../model/plane.ts";
import type { Surface } from "../surfaces.ts";
import { plainView, type View } from "../view.ts";
import { createLazyMode } from "./lazy-mode.ts";

/** A plane with so many tools, of which more than ten are too many. */
function world(mode: "auto" | "always" | "never", view: Partial<View> = {}) {
  let config = { lazy: { mode } };
  let named = new Map();
  const surface = {
    view: { ...plainView, ...view },
    tools: { named: async () => named },
  } as unknown as Surface;
  const plane = {
    config: () => config,
    tools: { isLazy: async ({ tools }: { tools: unknown[] }) => tools.length > 10 },
  } as unknown as Plane;
  const lazy = createLazyMode(plane);
  return {
    isLazy: () => lazy.isLazy(surface),
    isSettled: () => lazy.isSettled(surface),
    setTools: (count: number) => {
      named = new Map(
        Array.from({ length: count }, (_, at) => [at, { description: "", parameters: {} }]),
      );
    },
    reload: () => {
      config = { ...config };
    },
  };
}

test("what the address says counts, and then the configuration", async () => {
  assert.equal(await world("never", { mode: "lazy" }).isLazy(), true);
  assert.equal(await world("always", { mode: "full" }).isLazy(), false);
  assert.equal(await world("always").isLazy(), true);
  assert.equal(await world("never").isLazy(), false);
  assert.equal(world("always").isSettled(), true);
  assert.equal(world("always", { mode: "full" }).isSettled(), false);
});

test("who gets many tools later gets few of them, and does not get all of them again", async () => {
  const { isLazy, isSettled, setTools, reload } = world("auto");
  setTools(5);
  assert.deepEqual([await isLazy(), isSettled()], [false, false]);
  setTools(50);
  assert.deepEqual([await isLazy(), isSettled()], [true, true]);
  setTools(5);
  assert.equal(await isLazy(), true);
  reload();
  assert.equal(await isLazy(), false);
});
