import assert from "node:assert/strict";
import type { ApiKey } from "../../src/model/access/credentials-schema.ts";
import { type Promises, storeFailed } from "./opened-store.ts";
import { moment } from "./records.ts";

const later = "2026-03-01T12:01:00.000Z";

export function apiKey(id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    name: `key ${id}`,
    user: "ada",
    groups: ["engineering", "on-call"],
    persona: "writer",
    scopes: ["call"],
    workspace: "research",
    createdAt: moment,
    expiresAt: later,
    lastUsedAt: null,
    revokedAt: null,
    ...changes,
  };
}

export const apiKeyPromises: Promises = {
  "finds an API key by the hash of its secret and by nothing else": async ({ store, reopen }) => {
    await store.addApiKey(apiKey("one"), "hash of one");
    const again = await reopen();
    assert.deepEqual(await again.apiKeyByHash("hash of one"), apiKey("one"));
    for (const other of ["one", "", "HASH OF ONE", "hash of on_", "hash of two"])
      assert.equal(await again.apiKeyByHash(other), null);
  },

  "lists API keys in the order they were created, and knows whether there are any": async ({
    store,
  }) => {
    assert.equal(await store.hasApiKeys(), false);
    for (const id of ["b", "a"]) await store.addApiKey(apiKey(id), id);
    assert.deepEqual(await store.apiKeys(), [apiKey("b"), apiKey("a")]);
    assert.equal(await store.hasApiKeys(), true);
  },

  "never keeps two API keys under one id or one hash": async ({ store }) => {
    await store.addApiKey(apiKey("one"), "hash");
    await assert.rejects(store.addApiKey(apiKey("one"), "other"), storeFailed);
    await assert.rejects(store.addApiKey(apiKey("two"), "hash"), storeFailed);
    assert.deepEqual(await store.apiKeys(), [apiKey("one")]);
  },

  "lets one of several revoke an API key, which stays on record": async ({ store }) => {
    await store.addApiKey(apiKey("one"), "hash");
    const revoked = await Promise.all([
      store.revokeApiKey("one", moment),
      store.revokeApiKey("one", moment),
      store.revokeApiKey("two", moment),
    ]);
    assert.deepEqual(revoked.toSorted(), [false, false, true]);
    assert.deepEqual(await store.apiKeyByHash("hash"), apiKey("one", { revokedAt: moment }));
    assert.equal(await store.hasApiKeys(), true);
  },

  "forgets an API key once and for all": async ({ store }) => {
    await store.addApiKey(apiKey("one"), "hash");
    assert.deepEqual(
      [await store.deleteApiKey("one"), await store.deleteApiKey("one"), await store.hasApiKeys()],
      [true, false, false],
    );
    assert.equal(await store.apiKeyByHash("hash"), null);
  },

  "notes when an API key was used last, and nothing earlier afterwards": async ({ store }) => {
    await store.addApiKey(apiKey("one"), "hash");
    await store.touchApiKey("one", later);
    await store.touchApiKey("one", moment);
    await store.touchApiKey("unknown", later);
    assert.deepEqual(await store.apiKeys(), [apiKey("one", { lastUsedAt: later })]);
  },
};
