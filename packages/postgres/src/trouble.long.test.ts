import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseStoreAddress } from "@toolplane/core/model/config/settings";
import type { PostgresAddress } from "@toolplane/core/model/packages";
import type { Store } from "@toolplane/core/model/store";
import { callEntry } from "@toolplane/test/contracts/records";
import { type RunningPostgres, startPostgres } from "@toolplane/test/fixtures/postgres";
import { until } from "@toolplane/test/fixtures/until";
import { sampleRun } from "@toolplane/test/samples/jobs";
import { openPool } from "./pool.ts";
import { openPostgresStore } from "./postgres.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

function addressOf(url: string): PostgresAddress {
  const address = parseStoreAddress(url);
  assert.ok("kind" in address && address.kind === "postgres");
  return address;
}

async function openFor(context: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore(addressOf(url));
  context.after(() => store.close());
  return store;
}

test("a connection that ends just as it is handed over ends nothing else", async () => {
  const { pool } = await openPool(addressOf(server.address()), "power");
  const given = new Promise<void>((resolve, reject) =>
    pool.connect((failed, client, release) => {
      if (!client) return reject(failed ?? new Error("no connection"));
      // In the same breath, before anybody who waits for the promise of a connection could listen.
      client.emit("error", new Error("terminating connection due to administrator command"));
      release(true);
      resolve();
    }),
  );
  await given;
  await pool.end();
});

/** The server and the processes it started stand still, as in a machine that was put to sleep. */
async function freeze(): Promise<() => void> {
  const rows = await server.run(
    "SELECT pid FROM pg_stat_activity UNION SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int",
  );
  const pids = rows.map(({ pid }) => Number(pid));
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch {
        // Who asked for the list has left by now.
      }
  };
  signal("SIGSTOP");
  return () => signal("SIGCONT");
}

test("a server that stands still is noticed although no connection breaks", async (context) => {
  const url = server.address();
  const store = await openFor(context, url);
  await store.append([callEntry("one")]);
  const thaw = await freeze();
  context.after(thaw);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const refused = { message: /cannot be reached right now/ };
  const asked = assert.rejects(store.calls(), refused);
  let waitedMs = 0;
  for (; store.trouble() === null; waitedMs += 100) {
    context.mock.timers.tick(100);
    await nextTurn();
    assert.ok(waitedMs < 20_000, "the silence was not noticed");
  }
  assert.match(store.trouble()?.reason ?? "", /does not answer/);
  // Waiting calls fail as well as new ones.
  await asked;
  await assert.rejects(store.call("one"), refused);
  context.mock.timers.reset();
  thaw();
  const again = await openFor(context, url);
  assert.equal((await again.calls()).length, 1);
});

test("a store is closed also while its server stands still", async (context) => {
  const store = await openPostgresStore(addressOf(server.address()));
  store.watch(() => undefined);
  await store.append([callEntry("one")]);
  const thaw = await freeze();
  context.after(thaw);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let isClosed = false;
  const closing = store.close().then(() => {
    isClosed = true;
  });
  await until("its end, without a farewell", () => {
    context.mock.timers.tick(1_000);
    return isClosed;
  });
  await closing;
});

test("a server that takes no writes is one that is unreachable, until it takes them again", async (context) => {
  const url = server.address("copied");
  await (await openPostgresStore(addressOf(url))).close();
  await server.run(
    `CREATE ROLE moved LOGIN PASSWORD 'moved' SUPERUSER;
     ALTER ROLE moved SET default_transaction_read_only = on`,
  );
  const store = await openFor(context, `postgres://moved:moved@${url.split("@").at(-1)}`);
  assert.deepEqual(await store.calls(), []);
  await assert.rejects(store.append([callEntry("one")]), (error: Error & { data?: object }) => {
    assert.match(error.message, /takes no writes. Name the primary server/);
    assert.deepEqual(error.data, { lost: true, locked: true });
    return true;
  });
  assert.match(store.trouble()?.reason ?? "", /takes no writes/);
  await server.run("ALTER ROLE moved RESET default_transaction_read_only");
  await until("the store to be back", () => store.trouble() === null);
  await store.append([callEntry("one")]);
  assert.equal((await store.calls()).length, 1);
});

test("an address without a password, and TLS that the server does not speak, are named with what to do", async () => {
  const open = (url: string) => openPostgresStore(addressOf(url));
  await assert.rejects(open(server.address().replace(/:[^:@]*@/, "@")), {
    message: /asks for a password, and its address has none. Set PGPASSWORD/,
  });
  const warned: string[] = [];
  const hear = ({ message }: Error) => warned.push(message);
  process.on("warning", hear);
  for (const mode of ["verify-full", "require"])
    await assert.rejects(open(`${server.address()}&sslmode=${mode}`), {
      message: /does not speak TLS/,
    });
  await nextTurn();
  process.off("warning", hear);
  assert.deepEqual(warned, []);
});

test("what a person has to mend is reported as something that is taken later", async (context) => {
  const store = await openFor(context, server.address("filled"));
  await server.run(
    `CREATE FUNCTION filled.refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON filled.calls FOR EACH STATEMENT EXECUTE FUNCTION filled.refuse()`,
  );
  await assert.rejects(store.append([callEntry("one")]), (error: Error & { data?: object }) => {
    assert.match(error.message, /has no room left. Free some space on its disk/);
    assert.deepEqual(error.data, { locked: true, later: true });
    return true;
  });
  assert.equal(store.trouble(), null);
});

for (const [ms, said] of [
  [60_000, /\d\d s ahead of that of the database.*same time server/],
  [-60_000, /\d\d s behind that of the database/],
  [1_000, null],
] as const)
  test(`a clock that is ${ms / 1_000} s off is ${said === null ? "close enough" : "told of"}`, async (context) => {
    const warned = context.mock.method(process, "emitWarning", () => undefined);
    const url = server.address("clocks");
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() + ms });
    await openFor(context, url);
    const texts = warned.mock.calls
      .map(({ arguments: [text] }) => String(text))
      // The database of the tests does not wait for its disk.
      .filter((text) => !text.includes("'fsync = off'"));
    assert.equal(texts.length, said === null ? 0 : 1);
    if (said !== null) assert.match(texts.join(), said);
  });

for (const ms of [300_000, -300_000])
  test(`a run of a plane whose clock is ${ms / 1_000} s off is due by the clock of the database`, async (context) => {
    context.mock.method(process, "emitWarning", () => undefined);
    const url = server.address(ms > 0 ? "ahead" : "behind");
    const usual = await openFor(context, url);
    const work = await usual.dueWork();
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() + ms });
    const off = await openFor(context, url);
    const theirs = await off.dueWork();
    const dueAt = new Date().toISOString();
    await off.addJobRun(sampleRun("one", { dueAt }));
    context.mock.timers.reset();
    const items = await work.take({ run: 1, deadLetter: 0 }, new Set());
    assert.deepEqual(
      items.map((item) => [item.id, item.dueAt]),
      [["one", dueAt]],
    );
    await Promise.all([work.stop(), theirs.stop()]);
  });

test("a store that is closed while a task waits for a second connection is closed, and its process ends with 0", async () => {
  const child = fileURLToPath(import.meta.resolve("@toolplane/test/fixtures/closing-child"));
  for (const turns of [1, 2]) {
    const running = spawn(process.execPath, [child, server.address(), String(turns)], {
      stdio: "inherit",
    });
    const [code] = await once(running, "exit");
    assert.equal(code, 0);
  }
});
