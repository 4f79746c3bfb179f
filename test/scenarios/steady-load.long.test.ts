import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createPlane } from "../../src/index.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { within } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const callers = 32;
/** So many calls in a second make SQLite use its thread. */
const callsBefore = 1_500;
const jobRuns = 3;

const work = {
  skills: [skill("say", { steps: [{ id: "say", tool: "now", arguments: {} }] })],
  tasks: [task("say", ["say"])],
  jobs: [
    {
      name: "say",
      personas: ["Atlas"],
      task_graph: [{ task: "say" }],
      accepts_external_requests: true,
    },
  ],
};

/** Calls are made without a pause, while others list calls and run jobs; then all of it ends. */
async function assertWorksUnderLoad(store?: string): Promise<void> {
  await using directory = await temporaryDirectory();
  const config = await workConfig(directory, {}, work);
  const plane = await createPlane({
    config,
    dataDirectory: directory.file("data"),
    schedules: true,
    ...(store === undefined ? {} : { store }),
  });
  plane.tools.register({
    manifest: { name: "now", description: "The time.", side_effects: "none" },
    // As a server would: the event loop has other things to do, too.
    run: () => nextTurn(String(Date.now())),
  });
  plane.start();
  let isLoaded = true;
  let made = 0;
  const load = Array.from({ length: callers }, async () => {
    while (isLoaded) {
      const { ok } = await plane.call("now", {});
      assert.ok(ok);
      made += 1;
    }
  });
  try {
    await until("the load", () => made >= (store === undefined ? callsBefore : callers));
    for (let at = 0; at < jobRuns; at += 1) {
      const run = within(`run ${at} of the job`, plane.jobs.run("say", { wait: true }));
      const [newest] = await within(`list ${at}`, plane.calls.list({ limit: 1 }));
      assert.ok(newest);
      assert.equal((await run).state, "succeeded");
    }
  } finally {
    isLoaded = false;
    await Promise.all(load);
    await within("the end", plane.stop());
  }
  await using after = await createPlane({
    config: {},
    dataDirectory: directory.file("data"),
    ...(store === undefined ? {} : { store }),
  });
  const { ok, calls } = await after.calls.verify();
  assert.deepEqual([ok, calls], [true, made + jobRuns]);
}

test("under a steady load calls are listed, jobs end and the plane stops, with SQLite", () =>
  assertWorksUnderLoad());

test("under a steady load calls are listed, jobs end and the plane stops, with Postgres", async () => {
  await using server = await startPostgres();
  await assertWorksUnderLoad(server.address());
});
