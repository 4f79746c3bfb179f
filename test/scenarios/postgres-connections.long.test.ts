import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { createPlane, type Outcome, type Plane } from "../../src/index.ts";
import { principalOf } from "../../src/model/principal.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { eventually } from "./approving.ts";
import { fixture } from "./support.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

/** A plane whose only tool asks first, so that each call is a change in the store. */
async function planeOn(
  schema: string,
  more: { dataDirectory?: string; store?: string } = {},
): Promise<Plane> {
  const rules = [{ tool: "echo.put_note", verdict: "ask" as const }];
  const plane = await createPlane({
    config: { mcpServers: { echo: fixture("echo") }, policy: { profile: "personal", rules } },
    store: server.address(schema),
    ...more,
  });
  await plane.call("echo.echo", { message: "the store is open" });
  return plane;
}

const ask = (plane: Plane): Promise<Outcome> =>
  plane.call("echo.put_note", { key: "k", text: "t" }, { approvalWaitMs: 0 });

/** A statement that needs what this one locks waits until it is disposed of. */
async function hold(statement: string): Promise<AsyncDisposable> {
  const client = new pg.Client(server.address());
  await client.connect();
  await client.query(`BEGIN; ${statement}`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

const ofPlanes = "pg_stat_activity WHERE application_name = 'toolplane'";
const lockTable = (table: string) => hold(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);

/** Ends connections of planes that wait for this, as an administrator or a failing network would, until it is enough. */
function cutWhoWaitsFor(
  event: string,
  isEnough: (cut: number) => boolean = (cut) => cut > 0,
): Promise<true> {
  return eventually(`a session that waits for ${event}`, async () => {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE application_name = 'toolplane' AND wait_event = '${event}'`;
    return isEnough((await server.run(sql)).length) || undefined;
  });
}

/** The call waits for a yes, and it is there once. */
async function assertHeldOnce(plane: Plane, { error }: Outcome): Promise<void> {
  assert.equal(error?.code, "APPROVAL_REQUIRED", JSON.stringify(error));
  const held = await plane.approvals.list();
  assert.deepEqual(
    held.map(({ id }) => id),
    [error?.data.approvalId],
  );
}

test("a connection that is cut in the middle of a change costs no one anything", async () => {
  await using plane = await planeOn("cut");
  const lock = await lockTable("cut.held_calls");
  const asked = ask(plane);
  await cutWhoWaitsFor("relation");
  await lock[Symbol.asyncDispose]();
  await assertHeldOnce(plane, await asked);
});

test("a change whose connection is cut before it is committed is made again, and once", async () => {
  await using plane = await planeOn("undone");
  // The first commit takes longer than anybody waits.
  await server.run(`
    CREATE SEQUENCE undone.commits;
    CREATE FUNCTION undone.rest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('undone.commits') = 1 THEN PERFORM pg_sleep(60); END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER rest AFTER INSERT ON undone.held_calls
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION undone.rest()`);
  const asked = ask(plane);
  await cutWhoWaitsFor("PgSleep");
  await assertHeldOnce(plane, await asked);
});

test("a change whose connection is cut after it was committed is not made again", async () => {
  await using plane = await planeOn("done");
  // A commit waits for a copy that does not exist, with everything done already.
  await server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await server.run("SELECT pg_reload_conf()");
  let isAnswered = false;
  const asked = ask(plane).finally(() => {
    isAnswered = true;
  });
  await cutWhoWaitsFor("SyncRep", () => isAnswered);
  await server.run("ALTER SYSTEM RESET synchronous_standby_names");
  await server.run("SELECT pg_reload_conf()");
  await assertHeldOnce(plane, await asked);
});

test("a plane whose connections are all in use says so, stays ready, and goes on when they are free", async () => {
  await using plane = await planeOn("crowded");
  const lock = await lockTable("crowded.held_calls");
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => ask(plane)));
  assert.deepEqual([...new Set(outcomes.map(({ error }) => error?.code))], ["STORE_FAILED"]);
  const said = outcomes.map(({ error }) => error?.message).join("\n");
  assert.match(said, /was busy for too long.*what holds its locks/);
  assert.match(
    said,
    /every connection of this plane was in use for too long. Try again in a moment/,
  );
  assert.deepEqual(await plane.readiness(), { ready: true });
  await lock[Symbol.asyncDispose]();
  await assertHeldOnce(plane, await ask(plane));
});

test("a plane has no more connections than its address allows, whatever is asked of it at once", async () => {
  const store = `${server.address("budget")}&connections=5`;
  await using plane = await planeOn("budget", { store });
  plane.start();
  const counts: number[] = [];
  const busy = Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const { error } = await ask(plane);
      assert.equal(error?.code, "APPROVAL_REQUIRED", JSON.stringify(error));
      await Promise.all([plane.calls.list(), plane.events.lastId(), plane.keys.list()]);
      // In the middle of it all connections break, and it looks whether the server is there.
      if (at === 30) await server.run(`SELECT pg_terminate_backend(pid) FROM ${ofPlanes}`);
    }),
  );
  let isOver = false;
  const over = busy.finally(() => {
    isOver = true;
  });
  while (!isOver)
    counts.push(Number((await server.run(`SELECT count(*) AS count FROM ${ofPlanes}`))[0]?.count));
  await over;
  await eventually("that it listens again", async () => {
    const listening = await server.run(`SELECT FROM ${ofPlanes} AND query = 'SELECT 1'`);
    return listening.length > 0 || undefined;
  });
  const most = Math.max(...counts);
  assert.ok(most >= 3 && most <= 5, `${most} at once`);
  assert.equal((await plane.approvals.list()).length, 60);
});

test("calls are answered and recorded while another plane stands still in the middle of its record", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await planeOn("still", { dataDirectory: directory.path });
  const journal = "SELECT pg_advisory_xact_lock(hashtextextended('toolplane/still/journal', 0))";
  const lock = await hold(
    `${journal}; SELECT still.announce_numbers(), nextval('still.record_numbers')`,
  );
  for (const message of ["a", "b", "c"]) {
    const { ok, call } = await plane.call("echo.echo", { message });
    assert.deepEqual([ok, call.warnings], [true, []]);
  }
  assert.equal((await plane.calls.list()).length, 4);
  // A reader of events goes on only when it is certain that none is missing.
  const [last] = await server.run("SELECT max(sequence) AS newest FROM still.calls");
  assert.ok((await plane.events.lastId()) < Number(last?.newest));
  await lock[Symbol.asyncDispose]();
  assert.ok((await plane.events.lastId()) >= Number(last?.newest));
  assert.equal((await plane.calls.verify()).ok, true);
});

test("a read waits for what its own caller did, and for no one else", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await planeOn("waited", { dataDirectory: directory.path });
  const as = (user: string) => plane.as(principalOf({ user, scopes: ["*"] }));
  const [ann, bob] = [as("ann"), as("bob")];
  // No batch of this plane can be stored meanwhile.
  const lock = await hold("SELECT FROM waited.streams WHERE id = 1 FOR UPDATE");
  assert.equal((await ann.call("echo.echo", { message: "waits" })).ok, true);
  let isRead = false;
  const own = ann.calls.list().then((calls) => {
    isRead = true;
    return calls;
  });
  const usersIn = (calls: Awaited<typeof own>) => calls.map(({ principal }) => principal.user);
  assert.ok(!usersIn(await bob.calls.list()).includes("ann"));
  assert.equal(isRead, false);
  await lock[Symbol.asyncDispose]();
  assert.equal(usersIn(await own)[0], "ann");
});
