import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { compare } from "../../bench/replicas/compare.ts";
import { compareJobs } from "../../bench/replicas/compare-jobs.ts";
import { runClients } from "../../bench/replicas/load.ts";
import type { Replica } from "../../bench/replicas/replica.ts";
import { nothingTold, type Told } from "../../bench/replicas/told.ts";
import { startWorld, type World } from "../../bench/replicas/world.ts";
import { withoutPgBouncer } from "../fixtures/pgbouncer.ts";
import { until } from "../fixtures/until.ts";
import { eventually } from "./approving.ts";

/** Clients of every kind, until this is disposed of, whatever fails meanwhile. */
function startClients({ door }: World) {
  const told = nothingTold();
  const stopping = new AbortController();
  const clients = runClients(door, told, { clients: 8, stop: stopping.signal });
  return {
    told,
    /** Resolves when so many more calls were answered. */
    async answered(more: number): Promise<void> {
      const enough = told.calls.size + more;
      await until(`${more} more answers`, () => told.calls.size >= enough);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await clients;
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

/** Everything that a client got is there, once: a killed plane stores with its next start what it could not. */
async function assertNothingLost(world: World, told: Told): Promise<void> {
  const { postgres, schema, ledger, door } = world;
  const nothing = {
    callsLost: 0,
    mcpCallsLost: 0,
    approvalsLost: 0,
    answersLost: 0,
    changesLost: 0,
    approvedWrongly: 0,
  };
  const look = () => compare(told, { run: postgres.run, schema, ledger });
  const isNothing = async () => JSON.stringify(await look()) === JSON.stringify(nothing);
  // What is missing in the end is reported by the comparison below.
  await until("the last of it", isNothing).catch(() => undefined);
  assert.deepEqual(await look(), nothing);
  assert.equal(await world.verify(), null);
  // Runs whose plane was killed may go on for longer than a test should; none has done its work twice.
  const jobs = await compareJobs({ door, told, ledger, ticks: [], waitMs: 0 });
  assert.deepEqual(jobs.wrong, []);
  assert.ok(
    told.approvals.size > 0 && told.changes.size > 0 && told.mcpCalls > 0 && told.runs.size > 0,
  );
}

const isReady = (world: World, count: number) =>
  eventually(
    `${count} planes that are ready`,
    async () => world.balancer.ready() === count || undefined,
  );

suite("planes under load", () => {
  test("are stopped, killed and started again, and nothing that was answered is lost", async () => {
    await using world = await startWorld({ count: 2, words: ["--drain-seconds", "1"] });
    const [first, second] = world.replicas as [Replica, Replica];
    using clients = startClients(world);
    const { told, answered } = clients;
    await answered(10);

    // A rolling restart goes unnoticed.
    assert.equal(await first.stop(), 0);
    await first.start();
    await isReady(world, 2);
    await answered(10);
    assert.deepEqual([told.killed, told.unexplained], [[], []]);

    await second.kill();
    await answered(10);
    await second.start();
    await answered(10);
    await clients.stop();
    assert.deepEqual([told.unexplained, world.balancer.cutOff()], [[], []]);
    // Two clients have a session each, and it went on through all of that.
    assert.equal(told.sessions, 2);
    await assertNothingLost(world, told);
  });

  test("lose their connections and then their database, say so, and go on when it is back", async () => {
    await using world = await startWorld({ count: 2 });
    using clients = startClients(world);
    const { told, answered } = clients;
    await answered(10);

    const cut =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'toolplane'";
    for (let round = 0; round < 3; round += 1) {
      await world.postgres.run(cut);
      await answered(5);
    }
    assert.deepEqual([told.killed, told.unexplained], [[], []]);

    await world.postgres.stop();
    await isReady(world, 0);
    await world.postgres.start();
    await isReady(world, 2);
    await answered(10);
    await clients.stop();
    const strange = told.unexplained.filter(
      ({ status, reason }) => status !== 503 || !/STORE_FAILED|^none/.test(reason),
    );
    assert.deepEqual([strange, world.balancer.cutOff()], [[], []]);
    assert.equal(told.sessions, 2);
    await assertNothingLost(world, told);
  });

  test("share the sessions of PgBouncer, which is started again twice, and nothing is lost", {
    skip: withoutPgBouncer,
  }, async () => {
    await using world = await startWorld({
      count: 2,
      isPooled: true,
      words: ["--drain-seconds", "1"],
    });
    const [first] = world.replicas as [Replica, Replica];
    using clients = startClients(world);
    const { told, answered } = clients;
    await answered(20);
    assert.deepEqual([told.killed, told.unexplained], [[], []]);

    for (let round = 0; round < 2; round += 1) {
      await world.pooler?.stop();
      await isReady(world, 0);
      await world.pooler?.start();
      await isReady(world, 2);
      await answered(10);
    }
    assert.equal(await first.stop(), 0);
    await first.start();
    await isReady(world, 2);
    await answered(10);
    await clients.stop();
    const strange = told.unexplained.filter(
      ({ status, reason }) => status !== 503 || !/STORE_FAILED|^none/.test(reason),
    );
    assert.deepEqual([strange, world.balancer.cutOff()], [[], []]);
    await assertNothingLost(world, told);
  });
});
