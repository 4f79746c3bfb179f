import assert from "node:assert/strict";
import { after, before, suite, type TestContext, test } from "node:test";
import { parseStoreAddress } from "@toolplane/core/model/config/settings";
import type { Store } from "@toolplane/core/model/store";
import { callEntry } from "@toolplane/test/contracts/records";
import { storeContract } from "@toolplane/test/contracts/store";
import { apiKey } from "@toolplane/test/contracts/store-api-keys";
import {
  type PgBouncer,
  startPgBouncer,
  withoutPgBouncer,
} from "@toolplane/test/fixtures/pgbouncer";
import { type RunningPostgres, startPostgres } from "@toolplane/test/fixtures/postgres";
import { until } from "@toolplane/test/fixtures/until";
import pg from "pg";
import { openPostgresStore } from "./postgres.ts";

suite("behind PgBouncer in transaction mode", { skip: withoutPgBouncer }, () => {
  let server: RunningPostgres;
  let pooler: PgBouncer;
  before(async () => {
    server = await startPostgres();
    pooler = await startPgBouncer(server.address());
  });
  after(async () => {
    await pooler[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  function open(url: string): Promise<Store> {
    const address = parseStoreAddress(url);
    assert.ok("kind" in address && address.kind === "postgres");
    return openPostgresStore(address);
  }
  async function openFor(context: TestContext, url: string): Promise<Store> {
    const store = await open(url);
    context.after(() => store.close());
    return store;
  }

  storeContract("a store behind PgBouncer", async () => {
    const url = pooler.through(server.address());
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

  test("stores in two schemas share the sessions of the server, and nothing else", async (context) => {
    const left = await openFor(context, pooler.through(server.address("pooled_left")));
    const right = await openFor(context, pooler.through(server.address("pooled_right")));
    const sides = [left, right];
    for (let round = 0; round < 5; round += 1)
      await Promise.all(
        sides.flatMap((store, side) =>
          Array.from({ length: 8 }, async (_, at) => {
            await store.append([callEntry(`${side}-${round}-${at}`)]);
            await store.changeShared(`counter ${at}`, 60_000, (value) => {
              const count = Number(value?.count ?? 0) + 1;
              return { value: { count }, answer: count };
            });
            assert.equal(
              (await store.call(`${side}-${round}-${at}`))?.id,
              `${side}-${round}-${at}`,
            );
          }),
        ),
      );
    for (const [side, store] of sides.entries()) {
      const ids = (await store.calls({ limit: 100 })).map(({ id }) => id);
      assert.equal(ids.length, 40);
      assert.ok(ids.every((id) => id.startsWith(`${side}-`)));
      assert.deepEqual(await store.sharedValue("counter 3"), { count: 5 });
      assert.equal((await store.verifyCalls()).ok, true);
    }
    // Settings of a session would reach the client that gets it next.
    const strangers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = new pg.Client(pooler.deaf(server.address()));
        await client.connect();
        const { rows } = await client.query(
          "SELECT current_setting('search_path') AS path, pg_sleep(0.2)",
        );
        await client.end();
        return rows[0].path;
      }),
    );
    assert.deepEqual([...new Set(strangers)], ['"$user", public']);
  });

  test("a task is done by one plane at a time, for as long as it takes", async (context) => {
    const url = pooler.through(server.address());
    const [left, right] = [await openFor(context, url), await openFor(context, url)];
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const working = left.alone("tidy", () => {
      begun.resolve();
      return gate.promise;
    });
    await begun.promise;
    // Others get the sessions in between.
    await Promise.all(Array.from({ length: 20 }, () => right.calls()));
    assert.equal(await right.alone("tidy", async () => assert.fail("two at once")), false);
    gate.resolve();
    assert.deepEqual(
      [await working, await right.alone("tidy", async () => undefined)],
      [true, true],
    );
  });

  test("a store that hears directly is informed; one that cannot says how, and looks once a second", async (context) => {
    const warned = context.mock.method(process, "emitWarning", () => undefined);
    const schema = server.address();
    const hearing = await openFor(context, pooler.through(schema));
    const deaf = await openFor(context, pooler.deaf(schema));
    const news = { hearing: 0, deaf: 0 };
    hearing.watch(({ what }) => {
      if (what === "keys") news.hearing += 1;
    });
    deaf.watch(({ what }) => {
      if (what === "keys") news.deaf += 1;
    });
    await until("that one listens", () => hearing.isInformed());
    // Of the disk it warns, too: the database of the tests does not wait for it.
    const warnings = () => warned.mock.calls.map(({ arguments: [text] }) => String(text));
    const aboutNews = () => warnings().filter((text) => !text.includes("'fsync = off'"));
    await until("that the other says that it cannot", () => aboutNews().length > 0);
    assert.match(String(aboutNews()[0]), /passes on no notifications.*\?direct=HOST:PORT/);
    assert.equal(deaf.isInformed(), false);
    const before = news.hearing;
    await deaf.addApiKey(apiKey("first"), "hash");
    await until("the news", () => news.hearing === before + 1);
    const seen = news.deaf;
    await until("the next looks", () => news.deaf >= seen + 2);
    assert.equal(hearing.isInformed(), true);
  });

  test("a pooler that is started again is a database that was unreachable", async (context) => {
    const store = await openFor(context, pooler.through(server.address()));
    await store.append([callEntry("before")]);
    await pooler.stop();
    await assert.rejects(store.append([callEntry("while")]), { code: "STORE_FAILED" });
    await pooler.start();
    await until("that it is back", () => store.trouble() === null);
    await store.append([callEntry("after")]);
    assert.deepEqual(
      (await store.calls()).map(({ id }) => id),
      ["after", "before"],
    );
  });
});
