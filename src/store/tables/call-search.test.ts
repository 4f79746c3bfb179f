import assert from "node:assert/strict";
import { test } from "node:test";
import { callEntry } from "../../../test/contracts/records.ts";
import { createSqliteConnection } from "../sqlite/connection.ts";
import { openDatabase } from "../sqlite/open-database.ts";
import { createDatabase } from "../sqlite.ts";
import { findCalls } from "./call-search.ts";
import { insertCalls } from "./calls.ts";
import type { Database, Work } from "./database.ts";

/** Numbers of a shared store: the day is above these bits. */
const dayBits = 38;

test("who looks for few calls of many days asks about days, not about the numbers between them", async () => {
  const connection = createSqliteConnection(
    await openDatabase(":memory:"),
    ":memory:",
    () => undefined,
  );
  const database = createDatabase(connection);
  const days = [20_000, 20_001, 20_030];
  const numbered = days.flatMap((day) =>
    ["rare", "often"].map((server, at) => ({
      entry: callEntry(`${day}-${server}`, { server }),
      sequence: day * 2 ** dayBits + at + 1,
    })),
  );
  await database.write(() => insertCalls(database, numbered as never));
  let asked = 0;
  const read: Database["read"] = <T>(work: () => Work<T>) => {
    asked += 1;
    return asked > 50 ? Promise.reject(new Error("asked without end")) : database.read(work);
  };
  const idsOf = async (filter: Parameters<typeof findCalls>[1]) =>
    (await findCalls({ ...database, read }, filter)).map(({ id }) => id);
  assert.deepEqual(await idsOf({ server: "rare", limit: 50 }), [
    "20030-rare",
    "20001-rare",
    "20000-rare",
  ]);
  assert.deepEqual(await idsOf({ server: "rare", limit: 2 }), ["20030-rare", "20001-rare"]);
  assert.deepEqual(await idsOf({ server: "rare", limit: 9, before: "20001-rare" }), ["20000-rare"]);
  assert.deepEqual(await idsOf({ server: "none", limit: 50 }), []);
  await connection.close();
});
