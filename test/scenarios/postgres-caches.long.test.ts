import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { createPlane, type Plane } from "../../src/index.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { startHttpFixture } from "../fixtures/start-server.ts";
import { startTcpProxy } from "../fixtures/tcp-proxy.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "./support.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

async function planeOn(store: string, more: Record<string, { url: string }> = {}): Promise<Plane> {
  // No profile is named: whether there are keys decides with each call.
  const rules = ["echo.echo", "shout", "far.echo"].map((tool) => ({
    tool,
    verdict: "allow" as const,
  }));
  const plane = await createPlane({
    config: { mcpServers: { echo: fixture("echo"), ...more }, policy: { rules } },
    store,
  });
  plane.start();
  assert.equal((await plane.call("echo.echo", { message: "the store is open" })).ok, true);
  return plane;
}

/** Whether the plane takes this key. */
async function takes(plane: Plane, secret: string): Promise<boolean> {
  try {
    await plane.identity.identify(secret);
    return true;
  } catch (thrown) {
    assert.equal((thrown as { code?: string }).code, "UNAUTHENTICATED", String(thrown));
    return false;
  }
}

/** A tool that says the same under another name. */
const shout = {
  name: "shout",
  description: "Says it aloud",
  side_effects: "none",
  providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
} satisfies Parameters<Plane["tools"]["set"]>[0];
const isThere = async (plane: Plane, name: string) =>
  (await plane.tools.list()).some((tool) => tool.name === name);
/** Keys have a test of their own: on a busy machine a plane may hear nothing for a moment, and reads them then. */
const kept = ["entries", "pins", "pinned_servers", "known_servers", "secrets"];

suite("what a plane keeps in memory of its store", () => {
  test("is all that a call needs: pins, tools and tokens of servers are not read while no one changes them", async () => {
    await using far = await startHttpFixture("http");
    await using plane = await planeOn(server.address("kept"), { far: { url: far.url } });
    const { secret } = await plane.keys.create({ name: "agent" });
    await plane.tools.set(shout);
    const call = async () => {
      const caller = plane.as(await plane.identity.identify(secret));
      for (const tool of ["echo.echo", "shout", "far.echo"]) {
        const { ok, error } = await caller.call(tool, { message: "hi" });
        assert.ok(ok, error?.message);
      }
    };
    await call();
    // Until it is certain that it hears of changes.
    await until("that it listens", async () => {
      const rows = await server.run("SELECT FROM pg_stat_activity WHERE query = 'SELECT 1'");
      return rows.length > 0;
    });
    const holder = new pg.Client(server.address("kept"));
    await holder.connect();
    await holder.query(
      `BEGIN; ${kept.map((table) => `LOCK TABLE kept.${table} IN ACCESS EXCLUSIVE MODE`).join(";")}`,
    );
    // Longer than what is kept counts without news.
    const end = performance.now() + 2_500;
    for (let calls = 0; calls < 50 || performance.now() < end; calls += 1) await call();
    // A call that read one of them would wait for the lock.
    await holder.end();
  });

  test("follows what another plane does, and also when the connection that listens is ended", async () => {
    const store = server.address("followed");
    await using left = await planeOn(store);
    await using right = await planeOn(store);
    const keys = await Promise.all(["a", "b"].map((name) => left.keys.create({ name })));
    for (const { key, secret } of keys) {
      await until("that the other plane takes it", () => takes(right, secret));
      await left.keys.revoke(key.id);
      assert.equal(await takes(left, secret), false);
      await until("that the other plane refuses it", async () => !(await takes(right, secret)));
      // The second time no connection listens.
      await server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'",
      );
    }
    await left.tools.set(shout);
    await until("the tool on the other plane", () => isThere(right, "shout"));
  });

  test("is not trusted when the connection that listens falls silent", async () => {
    const store = server.address("silent");
    await using network = await startTcpProxy(Number(new URL(store).port));
    await using left = await planeOn(store);
    await using right = await planeOn(`${store}&direct=${network.host}`);
    const { key, secret } = await left.keys.create({ name: "agent" });
    await until("that the other plane takes it", () => takes(right, secret));
    network.freeze();
    await left.keys.revoke(key.id);
    await until("that the other plane refuses it", async () => !(await takes(right, secret)));
    await left.tools.set(shout);
    await until("the tool on the other plane", () => isThere(right, "shout"));
    network.thaw();
    await left.tools.delete("shout");
    await until("its end", async () => !(await isThere(right, "shout")));
  });
});
