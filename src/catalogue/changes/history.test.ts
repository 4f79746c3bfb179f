import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ServerDefinition } from "../../model/servers/server.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { compareListings, createChangeHistory } from "./history.ts";

type Item = { name: string; text: number };

const byName = ({ name }: Item) => name;

test("what came, what changed and what went is reported, in this order of the new list", async () => {
  const before = [
    { name: "a", text: 1 },
    { name: "b", text: 1 },
    { name: "c", text: 1 },
  ];
  const after = [
    { name: "d", text: 1 },
    { name: "b", text: 2 },
    { name: "a", text: 1 },
  ];
  assert.deepEqual(await compareListings(before, after, byName), [
    { before: null, after: after[0] },
    { before: before[1], after: after[1] },
    { before: before[2], after: null },
  ]);
});

test("the differences lead from one list to the other, whatever they are", async () => {
  const items = fc.uniqueArray(
    fc.record({ name: fc.string({ maxLength: 2 }), text: fc.nat(2) }, { noNullPrototype: true }),
    {
      selector: byName,
      maxLength: 600,
    },
  );
  await fc.assert(
    fc.asyncProperty(items, items, async (before, after) => {
      const reached = new Map(before.map((item) => [item.name, item]));
      for (const pair of await compareListings(before, after, byName)) {
        assert.notDeepEqual(pair.before, pair.after);
        if (pair.after === null) reached.delete(pair.before?.name ?? "");
        else reached.set(pair.after.name, pair.after);
      }
      assert.deepEqual(reached, new Map(after.map((item) => [item.name, item])));
    }),
    { numRuns: 50 },
  );
});

test("others have their turn while long lists are compared", async () => {
  const items = Array.from({ length: 2_000 }, (_, at) => ({ name: String(at), text: at }));
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await compareListings(items, structuredClone(items), byName);
  clearImmediate(next);
  assert.ok(turns >= 7, `${turns} turns`);
});

test("the changes of a server that flaps are coalesced, and the last one counts", async () => {
  const store = await openSqliteStore(":memory:");
  const history = createChangeHistory({
    store: async () => store,
    outlivesUs: true,
    revision: () => 1,
  });
  const definition = ServerDefinition.parse({ transport: "stdio", command: "node" });
  const at = Date.now();
  for (let n = 0; n <= 300; n += 1) {
    const tools = [{ name: "turn", description: `Version ${n}.`, inputSchema: { type: "object" } }];
    const times = {
      eraAt: new Date(at + n).toISOString(),
      listedAt: new Date(at + n).toISOString(),
    };
    history.listed(
      { name: "flaps", definition, era: "legacy", size: 1 },
      { identity: "of-flaps", era: "legacy", ...times, tools },
    );
  }
  await history.settled();
  const { changes, total } = await store.changes({ limit: 1 });
  await store.close();
  assert.ok(total <= 7, `${total} changes of 301 listings`);
  assert.match(JSON.stringify(changes[0]?.after), /Version 300\./);
});
