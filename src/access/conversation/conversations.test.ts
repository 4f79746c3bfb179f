import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { JsonObject } from "../../model/json.ts";
import { principalOf } from "../../model/principal.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createRecordSealer } from "../../store/vault-key.ts";
import { conversationOf, namedConversation } from "./conversation-of.ts";
import { createConversations } from "./conversations.ts";

const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });
const hour = 3_600_000;
const notes = { name: "test.notes", maxBytes: 1_000, lifeMs: hour } as const;

async function openStore(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "conversations-"));
  const file = join(directory, "store.sqlite");
  const sealer = createRecordSealer({ kind: "sqlite" }, directory, undefined);
  const store = await openSqliteStore(file, { sealer });
  context.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return { store, file };
}

test("a conversation is known by its name and its caller, else by caller and client", () => {
  const call = { principal: ann, face: "mcp" as const };
  const byName = conversationOf({ ...call, options: { conversation: "a" } }, "x");
  assert.deepEqual(byName, namedConversation("a", ann));
  assert.equal(byName.isShared, false);
  const byClient = conversationOf({ ...call, options: {} }, "x");
  assert.equal(byClient.isShared, true);
  const keys = [
    byName,
    byClient,
    conversationOf({ ...call, options: {} }, "y"),
    conversationOf({ ...call, principal: bob, options: {} }, "x"),
    namedConversation("a", bob),
  ].map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
});

for (const isOneOfSeveral of [false, true])
  test(`what is kept outlives the plane, sealed (${isOneOfSeveral ? "one of several" : "alone"})`, async (context) => {
    const { store, file } = await openStore(context);
    const create = () =>
      createConversations({ store: async () => store, outlivesUs: true, isOneOfSeveral });
    const id = namedConversation("c1", ann);
    const first = create();
    const slot = first.slot(notes);
    const conversation = await first.open(id);
    assert.equal(slot.read(conversation), null);
    await slot.change(conversation, () => ({ text: "a plain word" }));
    await slot.change(conversation, (before) => ({ ...before, more: 1 }));
    assert.deepEqual(slot.read(conversation), { text: "a plain word", more: 1 });
    await first.stop();

    const database = new DatabaseSync(file);
    const stored = database.prepare("SELECT key, value FROM shared_values").all();
    database.close();
    assert.ok(stored.length > 0);
    assert.doesNotMatch(JSON.stringify(stored), /plain word|c1|ann/);

    const second = create();
    const slotAgain = second.slot(notes);
    const expected = { text: "a plain word", more: 1 };
    assert.deepEqual(slotAgain.read(await second.open(id)), expected);
    assert.equal(slotAgain.read(await second.open(namedConversation("c1", bob))), null);
    await second.end(id);
    assert.equal(slotAgain.read(await second.open(id)), null);
    await second.stop();
    assert.equal(await store.sharedValue(String(stored[0]?.key)), null);
  });

test("a plane that is alone asks its store once for a conversation; what it keeps is there at once", async (context) => {
  const { store } = await openStore(context);
  let asked = 0;
  const counting = async () => {
    asked += 1;
    return store;
  };
  const alone = createConversations({
    store: counting,
    outlivesUs: true,
    isOneOfSeveral: false,
  });
  const slot = alone.slot(notes);
  const id = namedConversation("c1", ann);
  await alone.open(id);
  assert.equal(asked, 1);
  const opened = alone.open(id);
  assert.ok(!(opened instanceof Promise));
  assert.equal(asked, 1);
  const changing = slot.change(opened, () => ({ count: 1 }));
  assert.deepEqual(slot.read(opened), { count: 1 });
  await changing;
  await alone.stop();
});

test("planes that share a store see what the other kept with their next call, and no change is lost", async (context) => {
  const { store } = await openStore(context);
  const planes = [1, 2].map(() =>
    createConversations({ store: async () => store, outlivesUs: true, isOneOfSeveral: true }),
  );
  const slots = planes.map((plane) => plane.slot<{ calls: number }>(notes));
  const id = namedConversation("c1", ann);
  const changes = Array.from({ length: 20 }, async (_, index) => {
    const conversation = await planes[index % 2]?.open(id);
    assert.ok(conversation);
    await slots[index % 2]?.change(conversation, (before) => ({ calls: (before?.calls ?? 0) + 1 }));
  });
  await Promise.all(changes);
  for (const [index, plane] of planes.entries()) {
    assert.deepEqual(slots[index]?.read(await plane.open(id)), { calls: 20 });
    await plane.stop();
  }
});

test("what is too large is refused in words, and what was kept stays", async (context) => {
  const { store } = await openStore(context);
  const plane = createConversations({
    store: async () => store,
    outlivesUs: true,
    isOneOfSeveral: false,
  });
  const slot = plane.slot(notes);
  const large = plane.slot<JsonObject>({ name: "test.large", maxBytes: 1e9, lifeMs: hour });
  const conversation = await plane.open(namedConversation("c1", ann));
  await slot.change(conversation, () => ({ text: "kept" }));
  const tooLarge = { code: "PAYLOAD_TOO_LARGE" };
  await assert.rejects(
    slot.change(conversation, () => ({ text: "x".repeat(1_000) })),
    tooLarge,
  );
  await assert.rejects(
    large.change(conversation, () => ({ text: "x".repeat(262_144) })),
    tooLarge,
  );
  assert.deepEqual(slot.read(conversation), { text: "kept" });
  assert.throws(() => plane.slot(notes), /Two slots/);
  await plane.stop();
});

test("a conversation that only its client tells apart ends after half an hour without a call; a slot ends when it says", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const plane = createConversations({
    store: () => assert.fail("nothing is stored"),
    outlivesUs: false,
    isOneOfSeveral: false,
  });
  const slot = plane.slot(notes);
  const shared = conversationOf({ principal: ann, face: "mcp", options: {} }, "x");
  const named = namedConversation("c1", ann);
  for (const id of [shared, named]) await slot.change(await plane.open(id), () => ({ text: "a" }));
  for (let minutes = 0; minutes < 50; minutes += 25) {
    context.mock.timers.tick(25 * 60_000);
    assert.deepEqual(slot.read(await plane.open(shared)), { text: "a" });
  }
  context.mock.timers.tick(31 * 60_000);
  assert.equal(slot.read(await plane.open(shared)), null);
  // 81 minutes after its last change.
  assert.equal(slot.read(await plane.open(named)), null);
});

test("many conversations leave memory, and the store still has them", async (context) => {
  const { store } = await openStore(context);
  const plane = createConversations({
    store: async () => store,
    outlivesUs: true,
    isOneOfSeveral: false,
  });
  const slot = plane.slot<JsonObject>({ name: "test.large", maxBytes: 1e9, lifeMs: hour });
  const text = "x".repeat(200_000);
  const ids = Array.from({ length: 400 }, (_, number) => namedConversation(`c${number}`, ann));
  for (const [number, id] of ids.entries())
    await slot.change(await plane.open(id), () => ({ number, text }));
  await plane.stop();
  // The oldest have left: they come from the store.
  const [first] = ids;
  assert.ok(first);
  await plane.open(namedConversation("another", ann));
  const opened = plane.open(first);
  assert.ok(opened instanceof Promise);
  assert.equal(slot.read(await opened)?.number, 0);
});
