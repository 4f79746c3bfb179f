import assert from "node:assert/strict";
import { readdir, readFile, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createStateVerbs, openStore } from "../../src/store/store.ts";
import { heldCall } from "../contracts/records.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { sampleLetter } from "../samples/dead-letters.ts";
import { sampleRun } from "../samples/jobs.ts";

const secret = "hunter2-never-in-clear";
const args = { password: secret };

async function openIn(directory: TemporaryDirectory) {
  const { store } = await openStore({ address: { kind: "sqlite" }, directory: directory.path });
  return { ...store, [Symbol.asyncDispose]: store.close };
}

async function fillStore(directory: TemporaryDirectory): Promise<void> {
  await using store = await openIn(directory);
  const plan = { id: "p", user: "ada", owner: null, conversation: null, createdAt: "2026-03-01" };
  await store.addHeldCall(heldCall("asked", { arguments: args }));
  await store.addChange(heldCall("change", { arguments: args }), plan as never);
  await store.addDeadLetter(sampleLetter("letter", { arguments: args }), 10);
  await store.addJobRun(sampleRun("run", { input: args }));
}

async function textsIn(directory: string): Promise<string> {
  const names = await readdir(directory);
  const texts = names.map((name) => readFile(`${directory}/${name}`, "latin1"));
  return (await Promise.all(texts)).join("\n");
}

test("arguments of what waits are in no file and in no export, and a store that is opened again has them", async () => {
  await using directory = await temporaryDirectory();
  await fillStore(directory);
  assert.ok(!(await textsIn(directory.path)).includes(secret));
  await using store = await openIn(directory);
  const lines = await Array.fromAsync(createStateVerbs(async () => store).exportState());
  assert.ok(lines.some((line) => line.includes('"asked"')));
  assert.ok(!lines.join("\n").includes(secret));
  assert.deepEqual((await store.heldCall("asked"))?.arguments, args);
  assert.deepEqual((await store.heldCalls({ plan: "p" }))[0]?.arguments, args);
  assert.deepEqual((await store.deadLetter("letter"))?.arguments, args);
  assert.deepEqual((await store.jobRun("run"))?.input, args);
});

test("what an earlier version has left in clear is read as it is, and sealed with its next change", async () => {
  await using directory = await temporaryDirectory();
  await fillStore(directory);
  const database = new DatabaseSync(directory.file("toolplane.db"));
  const clear = JSON.stringify(heldCall("asked", { arguments: args }));
  database.prepare("UPDATE held_calls SET record = ? WHERE id = 'asked'").run(clear);
  await using store = await openIn(directory);
  const held = await store.heldCall("asked");
  assert.deepEqual(held?.arguments, args);
  assert.ok(held && (await store.replaceHeldCall({ ...held, status: "rejected" })));
  const row = database.prepare("SELECT record FROM held_calls WHERE id = 'asked'").get();
  database.close();
  assert.ok(!String(row?.record).includes(secret));
});

test("without the key lists leave out what waits, and one that is asked for says which key is missing", async (context) => {
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  await using directory = await temporaryDirectory();
  await fillStore(directory);
  await rm(directory.file("vault.key"));
  await using store = await openIn(directory);
  assert.deepEqual(await store.heldCalls(), []);
  assert.deepEqual((await store.deadLetters({})).deadLetters, []);
  assert.match(String(warned.mock.calls.at(-1)?.arguments[0]), /sealed with another key/);
  await assert.rejects(store.heldCall("asked"), { message: /sealed with another key.*vault\.key/ });
});

test("a record that is moved under another id is not opened", async () => {
  await using directory = await temporaryDirectory();
  await fillStore(directory);
  const database = new DatabaseSync(directory.file("toolplane.db"));
  const other = "(SELECT record FROM held_calls WHERE id = 'change')";
  database.exec(`UPDATE held_calls SET record = ${other} WHERE id = 'asked'`);
  database.close();
  await using store = await openIn(directory);
  await assert.rejects(store.heldCall("asked"), { code: "STORE_FAILED" });
});
