import assert from "node:assert/strict";
import { test } from "node:test";
import * as scan from "../../../packages/scan/src/scan.ts";
import { until } from "../../../test/fixtures/until.ts";
import type { Config } from "../../model/config/config.ts";
import { ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createGuard } from "./guard.ts";

const definition = ServerDefinition.parse({ command: "x", transport: "stdio" });
const tool = { name: "a", description: "The tool a", inputSchema: { type: "object" } };
const security = { pinning: "quarantine", newTools: "quarantine", poisoning: "off" };

/** A guard on a store in memory that can be away. */
async function guardOn(poisoning: "off" | null = "off", more: { settleAfterMs?: number } = {}) {
  const store = await openSqliteStore(":memory:");
  const world = { isAway: false };
  const settings = { security: { ...security, poisoning } };
  const open = async (): Promise<Store> => {
    if (world.isAway) throw new Error("away");
    return store;
  };
  const guard = createGuard(
    {
      store: open,
      isInformed: () => false,
      emit: () => undefined,
      directoryOf: () => "/",
      tools: () => [],
      isWritten: () => false,
      config: () => settings as unknown as Config,
      ...more,
    },
    scan,
  );
  return { guard, store, world, [Symbol.asyncDispose]: () => store.close() };
}

test("a server whose pins could not be read or written once is pinned when the store is back", async () => {
  await using given = await guardOn();
  const { guard, store, world } = given;
  world.isAway = true;
  guard.listed("s", definition, [tool]);
  guard.asked("s");
  await guard.settled();
  assert.equal(guard.isLoaded(), false);
  world.isAway = false;
  await guard.loaded();
  await guard.settled();
  const [identity = ""] = guard.pinned.identities();
  assert.equal((await store.pinnedServer(identity)).heads.length, 1);
  assert.equal(guard.isLoaded(), true);
});

test("other work goes on while a long list is scanned, and nothing is left to scan afterwards", async () => {
  await using given = await guardOn(null);
  const { guard } = given;
  const description = "QUJDREVG".repeat(1_000);
  const entries = Array.from({ length: 60 }, (_, at) => ({
    ...tool,
    name: `t${at}`,
    description: description + at,
  }));
  guard.listed("s", definition, entries);
  assert.equal(guard.isLoaded(), false);
  let isDone = false;
  let turns = 0;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await guard.loaded();
  isDone = true;
  assert.ok(turns > 3, `${turns} turns`);
  assert.equal(guard.isLoaded(), true);
});

test("a process that ends before pins are written leaves none, and those of a server are written together", async () => {
  await using given = await guardOn(null, { settleAfterMs: 3_600_000 });
  const { guard, store } = given;
  guard.listed("s", definition, [tool, { ...tool, name: "b" }]);
  guard.asked("s");
  await guard.loaded();
  const [identity = ""] = guard.pinned.identities();
  // Turns enough for pins that would be written at once.
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  // Listed and scanned, and nothing is on record yet: at another start it would be new again.
  assert.equal(guard.isLoaded(), true);
  assert.deepEqual(await store.pinnedServer(identity), { isKnown: false, heads: [] });
  // What it lists meanwhile is compared with the first listing, which is the one that is pinned.
  const changed = { ...tool, description: "Another tool" };
  guard.listed("s", definition, [changed]);
  await guard.loaded();
  assert.equal(guard.review("s", "a")?.change, "changed");
  await guard.settled();
  const { isKnown, heads } = await store.pinnedServer(identity);
  assert.deepEqual([isKnown, heads.map((head) => head.tool).sort()], [true, ["a", "b"]]);
  assert.equal(guard.review("s", "a")?.change, "changed");
});

test("what was listed is pinned as soon as something is called, whatever else is listed", async () => {
  await using given = await guardOn(null, { settleAfterMs: 3_600_000 });
  const { guard, store } = given;
  guard.listed("s", definition, [tool]);
  guard.asked("s");
  await guard.loaded();
  const [identity = ""] = guard.pinned.identities();
  guard.hurry();
  await until("the pin", async () => (await store.pinnedServer(identity)).heads.length > 0);
});
