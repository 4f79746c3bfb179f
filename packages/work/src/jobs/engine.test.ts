import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { openSqliteStore } from "@toolplane/test/samples/core";
import { sampleJob, sampleRun } from "@toolplane/test/samples/jobs";
import { createEngine } from "./engine.ts";

test("a run that the store hands out as due begins, also where the clock of the plane that made it was ahead", async () => {
  await using directory = await temporaryDirectory();
  const store = await openSqliteStore(directory.file("store.db"));
  const job = sampleJob("digest");
  const ended = Promise.withResolvers<void>();
  const engine = createEngine({
    store: async () => store,
    jobs: async () => [job],
    emit: () => undefined,
    principalFor: () => null,
    execute: {
      emit: () => undefined,
      check: async () => undefined,
      work: () => async () => "done",
      onEnded: async () => ended.resolve(),
    },
    maxRuns: () => 1,
    keepMs: () => 1,
    loop: { isRunning: () => true, wake: () => undefined },
    askMs: () => 1,
  });
  const dueAt = new Date(Date.now() + 300_000).toISOString();
  await store.addJobRun(sampleRun("one", { dueAt }, job));
  const item = { kind: "run", id: "one", group: "" } as const;
  assert.deepEqual(await engine.handler.begin(item), { is: "later", at: Date.parse(dueAt) });
  const other = { ...item, dueAt: new Date().toISOString() };
  assert.equal((await engine.handler.begin(other)).is, "later", "it was put off since");
  assert.equal((await engine.handler.begin({ ...item, dueAt })).is, "begun");
  await ended.promise;
  await engine.stop();
  await store.close();
});
