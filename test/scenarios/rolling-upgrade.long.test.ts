import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import { openOlderWriter } from "../contracts/older-writer.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, startServe, writeConfig } from "./support.ts";

type Verified = { ok: boolean; calls: { calls: number }; changes: { records: number } };

/** The plane stands for the first replica that was replaced, the writer for one that still runs the version before. */
test("a plane of 0.2 that still runs writes beside this one: every statement works, nothing is lost, the chains verify", async () => {
  await using server = await startPostgres();
  await using directory = await temporaryDirectory();
  // The schema that the locks and channels of the recording are named after.
  const store = server.address("toolplane");
  const address = parseStoreAddress(store);
  assert.ok("kind" in address && address.kind === "postgres");
  // What was recorded is old by now, and must not be removed for it.
  const config = await writeConfig(
    directory,
    { echo: fixture("echo") },
    { store, calls: { keepDays: 0 } },
  );
  await using plane = await startServe(config, directory.file("data"));
  const ask = async (path: string, body?: unknown) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { ...plane.proof, "content-type": "application/json" };
    const response = await fetch(`${plane.url}${path}`, { ...sent, headers });
    const said = (await response.json()) as unknown;
    assert.equal(response.status, 200, JSON.stringify(said));
    return said;
  };
  const answered: string[] = [];
  const call = async () => {
    const { call: made } = (await ask("/tools/echo.echo/call", {
      arguments: { message: "hi" },
    })) as {
      call: { id: string };
    };
    answered.push(made.id);
  };
  await call();

  await using older = await openOlderWriter("0.2.0", address.url);
  let isWriting = true;
  const calling = (async () => {
    while (isWriting) await call();
  })();
  try {
    await older.runAll();
    for (let round = 0; round < 10; round += 1) await older.record();
  } finally {
    isWriting = false;
    await calling;
  }
  await call();

  const verified = (await ask("/audit/verify")) as Verified;
  assert.equal(verified.ok, true, JSON.stringify(verified));
  const rows = await server.run("SELECT id FROM toolplane.calls");
  const recorded = new Set(rows.map(({ id }) => String(id)));
  const lost = [...answered, ...older.written].filter((id) => !recorded.has(id));
  assert.deepEqual([lost, verified.calls.calls], [[], recorded.size]);
  assert.ok(older.written.length > 50 && verified.changes.records > 10);
});
