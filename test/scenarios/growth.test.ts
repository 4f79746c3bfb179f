import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import type { AuditRecord } from "../../src/model/audit-schema.ts";
import type { CallRecord } from "../../src/model/calls/call-schema.ts";
import type { JournalEntry } from "../../src/model/store.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, runCli, writeConfig } from "./support.ts";

const hourMs = 3_600_000;
const kilobyte = "x".repeat(1_024);

/** A store with so many calls, an hour apart, the newest of them now; each takes more than a kilobyte. */
async function fill(data: string, count: number): Promise<void> {
  const config = { mcpServers: { one: fixture("echo") } };
  await using plane = await createPlane({ config });
  const { call } = await plane.call("one.echo", { message: "hi" });
  const template = await plane.calls.get(call.id);
  await mkdir(data, { recursive: true });
  const store = await openSqliteStore(`${data}/toolplane.db`);
  const at = (number: number) => new Date(Date.now() - (count - number) * hourMs).toISOString();
  const entries: JournalEntry[] = Array.from({ length: count }, (_, number) => {
    const call = {
      ...template,
      id: `call-${number}`,
      at: at(number),
      conversation: kilobyte,
    } as CallRecord;
    return { kind: "call", call };
  });
  const event = { type: "store.back" } as const;
  entries.unshift(
    ...Array.from({ length: 50 }, (): JournalEntry => ({ kind: "event", at: at(0), event })),
  );
  const changes = ["one", "another"].map((id): JournalEntry => {
    const said = { operation: "keys.create", target: null, user: null, ok: true };
    return { kind: "audit", record: { id, at: at(0), ...said } as AuditRecord };
  });
  await store.append([...entries, ...changes]);
  await store.close();
}

async function holdings(data: string) {
  const store = await openSqliteStore(`${data}/toolplane.db`);
  try {
    return Object.fromEntries((await store.holdings()).map((one) => [one.kind, one]));
  } finally {
    await store.close();
  }
}

test("records above calls.maxBytes go, the oldest first, with their events, and the chain of the rest is whole", async () => {
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  await fill(data, 1_200);
  const before = await holdings(data);
  assert.ok(
    (before.calls?.bytes ?? 0) > 1_500_000 && (before.calls?.count ?? 0) >= 1_200,
    JSON.stringify(before.calls),
  );
  const maxBytes = 1_000_000;
  const config = { mcpServers: {}, calls: { maxBytes } };
  {
    await using plane = await createPlane({ config, dataDirectory: data });
    plane.start();
    await until("less", async () =>
      ((await plane.doctor()).stored ?? []).some(
        ({ kind, bytes }) => kind === "calls" && (bytes ?? 0) < maxBytes,
      ),
    );
    const newest = await plane.calls.list({ limit: 1 });
    assert.equal(newest[0]?.id, "call-1199");
    assert.equal(
      (await plane.audit.get("one")).operation,
      "keys.create",
      "calls push out no change",
    );
    await until("the end of the removal", async () => (await plane.calls.verify()).ok);
  }
  const after = await holdings(data);
  assert.ok((after.calls?.bytes ?? 0) > maxBytes * 0.8, "no more than needed");
  assert.ok((after.events?.count ?? 50) < 50, "events of that time are gone");
  const verified = async () => {
    await using plane = await createPlane({ config: { mcpServers: {} }, dataDirectory: data });
    return plane.calls.verify();
  };
  assert.equal((await verified()).ok, true, "the plane has sealed what it removed");
  // Without its key anyone may have removed them.
  await rm(`${data}/vault.key`);
  assert.match((await verified()).broken?.reason ?? "", /days old then.* sealed/);
});

test("records go by whole days: one of the day on which calls.keepDays ends stays", async () => {
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  await fill(directory.file("other"), 1);
  const other = await openSqliteStore(directory.file("other/toolplane.db"));
  const [template] = await other.calls({ limit: 1 });
  await other.close();
  const store = await openSqliteStore(`${data}/toolplane.db`);
  const keepDays = 3;
  const edge = Date.parse(new Date(Date.now() - keepDays * 24 * hourMs).toISOString().slice(0, 10));
  const entries = [-2 * hourMs, -hourMs, 1, 2].map((ms): JournalEntry => {
    return {
      kind: "call",
      call: { ...template, id: `at${ms}`, at: new Date(edge + ms).toISOString() } as CallRecord,
    };
  });
  await store.append(entries);
  await store.close();
  await using plane = await createPlane({
    config: { mcpServers: {}, calls: { keepDays } },
    dataDirectory: data,
  });
  plane.start();
  await until("the removal", async () => (await plane.calls.verify()).checkpoints.length > 0);
  const left = (await plane.calls.list()).map(({ id }) => id).filter((id) => id.startsWith("at"));
  assert.deepEqual(left, ["at2", "at1", `at${-hourMs}`]);
});

test("large records of one caller make no others look large", async () => {
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  await fill(data, 3_000);
  const before = (await holdings(data)).calls?.bytes ?? 0;
  const store = await openSqliteStore(`${data}/toolplane.db`);
  const [template] = await store.calls({ limit: 1 });
  const large = Array.from({ length: 500 }, (_, number): JournalEntry => {
    const call = {
      ...template,
      id: `large-${number}`,
      conversation: kilobyte.repeat(20),
    } as CallRecord;
    return { kind: "call", call };
  });
  await store.append(large);
  await store.close();
  const added = ((await holdings(data)).calls?.bytes ?? 0) - before;
  const written = 500 * 20 * kilobyte.length;
  assert.ok(added > written / 2 && added < written * 2, `${added} of ${written}`);
});

test("events are limited by age, and the newest stays so that their numbers go on", async () => {
  await using directory = await temporaryDirectory();
  const store = await openSqliteStore(directory.file("toolplane.db"));
  const event = { type: "store.back" } as const;
  const old = Array.from(
    { length: 2_500 },
    (): JournalEntry => ({ kind: "event", at: "2020-01-01T00:00:00.000Z", event }),
  );
  await store.append(old);
  const last = await store.lastEventId();
  let batches = 0;
  for (let removed = 1; removed > 0; batches += 1)
    removed = await store.forgetEvents("2021-01-01T00:00:00.000Z");
  assert.ok(batches > 2, "in batches");
  assert.deepEqual([(await store.events()).length, await store.lastEventId()], [1, last]);
  await store.close();
});

test("doctor lists what grows, with its limit and its setting", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {});
  const { stdout } = await runCli([
    "doctor",
    "--config",
    config,
    "--data-dir",
    directory.file("data"),
  ]);
  for (const row of [
    /calls +0, 0 KiB +90 days, 16 GiB of records together +calls\.keepDays, calls\.maxBytes/,
    /results +0, 0 KiB +1 day, 256 MiB +results\.keepMs, results\.maxStoredBytes/,
    /job runs +0, 0 KiB +30 days after their end +jobs\.keepDays/,
    /server logs .*64 KiB a server/,
  ])
    assert.match(stdout, row);
});
