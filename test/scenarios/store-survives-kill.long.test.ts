import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { healthWindow } from "../../src/model/catalogue/health.ts";
import type { Store } from "../../src/model/store.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { callRecord } from "../contracts/records.ts";

const writer = fileURLToPath(new URL("../contracts/store-writer.ts", import.meta.url));
const prefixes = ["round0", "round1", "round2", "round3", "round4"];
const maxLifeMs = 150;

test("whatever was acknowledged is there after kill -9, and nothing is half-written", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "store-kill-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "store.sqlite");
  // No one else opens the file in between: each writer finds what a killed one left behind.
  const acknowledged: string[] = [];
  for (const prefix of prefixes) acknowledged.push(...(await writeUntilKilled(file, prefix)));

  assert.ok(
    idsOf(acknowledged, "call").length > 0,
    "no writer lived long enough to prove anything",
  );

  assert.equal(integrityOf(file), "ok");
  const store = await openSqliteStore(file);
  context.after(() => store.close());
  await assertCalls(store, idsOf(acknowledged, "call"));
  await assertSamples(store);
  await assertApprovals(store, acknowledged);
});

async function writeUntilKilled(file: string, prefix: string): Promise<string[]> {
  const child = spawn(process.execPath, [writer, file, prefix], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close");
  let printed = "";
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const started = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      resolve();
    });
  });
  await Promise.race([started, exited]);
  await pause(Math.random() * maxLifeMs);
  child.kill("SIGKILL");
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL", `the writer ended by itself: ${complaints}`);
  return printed.split("\n").slice(0, -1);
}

function idsOf(lines: readonly string[], kind: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${kind} `))
    .map((line) => line.slice(kind.length + 1));
}

function integrityOf(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    return database.prepare("PRAGMA integrity_check").get()?.integrity_check;
  } finally {
    database.close();
  }
}

/** A call, its two events and its sample were written together: all of them are there or none is. */
async function assertCalls(store: Store, acknowledged: readonly string[]): Promise<void> {
  const calls = await store.calls();
  const stored = new Set(calls.map((call) => call.id));
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  );
  for (const call of calls) assert.deepEqual(call, callRecord(call.id));
  const events = (await store.events()).map(({ event }) => ("callId" in event ? event.callId : ""));
  const expected = [...stored].flatMap((id) => [id, `end of ${id}`]);
  assert.deepEqual(events.toSorted(), expected.toSorted());
}

/** Samples are numbered in the order of the calls, and only the newest are kept. */
async function assertSamples(store: Store): Promise<void> {
  const samples = await store.samples();
  const calls = await store.calls();
  for (const prefix of prefixes) {
    const stored = samples.filter((sample) => sample.subject === `tool:${prefix}`);
    const written = calls.filter((call) => call.id.startsWith(`${prefix}-`)).length;
    const window = Array.from({ length: written }, (_, index) => index).slice(-healthWindow);
    assert.deepEqual(
      stored.map((sample) => sample.latencyMs),
      window,
    );
  }
}

async function assertApprovals(store: Store, acknowledged: readonly string[]): Promise<void> {
  const approvals = new Map((await store.heldCalls()).map((approval) => [approval.id, approval]));
  for (const id of idsOf(acknowledged, "asked"))
    assert.ok(approvals.has(id), `${id} was asked and is gone`);
  for (const id of idsOf(acknowledged, "answered")) {
    assert.equal(approvals.get(id)?.status, "approved");
    assert.equal(approvals.get(id)?.answer?.by, "grace");
  }
}
