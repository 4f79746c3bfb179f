import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { parseStoreAddress } from "@toolplane/core/model/config/settings";
import { type Store, stateTables } from "@toolplane/core/model/store";
import { callEntry, sampleEntry } from "@toolplane/test/contracts/records";
import { storeContract } from "@toolplane/test/contracts/store";
import {
  postgresPassword,
  type RunningPostgres,
  startPostgres,
} from "@toolplane/test/fixtures/postgres";
import { openPostgresStore } from "./postgres.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

function open(url: string): Promise<Store> {
  const address = parseStoreAddress(url);
  assert.ok("kind" in address && address.kind === "postgres");
  return openPostgresStore(address);
}

storeContract("a store on a Postgres server", async () => {
  const url = server.address();
  let store = await open(url);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(url);
      return store;
    },
    dispose: () => store.close(),
  };
});

async function openFor(context: TestContext, url: string): Promise<Store> {
  const store = await open(url);
  context.after(() => store.close());
  return store;
}

/** Refused, with a message that names the store, says what to do and has no password in it. */
async function assertRefused(url: string, remedy: RegExp): Promise<void> {
  await assert.rejects(open(url), (error: Error & { code?: string; cause?: Error }) => {
    assert.equal(error.code, "STORE_FAILED");
    assert.match(error.message, remedy);
    for (const text of [error.message, String(error.cause?.message)]) {
      assert.ok(
        !text.includes(postgresPassword) && !text.includes(encodeURIComponent(postgresPassword)),
      );
    }
    return true;
  });
}

test("planes that start at once on an empty database set it up once", async (context) => {
  const url = server.address("user");
  const stores = await Promise.all(Array.from({ length: 6 }, () => openFor(context, url)));
  await Promise.all(stores.map((store, at) => store.append([callEntry(`call-${at}`)])));
  const { ok, calls } = await (stores[0] as Store).verifyCalls();
  assert.deepEqual([ok, calls], [true, 6]);
  const [row] = await server.run(
    `SELECT count(*) = max(id) AS once FROM "user".toolplane_migrations`,
  );
  assert.equal(row?.once, true);
});

test("an export has every table but what is over soon or can be made again", async () => {
  await (await open(server.address("whole"))).close();
  const rows = await server.run(
    "SELECT relname FROM pg_class WHERE relnamespace = 'whole'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
  );
  const again = ["streams", "stream_days", "stream_minutes"];
  const left = new Set(["toolplane_migrations", "shared_values", "vectors", "payloads", ...again]);
  const kept = rows.map(({ relname }) => String(relname)).filter((name) => !left.has(name));
  assert.deepEqual(kept.toSorted(), Object.keys(stateTables).toSorted());
});

test("a schema of a newer version, and one of another program, are refused and not touched", async () => {
  const url = server.address("newer");
  await (await open(url)).close();
  await server.run("INSERT INTO newer.toolplane_migrations (id) VALUES (999)");
  await assertRefused(url, /newer version: it has format 999.*Update this installation/);
  await server.run("CREATE SCHEMA theirs; CREATE TABLE theirs.albums (title text)");
  await assertRefused(server.address("theirs"), /another program.*'\?schema='/);
  const tables = await server.run("SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'");
  assert.deepEqual(tables, [{ tablename: "albums" }]);
});

test("a wrong password, a missing database and a user without rights are reported with their remedy", async () => {
  const url = server.address();
  await assertRefused(url.replace("keeper:", "stranger:"), /does not know this user or password/);
  await assertRefused(url.replace("/postgres?", "/nothing?"), /does not have this database/);
  await server.run("CREATE ROLE guest LOGIN PASSWORD 'guest'");
  const guest = `postgres://guest:guest@${url.split("@").at(-1)}`;
  await assertRefused(guest, /does not let this user do this.*docs\/stores\.md/);
});

test("a user who may only use what is there can work with a schema that another user set up", async (context) => {
  const url = server.address("shared");
  await (await open(url)).close();
  await server.run(
    `CREATE ROLE worker LOGIN PASSWORD 'worker';
     GRANT USAGE ON SCHEMA shared TO worker;
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shared TO worker;
     GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA shared TO worker;
     GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA shared TO worker;
     REVOKE UPDATE ON shared.calls, shared.call_checkpoints FROM worker;
     REVOKE DELETE ON shared.call_checkpoints FROM worker`,
  );
  const store = await openFor(context, `postgres://worker:worker@${url.split("@").at(-1)}`);
  await store.append([
    callEntry("one"),
    callEntry("two"),
    callEntry("new", { at: "2026-04-01T00:00:00.000Z" }),
  ]);
  assert.equal(await store.forgetCalls("2026-03-15T00:00:00.000Z"), 1);
  assert.equal((await store.verifyCalls()).ok, true);
});

test("recorded calls can be neither changed nor removed, and who gets around that is found out", async (context) => {
  const store = await openFor(context, server.address("chain"));
  await store.append([callEntry("one"), callEntry("two"), callEntry("three")]);
  await assert.rejects(server.run("UPDATE chain.calls SET tool = 'other'"), /cannot be changed/);
  await assert.rejects(server.run("DELETE FROM chain.calls"), /behind a checkpoint/);
  await assert.rejects(server.run("TRUNCATE chain.calls"), /cannot be changed/);
  await server.run(
    "SET session_replication_role = replica; UPDATE chain.calls SET tool = 'x' WHERE id = 'two'",
  );
  const { ok, broken } = await store.verifyCalls();
  assert.deepEqual([ok, broken?.id], [false, "two"]);
});

test("several planes write a chain each, and a reader that continues misses nothing", async (context) => {
  const url = server.address();
  const stores = await Promise.all([1, 2, 3].map(() => openFor(context, url)));
  const reader = stores[0] as Store;
  let isWriting = true;
  const seen: number[] = [];
  const reading = (async () => {
    let after = 0;
    for (let last = false; !last; ) {
      last = !isWriting;
      const news = await reader.newSamples(after);
      seen.push(...news.samples.map(({ latencyMs }) => latencyMs));
      after = news.newest;
    }
  })();
  await Promise.all(
    stores.map(async (store, lane) => {
      for (let at = 0; at < 30; at += 1)
        await store.append([
          callEntry(`${lane}-${at}`),
          sampleEntry(`tool:${lane}`, lane * 100 + at),
        ]);
    }),
  );
  isWriting = false;
  await reading;
  assert.deepEqual(
    [(await reader.verifyCalls()).ok, new Set(seen).size, seen.length],
    [true, 90, 90],
  );
});
