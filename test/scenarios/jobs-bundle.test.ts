import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { eventually } from "./approving.ts";
import { fixture } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const steps = [{ id: "note", tool: "fx.echo", arguments: { message: "hi" } }];
const recurrence = { frequency: "hourly" };
const job = { name: "digest", personas: ["Atlas"], task_graph: [{ task: "work" }], recurrence };

test("a job that a bundle brings has its time at once, in a plane that begins jobs by the clock", async () => {
  await using directory = await temporaryDirectory();
  const work = { skills: [skill("say", { steps })], tasks: [task("work", ["say"])], jobs: [job] };
  const config = await workConfig(directory, { fx: fixture("echo") }, work);
  const dataDirectory = directory.file("data");
  await using source = await createPlane({ config, dataDirectory: directory.file("source") });
  const { bundle, fingerprint } = await source.registry.export();
  await using plane = await createPlane({
    config: { mcpServers: { fx: fixture("echo") }, bundles: { trustedKeys: [fingerprint] } },
    dataDirectory,
    schedules: true,
  });
  plane.start();
  const store = await openSqliteStore(directory.file("data/toolplane.db"));
  const timesNow = async () => (await store.jobSchedules()).map(({ job: name }) => name);
  assert.deepEqual(await timesNow(), []);
  await plane.registry.import(bundle, { reason: "release 7" });
  const times = await eventually("its time", async () => {
    const names = await timesNow();
    return names.length > 0 ? names : undefined;
  });
  assert.deepEqual(times, ["digest"]);
  await store.close();
});
