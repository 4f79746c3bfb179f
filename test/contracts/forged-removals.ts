import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRoot } from "../../src/model/audit-schema.ts";
import type { Store } from "../../src/model/store.ts";
import { hashAfter } from "../../src/store/call-chain.ts";
import { makeRoot } from "../../src/store/roots/make-root.ts";
import { verifyRoots } from "../../src/store/roots/verify-roots.ts";
import { callEntry } from "./records.ts";

type Sql = string | number;

/** A store whose database is in the hands of an attacker. The key that seals, and what was exported, are not. */
export type AttackedStore = {
  store: Store;
  /** Past the plane and its triggers. */
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

type Kept = { head: string; root: AuditRoot };
type Row = { sequence: number; stream: number; hash: string };

const keepDays = 90;
const dayMs = 24 * 3_600_000;
const quoted = (value: Sql) =>
  typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;

async function rowsOf({ rows }: AttackedStore): Promise<Row[]> {
  const found = await rows("SELECT sequence, stream, hash FROM calls ORDER BY sequence");
  return found.map((row) => ({
    sequence: Number(row.sequence),
    stream: Number(row.stream),
    hash: String(row.hash),
  }));
}

async function cutTo(attacked: AttackedStore, { sequence, stream, hash }: Row): Promise<void> {
  const at = new Date().toISOString();
  const values = [sequence, hash, at, 5, stream].map(quoted).join(", ");
  await attacked.run(
    `INSERT INTO call_checkpoints (sequence, hash, at, removed, stream) VALUES (${values})`,
  );
  await attacked.run(`DELETE FROM calls WHERE sequence <= ${sequence}`);
}

/** The first row that is left becomes one of last year, and all after it continue it. */
async function backdate(attacked: AttackedStore, from: Row): Promise<void> {
  let { hash } = from;
  const left = await attacked.rows("SELECT sequence, record FROM calls ORDER BY sequence");
  for (const [place, { sequence, record }] of left.entries()) {
    const at = new Date(Date.now() - 365 * dayMs).toISOString();
    const forged = place === 0 ? JSON.stringify({ ...JSON.parse(String(record)), at }) : record;
    hash = hashAfter(hash, String(forged));
    const set = [`record = ${quoted(String(forged))}`, `hash = ${quoted(hash)}`];
    if (place === 0) set.push(`at = ${quoted(at)}`);
    await attacked.run(`UPDATE calls SET ${set.join(", ")} WHERE sequence = ${sequence}`);
  }
}

/** Tiny rows with numbers that make an estimate of hundreds of terabytes. */
async function inflate({ run }: AttackedStore, record: string): Promise<void> {
  const rows = Array.from(
    { length: 500 },
    (_, place) => `(${1e12 + place * 1e6}, '2026-01-01', 'store.back', '{}')`,
  );
  await run(`INSERT INTO events (id, at, type, ${record}) VALUES ${rows.join(", ")}`);
}

type Attack = (attacked: AttackedStore, fifth: Row, kept: Kept) => Promise<void>;

const attacks: Record<string, Attack> = {
  "a front that was cut behind a forged checkpoint": (attacked, fifth) => cutTo(attacked, fifth),
  "the same, where the oldest that is left is forged to be old": async (attacked, fifth) => {
    await cutTo(attacked, fifth);
    await backdate(attacked, fifth);
  },
  "a whole chain that was cut, with one forged old record": async (attacked, _, { head }) => {
    const all = await rowsOf(attacked);
    const [last, before] = [all.at(-1), all.at(-2)];
    assert.ok(last && before);
    await cutTo(attacked, { ...before, hash: head });
    await backdate(attacked, { ...before, hash: head });
  },
  "a kept hash in a checkpoint that stands before others": async (attacked, fifth, { head }) => {
    const [first] = await rowsOf(attacked);
    assert.ok(first);
    await cutTo(attacked, { ...first, hash: head });
    await cutTo(attacked, fifth);
    await backdate(attacked, fifth);
  },
  "a seal that was moved from the other chain": async (attacked, fifth) => {
    await cutTo(attacked, fifth);
    await attacked.run(
      `UPDATE secrets SET key = 'removal/call_checkpoints/${fifth.stream}' WHERE key LIKE 'removal/%'`,
    );
  },
};

/** What the check says with what an auditor has kept. */
async function isGreen(store: Store, { head, root }: Kept) {
  const options = { keepDays };
  const plain = await store.verifyCalls(options);
  const withHead = await store.verifyCalls({ ...options, head });
  const withRoot = await verifyRoots(store, { ...options, root: JSON.stringify(root) });
  return { head: withHead.ok, root: plain.ok && withRoot.ok };
}

/** What cannot be anchored is never verified, whatever is written into the database. */
export function forgedRemovals(
  name: string,
  open: () => Promise<AttackedStore>,
  eventColumn: string,
): void {
  async function recorded(): Promise<{ attacked: AttackedStore; fifth: Row; kept: Kept }> {
    const attacked = await open();
    const at = new Date().toISOString();
    const entries = (from: number, count: number) =>
      Array.from({ length: count }, (_, place) => callEntry(`call-${from + place}`, { at }));
    // What a plane has removed and sealed itself helps no forger.
    const old = new Date(Date.now() - 3 * dayMs).toISOString();
    await attacked.store.append(["a", "b", "c"].map((id) => callEntry(id, { at: old })));
    const before = new Date(Date.now() - 2 * dayMs).toISOString();
    while ((await attacked.store.forgetCalls(before)) > 0);
    await attacked.store.append(entries(1, 5));
    const fifth = (await rowsOf(attacked)).at(-1);
    const root = await makeRoot(attacked.store);
    await attacked.store.append(entries(6, 4));
    assert.ok(fifth && root);
    return { attacked, fifth, kept: { head: fifth.hash, root } };
  }

  for (const [title, attack] of Object.entries(attacks))
    for (const isInflated of [false, true])
      test(`${name}: ${title} is found with a kept head and with a kept root${isInflated ? ", also where the store looks full" : ""}`, async () => {
        const { attacked, fifth, kept } = await recorded();
        assert.deepEqual(await isGreen(attacked.store, kept), { head: true, root: true });
        await attack(attacked, fifth, kept);
        if (isInflated) await inflate(attacked, eventColumn);
        assert.deepEqual(await isGreen(attacked.store, kept), { head: false, root: false });
        await attacked.close();
      });

  test(`${name}: what a plane has removed itself is sealed, and stays verified with what was kept`, async () => {
    const attacked = await open();
    const { store } = attacked;
    const old = new Date(Date.now() - 3 * dayMs).toISOString();
    await store.append(["a", "b", "c"].map((id) => callEntry(id, { at: old })));
    const root = await makeRoot(store);
    const [, second] = await rowsOf(attacked);
    await store.append([callEntry("young", { at: new Date().toISOString() })]);
    const before = new Date(Date.now() - 2 * dayMs).toISOString();
    while ((await store.forgetCalls(before)) > 0);
    assert.ok(root && second);
    assert.ok((await rowsOf(attacked)).length < 4, "some were removed, long before they were old");
    const options = { keepDays };
    const { ok, headFound } = await store.verifyCalls({ ...options, head: second.hash });
    assert.deepEqual([ok, headFound], [true, true]);
    assert.equal((await verifyRoots(store, { ...options, root: JSON.stringify(root) })).ok, true);
    await attacked.run("DELETE FROM secrets WHERE key LIKE 'removal/%'");
    assert.match((await store.verifyCalls(options)).broken?.reason ?? "", /has sealed/);
    await attacked.close();
  });

  test(`${name}: numbers that were made up do not make a store look larger than it is`, async () => {
    const attacked = await open();
    await attacked.store.append([callEntry("one")]);
    await inflate(attacked, eventColumn);
    const events = (await attacked.store.holdings()).find(({ kind }) => kind === "events");
    assert.ok((events?.bytes ?? Number.NaN) < 1e9, String(events?.bytes));
    await attacked.close();
  });
}
