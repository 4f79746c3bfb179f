import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bossSchema } from "../../packages/postgres/src/pg-boss.ts";
import { openPostgresStore } from "../../packages/postgres/src/postgres.ts";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import { type EngineWorld, gate, planeOn } from "../contracts/engine-planes.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { until } from "../fixtures/until.ts";
import { sampleLetter } from "../samples/dead-letters.ts";
import { sampleJob, sampleRun } from "../samples/jobs.ts";
import { moveClocks } from "./boss-clock.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

function addressOf(url: string) {
  const address = parseStoreAddress(url);
  assert.ok("kind" in address && address.kind === "postgres");
  return address;
}

function worldOn(schema: string, url = server.address(schema)): EngineWorld {
  return {
    open: () => openPostgresStore(addressOf(url)),
    later: (ms) => moveClocks(server, schema, ms),
    leftOver: async () => {
      const [row] = await server.run(`SELECT count(*) AS count FROM ${bossSchema(schema)}.job`);
      return Number(row?.count);
    },
  };
}

test("what was due before anybody gave it out, and what was imported, is done once a plane starts", async () => {
  const world = worldOn("before");
  const job = sampleJob("digest");
  const source = await worldOn("source").open();
  await source.addJobRun(sampleRun("imported", {}, job));
  const store = await world.open();
  await store.writeAll(source.readAll);
  await source.close();
  const soon = new Date(Date.now() + 60_000).toISOString();
  await store.addJobRun(sampleRun("old", {}, job));
  await store.addDeadLetter(sampleLetter("letter", { nextRetryAt: soon }), 10);
  await store.close();
  await using plane = await planeOn(world, { jobs: [job] });
  await plane.start();
  await until("both runs are over", () => plane.ended.length === 2);
  assert.equal(await world.leftOver(), 1, "the call waits for its time");
  await using second = await planeOn(world, { jobs: [job] });
  await second.start();
  assert.equal(await world.leftOver(), 1, "nothing is given out twice");
});

test("the database goes away in the middle: what is under way ends, and what was due meanwhile is done", async () => {
  const world = worldOn("outage");
  const job = sampleJob("digest");
  const { work, begun, open } = gate();
  await using plane = await planeOn(world, { jobs: [job], work });
  await plane.start();
  await plane.store.addJobRun(sampleRun("first", {}, job));
  await until("it is under way", () => begun.length === 1);
  await plane.store.addJobRun(sampleRun("second", {}, job));
  await server.stop();
  await until("that is noticed", () => plane.store.trouble() !== null);
  plane.loop.wake();
  // What it has done by then can only be written down later.
  open();
  await server.start();
  await until("both are over", () => plane.ended.length === 2);
  assert.deepEqual(
    plane.ended.map(({ state, starts }) => [state, starts]),
    [
      ["succeeded", 1],
      ["succeeded", 1],
    ],
  );
});

test("a user who may create nothing works in what the owner has set up, and learns what is missing before", async () => {
  const owner = worldOn("owned");
  await (await owner.open()).close();
  await server.run(`CREATE ROLE worker LOGIN PASSWORD 'worker';
    GRANT USAGE ON SCHEMA owned TO worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA owned TO worker`);
  const url = `postgres://worker:worker@${server.address("owned").split("@").at(-1)}`;
  const job = sampleJob("digest");
  {
    await using plane = await planeOn(worldOn("owned", url), { jobs: [job] });
    await assert.rejects(plane.start(), {
      code: "STORE_FAILED",
      message: /does not let this user do this. Grant it the rights that docs\/stores\.md lists/,
    });
  }
  {
    await using plane = await planeOn(owner, {});
    await plane.start();
  }
  await server.run(`GRANT USAGE ON SCHEMA owned_jobs TO worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA owned_jobs TO worker`);
  await using plane = await planeOn(worldOn("owned", url), { jobs: [job] });
  await plane.start();
  await plane.store.addJobRun(sampleRun("one", {}, job));
  await until("it is over", () => {
    plane.loop.wake();
    return plane.ended.length === 1;
  });
});

test("a schema with a long name has queues of its own, too", () => {
  const long = "a".repeat(63);
  const names = [bossSchema("toolplane"), bossSchema(long), bossSchema(`${long.slice(1)}b`)];
  assert.deepEqual([names[0], new Set(names).size], ["toolplane_jobs", 3]);
  for (const name of names) assert.ok(name.length <= 50, name);
});
