import assert from "node:assert/strict";
import type { AgentRun } from "../../src/model/agent/run-schema.ts";
import type { Store } from "../../src/model/store.ts";
import { type Promises, storeFailed } from "./opened-store.ts";
import { agentRun, callEntry } from "./records.ts";

const addRun = (store: Store, run: AgentRun) => store.append([{ kind: "run", run }]);

export const runPromises: Promises = {
  "gives a run back exactly as it was kept, also after it was opened again": async ({
    store,
    reopen,
  }) => {
    const run = agentRun("one", {
      user: null,
      toolset: null,
      answer: "a'; DROP TABLE runs; -- \ud800 \u{1f680}",
    });
    await addRun(store, run);
    const again = await reopen();
    assert.deepEqual(await again.run("one"), run);
    assert.equal(await again.run("two"), null);
  },

  "never overwrites a run that is kept": async ({ store }) => {
    await addRun(store, agentRun("one"));
    await assert.rejects(addRun(store, agentRun("one", { outcome: "failed" })), storeFailed);
    assert.equal((await store.run("one"))?.outcome, "completed");
  },

  "lists runs without steps and messages, by what is asked for, a page at a time": async ({
    store,
  }) => {
    await addRun(store, agentRun("a", { model: "small", at: "2026-03-01T11:00:00.000Z" }));
    await addRun(store, agentRun("b", { user: "bob", outcome: "failed" }));
    await addRun(store, agentRun("c", { user: null, toolset: null, conversation: "other" }));
    await addRun(store, agentRun("d"));
    const idsOf = async (filter: Parameters<typeof store.runs>[0]) =>
      (await store.runs(filter)).map(({ id }) => id).join("");
    assert.equal(await idsOf({}), "dcba");
    assert.equal(await idsOf({ user: "ada" }), "da");
    assert.equal(await idsOf({ user: null }), "c");
    assert.equal(await idsOf({ outcome: "failed" }), "b");
    assert.equal(await idsOf({ model: "small" }), "a");
    assert.equal(await idsOf({ toolset: "reading" }), "dba");
    assert.equal(await idsOf({ conversation: "other" }), "c");
    assert.equal(await idsOf({ since: "2026-03-01T12:00:00.000Z" }), "dcb");
    assert.equal(await idsOf({ limit: 2, before: "c" }), "ba");
    const [first] = await store.runs({ limit: 1 });
    assert.ok(first && !("steps" in first) && !("messages" in first));
  },

  "forgets runs that began before": async ({ store }) => {
    await addRun(store, agentRun("old", { at: "2026-02-01T00:00:00.000Z" }));
    await addRun(store, agentRun("new"));
    assert.equal(await store.forgetRuns("2026-03-01T12:00:00.000Z"), 1);
    assert.equal(await store.forgetRuns("2026-03-01T12:00:00.000Z"), 0);
    assert.deepEqual([await store.run("old"), (await store.run("new"))?.id], [null, "new"]);
  },

  "names runs, and removes them with what was kept of their calls": async ({ store }) => {
    await addRun(store, agentRun("one", { conversation: "chat" }));
    await addRun(store, agentRun("two", { conversation: "chat" }));
    await store.append([callEntry("a", { run: "one" }), callEntry("b", { run: "other" })]);
    const expiresAt = "2036-03-01T12:00:00.000Z";
    await store.putPayloads(["a", "b"].map((id) => ({ id, expiresAt, body: "{}" })));
    await store.titleRuns(["one", "none"], "Mine");
    assert.deepEqual(
      [(await store.run("one"))?.title, (await store.run("two"))?.title],
      ["Mine", undefined],
    );
    await store.titleRuns(["one"], null);
    assert.deepEqual(await store.run("one"), agentRun("one", { conversation: "chat" }));
    await store.removeRuns(["one", "none"]);
    assert.deepEqual([await store.run("one"), (await store.run("two"))?.id], [null, "two"]);
    assert.deepEqual(
      (await store.payloads(["a", "b"])).map(({ id }) => id),
      ["b"],
    );
    assert.equal((await store.calls({ run: "one" })).length, 1);
    assert.ok((await store.verifyCalls()).ok);
  },

  "finds the calls of a conversation, also of one with a very long name": async ({ store }) => {
    const long = "c".repeat(10_000);
    await store.append([
      callEntry("a", { conversation: "s1" }),
      callEntry("b"),
      callEntry("c", { conversation: long }),
    ]);
    const found = async (conversation: string) =>
      (await store.calls({ conversation })).map(({ id }) => id).join("");
    assert.deepEqual([await found("s1"), await found(long), await found("s")], ["a", "c", ""]);
    assert.equal((await store.call("c"))?.conversation, long);
    assert.ok((await store.verifyCalls()).ok);
  },

  "finds the calls of a run": async ({ store }) => {
    await store.append([
      callEntry("a", { run: "one" }),
      callEntry("b"),
      callEntry("c", { run: "one" }),
    ]);
    assert.equal((await store.calls({ run: "one" })).map(({ id }) => id).join(""), "ca");
    assert.equal((await store.call("a"))?.run, "one");
    assert.ok((await store.verifyCalls()).ok);
  },
};
