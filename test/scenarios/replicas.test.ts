import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { compare } from "../../bench/replicas/compare.ts";
import { nothingTold, runClients } from "../../bench/replicas/load.ts";
import type { Replica } from "../../bench/replicas/replica.ts";
import { startWorld } from "../../bench/replicas/world.ts";

/** Resolves when so many more calls were answered. */
async function answered(told: ReturnType<typeof nothingTold>, more: number): Promise<void> {
  const enough = told.calls.size + more;
  while (told.calls.size < enough) await pause(20);
}

test("planes are stopped, killed and started again under load, and nothing that was answered is lost", async () => {
  await using world = await startWorld({ count: 2, words: ["--drain-seconds", "1"] });
  const [first, second] = world.replicas as [Replica, Replica];
  const told = nothingTold();
  const stop = new AbortController();
  // Whatever fails below, the clients end.
  using _clients = { [Symbol.dispose]: () => stop.abort() };
  const clients = runClients(world.balancer.url, 8, stop.signal, told);
  await answered(told, 10);

  // A rolling restart is noticed by nobody.
  assert.equal(await first.stop(), 0);
  await first.start();
  while (world.balancer.ready() < 2) await pause(20);
  await answered(told, 10);
  assert.deepEqual([told.killed, told.unexplained], [0, []]);

  await second.kill();
  await answered(told, 10);
  await second.start();
  await answered(told, 10);
  stop.abort();
  await clients;
  // While the balancer has not noticed yet that the other one is well, it has nobody to ask; no plane has failed then.
  const unexplained = told.unexplained.filter((reason) => !reason.endsWith(": nobody"));
  assert.deepEqual(unexplained, []);
  // Two clients have a session each, and it went on through all of that.
  assert.equal(told.sessions, 2);

  // Whoever was killed stores with its next start what it could not store any more.
  const nothing = { callsLost: 0, mcpCallsLost: 0, approvalsLost: 0, answersLost: 0, changesLost: 0 };
  let lost = await compare(told, world.postgres.run, world.schema);
  for (let looks = 0; looks < 50 && JSON.stringify(lost) !== JSON.stringify(nothing); looks += 1) {
    await pause(100);
    lost = await compare(told, world.postgres.run, world.schema);
  }
  assert.deepEqual(lost, nothing);
  assert.equal(await world.verify(), 0);
  assert.ok(told.approvals.size > 0 && told.changes.size > 0 && told.mcpCalls > 0);
});
