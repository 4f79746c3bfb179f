import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { agentRun, callEntry } from "../../../test/contracts/records.ts";
import { until } from "../../../test/fixtures/until.ts";
import type { Config } from "../../model/config/config.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createResults } from "./results.ts";

const day = 86_400_000;

async function setUp(keepDays: number) {
  const store = await openSqliteStore(":memory:");
  const config = { calls: { keepDays }, results: { builtinTool: true } } as Config;
  const results = createResults({
    packages: { s3: () => assert.fail("no bucket is configured") },
    settings: { config: () => config, vaultKey: async () => undefined },
    recorder: { store: async () => store },
  });
  const at = (ago: number) => new Date(Date.now() - ago * day).toISOString();
  await store.append([100, 95, 80].map((ago) => callEntry(`c${ago}`, { at: at(ago) })));
  for (const ago of [100, 80])
    await store.append([{ kind: "run", run: agentRun(`r${ago}`, { at: at(ago) }) }]);
  return { store, results };
}

const untilQuiet = async () => {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
};

test("calls and runs of agents go when they are too old, at the start and once a day", async () => {
  mock.timers.enable({ apis: ["Date", "setInterval"], now: Date.parse("2026-11-15T12:00:00Z") });
  const { store, results } = await setUp(90);
  const ids = async () => (await store.calls()).map(({ id }) => id).join(" ");
  try {
    results.start();
    await until("the old run is gone", async () => (await store.runs()).length === 1);
    // The newest call that is too old stays, and proves the age of those before it.
    assert.equal(await ids(), "c80 c95");
    assert.deepEqual(
      (await store.runs()).map(({ id }) => id),
      ["r80"],
    );
    await store.append([callEntry("fresh", { at: new Date().toISOString() })]);
    mock.timers.tick(9 * day);
    await untilQuiet();
    assert.equal(await ids(), "fresh c80 c95");
    mock.timers.tick(2 * day);
    await untilQuiet();
    assert.equal(await ids(), "fresh c80");
    assert.equal((await store.verifyCalls()).ok, true);
  } finally {
    results.stop();
    mock.timers.reset();
    await store.close();
  }
});

test("with 0 days they stay for ever", async () => {
  const { store, results } = await setUp(0);
  results.start();
  await untilQuiet();
  results.stop();
  assert.deepEqual([(await store.calls()).length, (await store.runs()).length], [3, 2]);
  await store.close();
});
