import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import type { DeclaredDefault } from "../model/config/changed-defaults.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { createChangedDefaults } from "./changed-defaults.ts";

const declared: readonly DeclaredDefault[] = [
  {
    id: "safe.writes",
    version: "0.4.0",
    summary: "Writes are safer.",
    before: "fast",
    now: "safe",
    loosens: false,
    gone: null,
  },
  {
    id: "approvals.ask",
    version: "0.4.0",
    summary: "Fewer questions.",
    before: "writes",
    now: "flows",
    loosens: true,
    gone: null,
  },
  {
    id: "repeated",
    version: "0.4.0",
    summary: "Nothing is repeated.",
    before: "repeated",
    now: "once",
    loosens: false,
    gone: "A repeated write may run twice.",
  },
];

type World = { madeBy?: string; files?: readonly string[]; configured?: readonly string[] };

/** A plane on a store that another version made. */
async function openPlane(file: string, { madeBy, files = [], configured = [] }: World = {}) {
  const store = await openSqliteStore(file);
  if (madeBy !== undefined) {
    const database = new DatabaseSync(file);
    database.exec("DELETE FROM store_versions");
    database
      .prepare("INSERT INTO store_versions VALUES (?, ?)")
      .run(madeBy, "2026-01-01T00:00:00.000Z");
    database.close();
  }
  const defaults = createChangedDefaults(
    {
      store: async () => store,
      onNews: () => undefined,
      isInformed: () => false,
      planeFiles: () => files,
      isConfigured: (key) => configured.includes(key),
    },
    declared,
  );
  return { ...defaults, [Symbol.asyncDispose]: store.close };
}

test("a store that this version made has no changed defaults", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await openPlane(directory.file("new.db"));
  assert.deepEqual((await plane.verbs.list()).changes, []);
  assert.equal(await plane.inForce("approvals.ask"), "now");
  await assert.rejects(plane.verbs.accept("approvals.ask"), { code: "NOT_FOUND" });
});

test("a default that allows more waits for a yes; any other is in force at once", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await openPlane(directory.file("old.db"), { madeBy: "0.3.0" });
  const { madeBy, undecided, changes } = await plane.verbs.list();
  assert.deepEqual([madeBy, undecided], ["0.3.0", 3]);
  const inForce = changes.map((change) => [change.id, change.inForce]);
  assert.deepEqual(inForce, [
    ["safe.writes", "now"],
    ["approvals.ask", "before"],
    ["repeated", "now"],
  ]);

  await plane.verbs.accept("approvals.ask", { principal: { user: "ada" } as never });
  await plane.verbs.keep("safe.writes");
  const decided = (await plane.verbs.list()).changes.map(({ inForce: now, decidedBy }) => [
    now,
    decidedBy,
  ]);
  assert.deepEqual(decided, [
    ["before", null],
    ["now", "ada"],
    ["now", null],
  ]);
  assert.deepEqual(
    [await plane.inForce("approvals.ask"), await plane.inForce("safe.writes")],
    ["now", "before"],
  );
  await assert.rejects(plane.verbs.keep("repeated"), { message: /may run twice/ });
});

test("a decision counts for the configuration that it was made in", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("shared.db");
  await using mine = await openPlane(file, { madeBy: "0.3.0", files: ["/home/ada/mine.json"] });
  await mine.verbs.accept("approvals.ask");
  await using other = await openPlane(file, { files: ["/home/ada/other.json"] });
  assert.equal(await mine.inForce("approvals.ask"), "now");
  assert.equal(await other.inForce("approvals.ask"), "before");
});

test("a key of the configuration needs no decision", async () => {
  await using directory = await temporaryDirectory();
  const world = { madeBy: "0.3.0", configured: ["approvals.ask"] };
  await using plane = await openPlane(directory.file("configured.db"), world);
  const { undecided, changes } = await plane.verbs.list();
  assert.equal(undecided, 2);
  const configured = changes.find(({ id }) => id === "approvals.ask");
  assert.deepEqual([configured?.decision, configured?.inForce], ["configured", "configuration"]);
});

test("without its store a plane keeps the stricter default", async () => {
  const failing = createChangedDefaults(
    {
      store: () => Promise.reject(new Error("away")),
      onNews: () => undefined,
      isInformed: () => false,
      planeFiles: () => [],
      isConfigured: () => false,
    },
    declared,
  );
  assert.equal(await failing.inForce("approvals.ask"), "before");
  assert.equal(await failing.inForce("safe.writes"), "now");
});
