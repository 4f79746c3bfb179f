import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createPlane, type Plane } from "../../src/index.ts";
import { inMemory, toolServer } from "../../src/testing/testing.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { startHttpFixture, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { assertFailed, callsAt, errorOf } from "./support.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

async function started(options: Parameters<typeof createPlane>[0]): Promise<Plane> {
  const plane = await createPlane(options);
  plane.start();
  return plane;
}

/** Tools that say how many calls there were at once, from all planes. */
function countingServer() {
  const seen = { now: 0, most: 0, calls: 0 };
  const work = toolServer({
    work: {
      async run() {
        seen.now += 1;
        seen.calls += 1;
        seen.most = Math.max(seen.most, seen.now);
        await pause(20);
        seen.now -= 1;
        return "done";
      },
    },
  });
  return { seen, entry: () => inMemory(work) };
}

suite("limits that planes share", () => {
  for (const [total, planes] of [
    [4, 2],
    [1, 2],
  ] as const)
    test(`${planes} planes together send ${total} calls at once at most, and each gets its part`, async () => {
      const { seen, entry } = countingServer();
      const store = server.address(`slots_${total}`);
      const config = { policy: { profile: "personal" as const } };
      const open = () =>
        started({ config, store, servers: { busy: { ...entry(), sharedConcurrency: total } } });
      await using left = await open();
      await using right = await open();
      const answered = { left: 0, right: 0 };
      const isShared = () => answered.left > 0 && answered.right > 0;
      const lane = (plane: Plane, side: "left" | "right") =>
        Array.from({ length: 60 }, async () => {
          // Neither stops calling before the other has got its part.
          do {
            const { ok, error } = await plane.call("busy.work", {}, { timeoutMs: 0 });
            assert.ok(ok, error?.message);
            answered[side] += 1;
          } while (!isShared());
        });
      await Promise.all([...lane(left, "left"), ...lane(right, "right")]);
      assert.deepEqual([seen.calls, seen.most], [answered.left + answered.right, total]);
    });

  test("a circuit that one plane opens is open on the other, and closes for both", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using failing = await startHttpFixture("http", ["--fail", "3", "--log", log]);
    const circuit = { failures: 3, openMs: 60_000 };
    const config = {
      mcpServers: { failing: { url: failing.url, circuit, retry: { attempts: 1 } } },
    };
    const store = server.address("circuits");
    await using left = await started({ config, store });
    await using right = await started({ config, store });
    const stateOn = async (plane: Plane) => (await plane.servers.get("failing")).circuit?.state;
    const call = (plane: Plane) => plane.call("failing.add", { a: 1, b: 2 });
    await right.tools.list();
    // Until it listens it would not hear of it.
    await until("that both listen", async () => {
      const rows = await server.run("SELECT FROM pg_stat_activity WHERE query = 'SELECT 1'");
      return rows.length >= 2;
    });
    for (let at = 0; at < 3; at += 1) assert.equal((await call(left)).ok, false);
    assert.equal(await stateOn(left), "open");
    await until("that the other plane knows", async () => (await stateOn(right)) === "open");
    const refused = await call(right);
    assertFailed(refused, "SERVER_UNAVAILABLE", "failed");
    assert.match(errorOf(refused).message, /circuit open since .*, after 3 failures in a row/);
    assert.equal(callsAt(log).length, 3);
    // A person tries it on the other plane.
    await right.servers.connect("failing");
    await until("that it is closed for both", async () => (await stateOn(left)) === "closed");
    assert.equal((await call(left)).ok, true);
  });
});
