import assert from "node:assert/strict";
import {
  type ChangeFilter,
  changesKept,
  type EntryKind,
  type NewChange,
  type StoredEntry,
} from "../../src/model/catalogue/change.ts";
import type { KnownServer } from "../../src/model/servers/server.ts";
import type { Store } from "../../src/model/store.ts";
import type { Promises } from "./opened-store.ts";
import { moment } from "./records.ts";

const everyone = { groups: [], persona: null, personas: null };

function newChange(name: string, changes: Partial<NewChange> = {}): NewChange {
  return {
    at: moment,
    kind: "changed",
    what: "tool",
    name,
    persona: null,
    source: "manifest:tools/a.json",
    by: { user: "ada", face: "cli", system: null },
    reason: "because",
    before: { description: "old", nested: [1, null] },
    after: { description: "new" },
    count: 1,
    revision: 4,
    audience: everyone,
    ...changes,
  };
}

function entry(name: string, kind: EntryKind = "tool", persona: string | null = null): StoredEntry {
  return {
    kind,
    name,
    persona,
    manifest: { name, description: `The ${kind}` },
    at: moment,
    user: "ada",
  };
}

function known(listedAt: string, ...names: string[]): KnownServer {
  return {
    identity: "one",
    era: "legacy",
    eraAt: moment,
    listedAt,
    tools: names.map((name) => ({ name })),
  };
}

async function namesOf(store: Store, filter: ChangeFilter = {}, audiences: string[] | null = null) {
  const { changes } = await store.changes({ filter, audiences, limit: 100 });
  return changes.map(({ name }) => name).join("");
}

export const changePromises: Promises = {
  "gives changes back newest first, unchanged but for their audience": async ({
    store,
    reopen,
  }) => {
    await store.addChanges([newChange("a"), newChange("b", { reason: null, before: null })]);
    await store.addChanges([newChange("c")]);
    const { changes, total } = await (await reopen()).changes({ limit: 2 });
    assert.equal(total, 3);
    assert.deepEqual(
      changes.map(({ id: _, ...change }) => change),
      [newChange("c"), newChange("b", { reason: null, before: null })].map(
        ({ audience: __, ...change }) => change,
      ),
    );
    assert.ok((changes[0]?.id ?? 0) > (changes[1]?.id ?? 0));
  },

  "pages changes by how many to leave out": async ({ store }) => {
    await store.addChanges(["a", "b", "c"].map((name) => newChange(name)));
    const page = async (offset: number) => {
      const { changes, total } = await store.changes({ limit: 1, offset });
      return [changes.map(({ name }) => name).join(""), total];
    };
    assert.deepEqual(
      [await page(0), await page(1), await page(3)],
      [
        ["c", 3],
        ["b", 3],
        ["", 3],
      ],
    );
  },

  "filters changes by name, persona, kind and what they are about": async ({ store }) => {
    await store.addChanges([
      newChange("a"),
      newChange("b", { persona: "Atlas", kind: "added" }),
      newChange("c", { what: "skill" }),
      newChange("d", { what: "server", kind: "listed" }),
    ]);
    assert.equal(await namesOf(store, { name: "a" }), "a");
    assert.equal(await namesOf(store, { persona: "Atlas" }), "b");
    assert.equal(await namesOf(store, { persona: null }), "dca");
    assert.equal(await namesOf(store, { kind: "listed" }), "d");
    assert.equal(await namesOf(store, { what: "tool" }), "dba");
    assert.equal(await namesOf(store, { what: "skill" }), "c");
    assert.equal(await namesOf(store, { what: "tool", persona: "Atlas" }), "b");
  },

  "tells the audiences of changes and shows only those that are asked for": async ({ store }) => {
    const ops = { groups: ["ops"], persona: null, personas: null };
    await store.addChanges([newChange("a"), newChange("b", { audience: ops }), newChange("c")]);
    const audiences = await store.changeAudiences();
    assert.deepEqual(new Set(audiences.map((text) => JSON.parse(text))), new Set([everyone, ops]));
    const open = audiences.filter((text) => !text.includes("ops"));
    assert.equal(await namesOf(store, {}, open), "ca");
    assert.equal((await store.changes({ audiences: open, limit: 1 })).total, 2);
    assert.equal(await namesOf(store, {}, []), "");
  },

  "keeps the newest changes and lets the oldest go": async ({ store }) => {
    await store.addChanges(Array.from({ length: changesKept }, (_, at) => newChange(`t${at}`)));
    await store.addChanges([newChange("x"), newChange("y")]);
    const { total } = await store.changes({ limit: 1 });
    assert.equal(total, changesKept);
    const { changes } = await store.changes({ limit: 1, offset: changesKept - 1 });
    assert.equal(changes[0]?.name, "t2");
  },
};

export const entryPromises: Promises = {
  "has what was set after it was opened again, each kind, persona and name once": async ({
    store,
    reopen,
  }) => {
    const put = [entry("b"), entry("a"), entry("a", "skill"), entry("a", "tool", "Atlas")];
    await store.editEntries({ put, remove: [], changes: [newChange("a")] });
    await store.editEntries({
      put: [{ ...entry("a"), user: "bob" }],
      remove: [entry("b")],
      changes: [],
    });
    const again = await reopen();
    assert.deepEqual(await again.entries(), [
      entry("a", "skill"),
      { ...entry("a"), user: "bob" },
      entry("a", "tool", "Atlas"),
    ]);
    assert.equal(await namesOf(again), "a");
  },

  "keeps entries of one name apart by the configuration that they belong to": async ({
    store,
    reopen,
  }) => {
    const own = { ...entry("a"), files: ["/first/toolplane.json"] };
    const other = { ...entry("a"), files: ["/second/toolplane.json"] };
    await store.editEntries({ put: [entry("a"), own, other], remove: [], changes: [] });
    await store.editEntries({ put: [{ ...own, user: "bob" }], remove: [other], changes: [] });
    const again = await reopen();
    assert.deepEqual(await again.entries(), [entry("a"), { ...own, user: "bob" }]);
    await again.editEntries({ put: [], remove: [entry("a")], changes: [] });
    assert.deepEqual(await again.entries(), [{ ...own, user: "bob" }]);
  },

  "sets all entries and what is reported of them, or nothing": async ({ store }) => {
    const broken = newChange("a", { before: { big: 1n as unknown as number } });
    await assert.rejects(store.editEntries({ put: [entry("a")], remove: [], changes: [broken] }));
    assert.deepEqual([await store.entries(), await namesOf(store)], [[], ""]);
  },

  "takes a listing only from who knows the one before, and tells the changes once": async ({
    store,
  }) => {
    assert.equal(await store.putListing(known("t1", "x"), null, [newChange("a")]), true);
    assert.equal(await store.putListing(known("t2", "y"), null, [newChange("b")]), false);
    assert.equal(await store.putListing(known("t2", "y"), "t1", [newChange("c")]), true);
    const [kept] = await store.knownServers(["one"]);
    assert.deepEqual([kept?.listedAt, kept?.tools], ["t2", [{ name: "y" }]]);
    assert.equal(await namesOf(store), "ca");
  },

  "keeps what a server lists beside its tools, and knows where it was never asked": async ({
    store,
    reopen,
  }) => {
    const offers = { prompts: { listedAt: moment, items: [{ name: "p" }] } };
    await store.putListing(known("t1", "x"), null, []);
    assert.equal((await store.knownServers(["one"]))[0]?.offers, undefined);
    await store.putListing({ ...known("t1", "x"), offers }, "t1", []);
    assert.deepEqual((await (await reopen()).knownServers(["one"]))[0]?.offers, offers);
  },
};
