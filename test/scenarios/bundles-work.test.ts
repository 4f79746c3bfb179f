import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const steps = [{ id: "say", tool: "echo.echo", arguments: { message: "hello" } }];
const work = {
  skills: [skill("greet", { steps })],
  tasks: [task("welcome", ["greet"])],
  jobs: [
    {
      name: "daily",
      personas: ["Atlas"],
      task_graph: [{ task: "welcome" }],
      recurrence: { cron: "@daily" },
    },
  ],
};

test("what a bundle brought is deleted again, from the last that needs it to the first", async () => {
  await using directory = await temporaryDirectory();
  const source = await workConfig(directory, { echo: fixture("echo") }, work);
  const bundle = directory.file("all.bundle");
  {
    await using plane = await createPlane({
      config: source,
      dataDirectory: directory.file("data"),
    });
    await writeFile(bundle, (await plane.registry.export()).bundle);
  }
  const config = await writeConfig(directory, { echo: fixture("echo") });
  const serving = await startServe(config, directory.file("data"));
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const run = (...words: string[]) => runCli([...words, ...place]);
  try {
    const taken = await run("registry", "import", bundle, "--reason", "try it");
    assert.equal(taken.code, 0, taken.stderr);
    // By the clock from now on, without a start.
    const daily = (await getJson(`${serving.url}/jobs/daily`)).body;
    assert.equal((daily.schedule as { state: string }).state, "scheduled");

    const needed = await run("registry", "delete", "skill", "greet");
    assert.equal(needed.code, 1, needed.stderr);
    assert.match(
      needed.stderr,
      /Skill 'greet' is needed by task 'welcome'\. Delete or change that first\./,
    );
    const task = await fetch(`${serving.url}/tasks/welcome`, {
      method: "DELETE",
      headers: serving.proof,
    });
    assert.equal(task.status, 409);
    assert.match(await task.text(), /is needed by job 'daily'/);

    const gone = await fetch(`${serving.url}/jobs/daily?reason=enough`, {
      method: "DELETE",
      headers: serving.proof,
    });
    assert.deepEqual(await gone.json(), { ok: true });
    const again = await fetch(`${serving.url}/jobs/daily`, {
      method: "DELETE",
      headers: serving.proof,
    });
    assert.deepEqual(await again.json(), { ok: false });
    assert.equal((await getJson(`${serving.url}/jobs/daily`)).status, 404);
    assert.equal((await run("registry", "delete", "task", "welcome")).code, 0);
    const last = await run("registry", "delete", "skill", "greet", "--json");
    assert.deepEqual(last.json(), { kind: "skill", name: "greet", persona: null, deleted: true });
    const { body } = await getJson(`${serving.url}/jobs/changes?limit=1`);
    const [change] = body.changes as { kind: string; name: string; reason: string | null }[];
    assert.deepEqual([change?.kind, change?.name, change?.reason], ["removed", "daily", "enough"]);

    const missing = await run("registry", "delete", "skill", "greet");
    assert.match(missing.stderr, /No skill 'greet' was brought by a bundle/);
    assert.match((await run("registry", "delete", "tool", "x")).stderr, /tools delete x/);
  } finally {
    await serving.stop();
  }
});

test("what a file has is deleted in the file, and a job without its tasks is not taken over", async () => {
  await using directory = await temporaryDirectory();
  const config = await workConfig(directory, { echo: fixture("echo") }, work);
  await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
  await assert.rejects(plane.registry.delete("task", "welcome"), {
    code: "CONFLICT",
    message: "Task 'welcome' comes from the file 'work/tasks.json'. Remove it there.",
  });
  const { bundle } = await plane.registry.export({ kinds: ["job"] });
  await using other = await createPlane({ config: {}, dataDirectory: directory.file("data") });
  await assert.rejects(other.registry.import(bundle, { reason: "try" }), {
    code: "ENTRY_INVALID",
    message: /job 'daily': task_graph\[0\]\.task: there is no task 'welcome'/,
  });
});
