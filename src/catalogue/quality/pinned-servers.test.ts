import assert from "node:assert/strict";
import { test } from "node:test";
import * as scan from "../../../packages/scan/src/scan.ts";
import type { Pin } from "../../model/catalogue/pin.ts";
import { createPinnedServers } from "./pinned-servers.ts";

const tool = (name: string, description = `The tool ${name}`, more: object = {}) => ({
  name,
  description,
  inputSchema: { type: "object" },
  ...more,
});
const all = { first: true, later: true };

/** As much of a store as pins need. */
function memory() {
  const pins = new Map<string, Pin>();
  const known = new Set<string>();
  return {
    pins,
    pinnedServer: async (identity: string) => ({
      isKnown: known.has(identity),
      heads: [...pins.values()],
    }),
    async addPins(identity: string, _: string, added: readonly Pin[]) {
      known.add(identity);
      for (const pin of added) if (!pins.has(pin.tool)) pins.set(pin.tool, pin);
    },
  };
}

const uninformed = () => false;

test("a change that comes before the first definitions are written is a change of those", async () => {
  const store = memory();
  const pinned = createPinnedServers(async () => store, scan, uninformed);
  pinned.listed("s", "id", [tool("a"), tool("b")]);
  assert.deepEqual(await pinned.loaded(), ["s"]);
  assert.equal(pinned.look("s", "a")?.status, "pinned");
  pinned.listed("s", "id", [tool("a", "Something else"), tool("b"), tool("c")]);
  const status = () => ["a", "b", "c"].map((name) => pinned.look("s", name)?.status);
  assert.deepEqual(status(), ["changed", "pinned", "new"]);
  await pinned.settle("s", all, () => undefined);
  assert.deepEqual(status(), ["changed", "pinned", "new"]);
  assert.equal(store.pins.get("a")?.definition?.description, "The tool a");
  await pinned.settle("s", all, () => undefined);
  assert.deepEqual(status(), ["changed", "pinned", "pinned"]);
});

test("one definition that cannot be written keeps no other from being pinned, and is never the same again", async () => {
  let deep: object = {};
  for (let depth = 0; depth < 20_000; depth++) deep = { deep };
  const store = memory();
  const pinned = createPinnedServers(async () => store, scan, uninformed);
  pinned.listed("s", "id", [tool("odd", "Odd", { outputSchema: deep }), tool("a")]);
  await pinned.loaded();
  await pinned.settle("s", all, () => undefined);
  assert.deepEqual([...store.pins.keys()].sort(), ["a", "odd"]);
  pinned.listed("s", "id", [tool("odd", "Odd", { outputSchema: deep }), tool("a")]);
  assert.equal(pinned.look("s", "odd")?.status, "changed");
  assert.equal(pinned.look("s", "a")?.status, "pinned");
});

test("of two tools of one name the first counts, and what is not listed is unknown", async () => {
  const pinned = createPinnedServers(async () => memory(), scan, uninformed);
  pinned.listed("s", "id", [tool("a", "First"), tool("a", "Second"), "nonsense", null]);
  await pinned.loaded();
  assert.equal(pinned.look("s", "a")?.entry.description, "First");
  assert.equal(pinned.look("s", "b"), null);
  pinned.forget("s");
  assert.equal(pinned.look("s", "a"), null);
});

test("definitions that could not be written are not forgotten: what is written later are those that were seen first", async () => {
  const store = memory();
  let isFull = true;
  const failing = {
    ...store,
    addPins: async (...given: Parameters<typeof store.addPins>) => {
      if (isFull) throw new Error("the disk is full");
      await store.addPins(...given);
    },
  };
  const pinned = createPinnedServers(async () => failing, scan, uninformed);
  pinned.listed("s", "id", [tool("a")]);
  await pinned.loaded();
  await assert.rejects(
    pinned.settle("s", all, () => undefined),
    /full/,
  );
  pinned.listed("s", "id", [tool("a", "Something else"), tool("b")]);
  assert.equal(pinned.look("s", "a")?.status, "changed");
  assert.equal(pinned.look("s", "b")?.status, "new");
  isFull = false;
  await pinned.settle("s", all, () => undefined);
  assert.equal(store.pins.get("a")?.definition?.description, "The tool a");
  await pinned.settle("s", all, () => undefined);
  assert.equal(pinned.look("s", "b")?.status, "pinned");
});

test("what another process may have decided is read again until it could be read, and what was read holds meanwhile", async () => {
  const store = memory();
  let isAway = false;
  const pinned = createPinnedServers(
    async () => {
      if (isAway) throw new Error("away");
      return store;
    },
    scan,
    uninformed,
  );
  pinned.listed("s", "id", [tool("a")]);
  await pinned.loaded();
  await pinned.settle("s", all, () => undefined);
  pinned.doubt();
  isAway = true;
  assert.deepEqual(await pinned.loaded(), []);
  assert.equal(pinned.isLoaded(), false);
  assert.equal(pinned.look("s", "a")?.status, "pinned");
  pinned.listed("s", "id", [tool("a", "Another text")]);
  assert.equal(pinned.look("s", "a")?.status, "changed");
  pinned.listed("s", "id", [tool("a")]);
  pinned.listed("other", "never read", [tool("a")]);
  await assert.rejects(pinned.loaded(), /away/);
  isAway = false;
  await pinned.loaded();
  assert.equal(pinned.isLoaded(), true);
});

test("what differs from its pin is read again with each look only where other processes would not tell", async () => {
  let isInformed = false;
  const pinned = createPinnedServers(
    async () => memory(),
    scan,
    () => isInformed,
  );
  pinned.listed("s", "id", [tool("a")]);
  await pinned.loaded();
  pinned.listed("s", "id", [tool("a", "Another text")]);
  await pinned.loaded();
  assert.equal(pinned.look("s", "a")?.status, "changed");
  assert.equal(pinned.isLoaded(), false);
  await pinned.loaded();
  isInformed = true;
  assert.equal(pinned.look("s", "a")?.status, "changed");
  assert.equal(pinned.isLoaded(), true);
  pinned.doubt();
  assert.equal(pinned.isLoaded(), false);
});
