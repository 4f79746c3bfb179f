import assert from "node:assert/strict";
import type { NewChange } from "../../src/model/catalogue/change.ts";
import type { Pin } from "../../src/model/catalogue/pin.ts";
import type { Promises } from "./opened-store.ts";
import { moment } from "./records.ts";

const pin = (tool: string, more: Partial<Pin> = {}): Pin => ({
  identity: "one",
  server: "s",
  tool,
  state: "seen",
  hash: `hash of ${tool}`,
  quickHash: `quick ${tool}`,
  cleanBy: 1,
  definition: { description: `The tool ${tool}` },
  at: moment,
  by: { user: null, face: null, system: "server s" },
  reason: null,
  ...more,
});

const change = (name: string): NewChange => ({
  at: moment,
  kind: "accepted",
  what: "tool",
  name,
  persona: null,
  source: "mcp:s",
  by: { user: "ada", face: "cli", system: null },
  reason: "looked at it",
  before: null,
  after: { description: "new" },
  count: 1,
  revision: 1,
  audience: { groups: [], persona: null, personas: null },
});

export const pinPromises: Promises = {
  "tells a server that was never seen from one that had no tools": async ({ store }) => {
    assert.deepEqual(await store.pinnedServer("one"), { isKnown: false, heads: [] });
    await store.addPins("one", "s", []);
    assert.deepEqual(await store.pinnedServer("one"), { isKnown: true, heads: [] });
    assert.deepEqual(await store.pinnedServer("two"), { isKnown: false, heads: [] });
  },

  "keeps the pin that came first": async ({ store, reopen }) => {
    await store.addPins("one", "s", [
      pin("a"),
      pin("b", { hash: null, quickHash: null, definition: null }),
    ]);
    await store.addPins("one", "s", [pin("a", { hash: "other" }), pin("c")]);
    const again = await reopen();
    assert.deepEqual(await again.pin("one", "a"), pin("a"));
    assert.deepEqual(
      (await again.pinnedServer("one")).heads.map(({ tool, hash }) => [tool, hash]),
      [
        ["a", "hash of a"],
        ["b", null],
        ["c", "hash of c"],
      ],
    );
    assert.equal(await again.pin("one", "d"), null);
    assert.equal(await again.pin("two", "a"), null);
  },

  "replaces a pin together with what is reported of it": async ({ store }) => {
    await store.addPins("one", "s", [pin("a")]);
    const by = { user: "ada", face: "cli" as const, system: null };
    const accepted = pin("a", {
      state: "accepted",
      hash: "new",
      cleanBy: null,
      by,
      reason: "looked at it",
    });
    await store.putPin({ pin: accepted, change: change("s.a") });
    assert.deepEqual(await store.pin("one", "a"), accepted);
    const { definition: _, ...shown } = accepted;
    assert.deepEqual(await store.pins(["one", "two"]), [shown]);
    const { changes } = await store.changes({ filter: { kind: "accepted" }, limit: 10 });
    assert.deepEqual(
      changes.map(({ name, by: { user } }) => [name, user]),
      [["s.a", "ada"]],
    );
  },
};
