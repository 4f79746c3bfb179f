import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { createPlane } from "../../src/index.ts";
import { judgeLog } from "../../src/store/sqlite/write-ahead-log.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { openStore } from "../../src/store/store.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { cases } from "../fixtures/tier.ts";
import { until } from "../fixtures/until.ts";

const count = 40;
const child = fileURLToPath(new URL("../fixtures/recording-child.ts", import.meta.url));
let directory: TemporaryDirectory;
/** What a plane leaves behind that was killed. */
let left: string;

before(async () => {
  directory = await temporaryDirectory();
  left = directory.file("left");
  const [, signal] = await once(
    spawn(process.execPath, [child, left, String(count)], { stdio: "inherit" }),
    "exit",
  );
  assert.equal(signal, "SIGKILL");
});
after(() => directory[Symbol.asyncDispose]());

let copies = 0;
/** A copy of it, with one thing done to it. */
function damaged(damage: (database: string, log: string) => void): string {
  const copy = directory.file(`copy-${++copies}`);
  cpSync(left, copy, { recursive: true });
  damage(join(copy, "toolplane.db"), join(copy, "toolplane.db-wal"));
  return copy;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}

/** What is said and found when the next plane opens it. */
async function opened(data: string) {
  const warnings: string[] = [];
  const warn = (text: string | Error) => void warnings.push(String(text));
  const emitWarning = process.emitWarning;
  process.emitWarning = warn as typeof process.emitWarning;
  try {
    const { store } = await openStore({ address: { kind: "sqlite" }, directory: data });
    const { ok, calls, lost, broken } = await store.verifyCalls();
    await store.close();
    return { ok, calls, lost, broken, said: warnings.join("\n") };
  } finally {
    process.emitWarning = emitWarning;
  }
}

test("what a killed plane has stored is there, and nothing is said", async () => {
  const { ok, calls, said } = await opened(damaged(() => undefined));
  assert.deepEqual([ok, calls, said], [true, count, ""]);
});

const damages: Record<string, (database: string, log: string) => void> = {
  "was cut off": (_, log) => truncateSync(log, Math.floor(readFileSync(log).length / 2) + 1_000),
  "was cut off at the end of a page": (_, log) => truncateSync(log, 32 + 24 + 4_096),
  "has a changed byte in the middle": (_, log) =>
    flip(log, Math.floor(readFileSync(log).length / 2)),
  "has a changed byte in its head": (_, log) => flip(log, 20),
  "was removed": (_, log) => rmSync(log),
};

for (const [what, damage] of Object.entries(damages))
  test(`a log that ${what} is noticed: what is lost is said, and a check finds it until a person has seen it`, async () => {
    const data = damaged(damage);
    // A write that was cut off looks the same: what was stored before is noted beside the store.
    const isVisible = what.startsWith("has");
    const { ok, calls, lost, broken, said } = await opened(data);
    assert.ok(calls < count);
    assert.deepEqual([ok, lost.length, broken], [false, 1, null]);
    assert.equal(lost[0]?.until, new Date(Date.UTC(2026, 0, 1, 0, count - 1)).toISOString());
    assert.match(said, /The store has lost records: the calls .*up to 2026-01-01T00:39/);
    assert.equal(
      /toolplane\.db-wal is damaged: \d+ pages? of the last commits/.test(said),
      isVisible,
      said,
    );
    assert.equal(existsSync(join(data, "toolplane.db-wal.damaged")), isVisible);
    const again = await opened(data);
    assert.deepEqual([again.ok, again.lost, again.said], [false, lost, ""]);
    rmSync(join(data, "toolplane.db-head.lost"));
    assert.equal((await opened(data)).ok, true);
  });

test("an older copy of the file in place of the one that was in use is noticed", async () => {
  const data = damaged(() => undefined);
  await opened(data);
  const file = join(data, "toolplane.db");
  const copy = readFileSync(file);
  const { store } = await openStore({ address: { kind: "sqlite" }, directory: data });
  const { callEntry } = await import("../contracts/records.ts");
  await store.append([callEntry("later")]);
  await store.close();
  writeFileSync(file, copy);
  const { ok, lost, said } = await opened(data);
  assert.deepEqual([ok, lost.length], [false, 1]);
  assert.match(said, /The store has lost records/);
});

test("wherever a log is cut or changed: what is lost is said", async () => {
  const size = readFileSync(join(left, "toolplane.db-wal")).length;
  const places = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: size - 1 }));
  await fc.assert(
    fc.asyncProperty(places, async ([isCut, at]) => {
      const data = damaged((_, log) => (isCut ? truncateSync(log, at) : flip(log, at)));
      const { ok, calls, said } = await opened(data);
      rmSync(data, { recursive: true });
      assert.deepEqual([ok, said === ""], calls === count ? [true, said === ""] : [false, false]);
    }),
    { numRuns: cases(100) },
  );
});

test("a log that another process writes meanwhile is in order", async (context) => {
  const data = directory.file("busy");
  const writing = spawn(process.execPath, [child, data, "400"], { stdio: "inherit" });
  context.after(() => writing.kill("SIGKILL"));
  const log = join(data, "toolplane.db-wal");
  await until("its first commits", () => existsSync(log) && (judgeLog(log)?.accepted ?? 0) > 0);
  for (let at = 0; at < 5; at += 1) {
    const { store } = await openStore({ address: { kind: "sqlite" }, directory: data });
    await store.close();
  }
  assert.equal(existsSync(`${log}.damaged`), false);
});

/** Everything behind the first page is gone; a connection that has the pages in memory does not notice. */
function ruin(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0, 4_096);
  writeFileSync(file, bytes);
}

test("a file that is damaged under a plane is reported by readiness, doctor and a warning", async (context: TestContext) => {
  const data = damaged(() => undefined);
  await opened(data);
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  await using plane = await createPlane({ config: {}, dataDirectory: data });
  assert.deepEqual(await plane.readiness(), { ready: true });
  ruin(join(data, "toolplane.db"));
  const { store } = await plane.doctor();
  assert.deepEqual([store?.ok, /damaged/.test(store?.detail ?? "")], [false, true]);
  const now = await plane.readiness();
  assert.match(now.ready ? "" : now.reason, /The store is damaged/);
  assert.match(String(warned.mock.calls.at(-1)?.arguments[0]), /toolplane\.db' is damaged/);
});

test("a file that was left open is looked through, and what was closed is not", async (context) => {
  const data = damaged(() => undefined);
  await opened(data);
  const file = join(data, "toolplane.db");
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.indexOf('"id":"call-20"') / 4_096) * 4_096;
  bytes.fill(0xff, page, page + 100);
  writeFileSync(file, bytes);
  context.mock.method(process, "emitWarning", () => undefined);
  for (const wasLeftOpen of [false, true]) {
    if (wasLeftOpen) writeFileSync(`${file}-wal`, "left");
    const store = await openSqliteStore(file);
    await store.examine({ afterCrash: true });
    assert.equal(store.trouble()?.isDamaged ?? false, wasLeftOpen);
    await store.close();
  }
});
