import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { openStore } from "../../src/store/open-store.ts";
import { requireStoreAddress } from "../../src/store/store.ts";
import { auditEntry, callEntry } from "../contracts/records.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

/** What the owner of the database can do. */
const tamper = (schema: string, sql: string) =>
  server.run(`SET session_replication_role = replica; SET search_path = ${schema}; ${sql}`);

async function recorded(schema: string, directory: string): Promise<string> {
  const address = requireStoreAddress(server.address(schema));
  const { store } = await openStore({ address, directory, packages: bundled });
  const at = new Date().toISOString();
  await store.append(["one", "two", "three", "four"].map((id) => callEntry(id, { at })));
  await store.append([auditEntry("a", { at }), auditEntry("b", { at })]);
  const { head } = await store.verifyCalls();
  await store.close();
  return head ?? "";
}

test("an end that was removed from the database is noticed by the plane that wrote it", async (context) => {
  await using directory = await temporaryDirectory();
  await recorded("cut", directory.path);
  await tamper("cut", "DELETE FROM calls WHERE id = 'four'; DELETE FROM audit");
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  const { store } = await openStore({
    address: requireStoreAddress(server.address("cut")),
    directory: directory.path,
    packages: bundled,
  });
  const calls = await store.verifyCalls();
  const changes = await store.verifyAudit();
  await store.close();
  assert.deepEqual(
    [calls.ok, calls.lost.length, changes.ok, changes.lost[0]?.after],
    [false, 1, false, null],
  );
  assert.match(
    warned.mock.calls.map(({ arguments: [text] }) => String(text)).join("\n"),
    /the calls after .*\n.*the changes up to/s,
  );
});

test("a forged checkpoint and removed hashes are found", async () => {
  await using directory = await temporaryDirectory();
  const head = await recorded("forged", directory.path);
  const forge =
    "INSERT INTO call_checkpoints SELECT sequence, hash, now()::text, 2, stream FROM calls WHERE id = 'two'";
  await tamper("forged", `${forge}; DELETE FROM calls WHERE id IN ('one', 'two')`);
  const { store } = await openStore({
    address: requireStoreAddress(server.address("forged")),
    directory: directory.path,
    packages: bundled,
  });
  const { ok, broken, headFound } = await store.verifyCalls({ head, keepDays: 90 });
  assert.deepEqual([ok, broken?.id, headFound], [false, "three", true]);
  await tamper("forged", "UPDATE calls SET hash = NULL");
  assert.match((await store.verifyCalls()).broken?.reason ?? "", /it has no hash/);
  await store.close();
});
