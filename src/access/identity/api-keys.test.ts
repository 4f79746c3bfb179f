import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import type { NewApiKey } from "../../model/access/credentials.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { principalOf, trusted } from "../../model/principal.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createApiKeys } from "./api-keys.ts";

async function setUp(context: TestContext, isInformed: () => boolean = () => false) {
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const events: PlaneEvent[] = [];
  let notes = 0;
  let reads = 0;
  const counted = {
    ...store,
    apiKeyByHash: (hash: string) => {
      reads += 1;
      return store.apiKeyByHash(hash);
    },
    touchApiKey: (id: string, at: string) => {
      notes += 1;
      return store.touchApiKey(id, at);
    },
  };
  const keys = createApiKeys({
    store: async () => counted,
    emit: (event) => events.push(event),
    isInformed,
  });
  const create = (given: NewApiKey) => keys.create(given, trusted({ user: "ann" }));
  return { keys, events, create, store: counted, notes: () => notes, reads: () => reads };
}

test("a key is 32 random bytes, and its bearer is its user", async (context) => {
  const { keys, create } = await setUp(context);
  const { key, secret } = await create({
    name: "ci",
    user: "build",
    groups: ["ops"],
    persona: "Atlas",
    scopes: ["read"],
    workspace: "research",
  });
  assert.match(secret, /^tp_[A-Za-z0-9_-]{43}$/);
  assert.match(key.id, /^[0-9a-f]{10}$/);
  assert.ok(!secret.includes(key.id));
  assert.deepEqual(
    await keys.identify(secret),
    principalOf({
      user: "build",
      groups: ["ops"],
      persona: "Atlas",
      scopes: ["read"],
      workspace: "research",
      key: key.id,
      keyCreators: ["ann"],
    }),
  );
  assert.notEqual((await create({ name: "ci" })).secret, secret);
});

test("what is not said about a key is the least that is useful", async (context) => {
  const { create } = await setUp(context);
  const { key } = await create({ name: " laptop " });
  const { id: _, createdAt: __, ...rest } = key;
  assert.deepEqual(rest, {
    name: "laptop",
    user: "ann",
    groups: [],
    persona: null,
    scopes: ["call"],
    workspace: null,
    createdBy: ["ann"],
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  });
});

test("the secret stands neither in the list nor in an event", async (context) => {
  const { keys, create, events } = await setUp(context);
  const { key, secret } = await create({ name: "ci" });
  await keys.identify(secret);
  await keys.revoke(key.id, false);
  assert.deepEqual(events, [
    { type: "key.created", keyId: key.id, name: "ci" },
    { type: "key.revoked", keyId: key.id, name: "ci" },
  ]);
  assert.ok(!JSON.stringify([await keys.list(), events]).includes(secret.slice(3)));
});

test("anything but the whole secret is refused in the same words", async (context) => {
  const { keys, create } = await setUp(context);
  const { secret, key } = await create({ name: "ci" });
  const other = `tp_${"A".repeat(43)}`;
  for (const shown of [
    "tp_",
    secret.slice(0, -1),
    `${secret}x`,
    secret.toUpperCase(),
    other,
    `tp_${key.id}`,
  ])
    await assert.rejects(keys.identify(shown), {
      code: "UNAUTHENTICATED",
      message: "This API key is not known here. Check that it was copied whole.",
      data: { reason: "unknown" },
    });
});

test("a revoked key is refused, and is revoked once", async (context) => {
  const { keys, create, events } = await setUp(context);
  const { key, secret } = await create({ name: "ci" });
  assert.deepEqual(
    [await keys.revoke(key.id, false), await keys.revoke(key.id, false)],
    [true, false],
  );
  await assert.rejects(keys.identify(secret), {
    code: "UNAUTHENTICATED",
    message: /was revoked at 20/,
  });
  assert.equal(events.filter(({ type }) => type === "key.revoked").length, 1);
  assert.equal(await keys.exist(), true, "it stays on record");
  await keys.revoke(key.id, true);
  assert.equal(await keys.exist(), false);
  await assert.rejects(keys.revoke(key.id, false), { code: "NOT_FOUND" });
});

test("an expired key is refused", async (context) => {
  const { keys, create } = await setUp(context);
  const { secret } = await create({
    name: "ci",
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await keys.identify(secret);
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_001 });
  await assert.rejects(keys.identify(secret), {
    code: "UNAUTHENTICATED",
    message: /expired at 20/,
  });
});

test("when a key was used is noted, and at most once a minute", async (context) => {
  const { keys, create, notes } = await setUp(context);
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-15T12:00:00.000Z") });
  const { secret } = await create({ name: "ci" });
  for (let time = 0; time < 3; time += 1) await keys.identify(secret);
  context.mock.timers.tick(59_999);
  await keys.identify(secret);
  assert.equal(notes(), 1);
  context.mock.timers.tick(1);
  await keys.identify(secret);
  assert.equal(notes(), 2);
  assert.equal((await keys.list())[0]?.lastUsedAt, "2026-11-15T12:01:00.000Z");
});

test("a key is read once where other planes tell of changes, and again after news and after a gap", async (context) => {
  let isInformed = true;
  const { keys, create, store, reads } = await setUp(context, () => isInformed);
  const { key, secret } = await create({ name: "ci" });
  for (let time = 0; time < 5; time += 1) assert.equal((await keys.identify(secret)).user, "ann");
  assert.equal(reads(), 1);
  keys.changed();
  await keys.identify(secret);
  assert.equal(reads(), 2);
  // Another plane revokes it, and this one has not heard of it yet.
  await store.revokeApiKey(key.id, new Date().toISOString());
  await keys.identify(secret);
  isInformed = false;
  await assert.rejects(keys.identify(secret), {
    code: "UNAUTHENTICATED",
    message: /was revoked at 20/,
  });
  isInformed = true;
  await assert.rejects(keys.identify(secret), { code: "UNAUTHENTICATED" });
});

test("a key that is revoked while it is read is not taken for a valid one afterwards", async (context) => {
  const { keys, create, store } = await setUp(context, () => true);
  const { key, secret } = await create({ name: "ci" });
  const gate = Promise.withResolvers<void>();
  const read = store.apiKeyByHash;
  store.apiKeyByHash = async (hash) => {
    const found = await read(hash);
    await gate.promise;
    return found;
  };
  const early = keys.identify(secret);
  await keys.revoke(key.id, false);
  gate.resolve();
  assert.equal((await early).user, "ann");
  await assert.rejects(keys.identify(secret), { code: "UNAUTHENTICATED" });
});

test("a key that is kept expires all the same, and keys that are none are not kept", async (context) => {
  const { keys, create, reads } = await setUp(context, () => true);
  const { secret } = await create({
    name: "ci",
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await keys.identify(secret);
  const strange = `tp_${"x".repeat(43)}`;
  await assert.rejects(keys.identify(strange), { code: "UNAUTHENTICATED" });
  await assert.rejects(keys.identify(strange), { code: "UNAUTHENTICATED" });
  assert.equal(reads(), 3);
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_001 });
  await assert.rejects(keys.identify(secret), { message: /expired at 20/ });
});

test("a use that cannot be noted refuses no caller; a store that cannot be read refuses all", async (context) => {
  const { keys, create, store } = await setUp(context);
  const { secret } = await create({ name: "ci" });
  store.touchApiKey = async () => assert.fail("locked");
  assert.equal((await keys.identify(secret)).user, "ann");
  store.apiKeyByHash = async () => assert.fail("damaged");
  await assert.rejects(keys.identify(secret), /damaged/);
});

test("a key can stand for a level of data and for groups of tools, also for none of them", async (context) => {
  const { keys, create } = await setUp(context);
  const { secret } = await create({ name: "ci", compliance: "HIPAA", toolGroups: ["kb"] });
  const { compliance, toolGroups } = await keys.identify(secret);
  assert.deepEqual([compliance, toolGroups], ["HIPAA", ["kb"]]);
  const none = await create({ name: "none", toolGroups: [] });
  assert.deepEqual((await keys.identify(none.secret)).toolGroups, []);
});

const wrong: [given: unknown, message: RegExp][] = [
  [{ name: "a", compliance: 1 }, /'compliance'/],
  [{ name: "a", toolGroups: "kb" }, /'toolGroups' of a key must be a list/],
  [null, /an object such as/],
  [{}, /needs a name/],
  [{ name: " " }, /'name' of a key must be a string of 1 to 200/],
  [{ name: "x".repeat(201) }, /'name'/],
  [{ name: "a", user: 1 }, /'user'/],
  [{ name: "a", groups: "ops" }, /'groups' of a key must be a list/],
  [{ name: "a", scopes: ["root"] }, /no scope 'root'\. Use read, call, admin, \*/],
  [{ name: "a", expiresAt: "tomorrow" }, /'expiresAt' of a key must be a date/],
  [{ name: "a", expiresAt: "2020-01-01T00:00:00Z" }, /in the future/],
  [{ name: "a", secret: "tp_mine" }, /no 'secret'\. It takes: name, user/],
];

for (const [given, message] of wrong) {
  test(`${JSON.stringify(given)?.slice(0, 60)} is no description of a key`, async (context) => {
    const { keys, create } = await setUp(context);
    await assert.rejects(create(given as NewApiKey), { code: "USAGE", message });
    assert.deepEqual(await keys.list(), []);
  });
}

test("a key is for the plane that it was made for, and for all where that is gone", async (context) => {
  await using directory = await temporaryDirectory();
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const [team, other] = [directory.file("team.json"), directory.file("other.json")];
  await Promise.all([writeFile(team, "{}"), writeFile(other, "{}")]);
  const planeOf = (...files: string[]) =>
    createApiKeys({
      store: async () => store,
      emit: () => undefined,
      isInformed: () => false,
      files: () => files,
    });
  const { key, secret } = await planeOf(team).create({ name: "ann" }, trusted({ user: "ann" }));
  assert.deepEqual(key.files, [team]);
  assert.deepEqual([await planeOf(team).exist(), await planeOf(other).exist()], [true, false]);
  assert.deepEqual(
    [(await planeOf(other).list()).length, (await planeOf(other, team).list()).length],
    [0, 1],
  );
  assert.equal((await planeOf(team).identify(secret)).key, key.id);
  await assert.rejects(planeOf(other).identify(secret), /is for the plane of .*team\.json/);
  await assert.rejects(planeOf(other).revoke(key.id, false), /There is no key/);
  // A plane without files of its own shares the store with others that have none.
  assert.equal((await planeOf().identify(secret)).key, key.id);
  await rm(team);
  assert.equal(await planeOf(other).exist(), true, "moving a file opens nothing");
  await planeOf().create({ name: "all" }, trusted({ user: "ann" }));
  assert.deepEqual(
    (await planeOf(other).list()).map(({ name }) => name),
    ["ann", "all"],
  );
});
