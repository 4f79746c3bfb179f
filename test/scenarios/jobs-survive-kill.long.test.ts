import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import type { JobRun } from "../../src/model/work/run-schema.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import {
  readLog,
  receivedMessages,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { moveClocks } from "./boss-clock.ts";
import {
  callsAt,
  processFixture as fixture,
  type ServerEntry,
  startServeProcess,
  within,
} from "./support.ts";
import { moveClock, skill, task, workConfig } from "./work-world.ts";

const steps = [
  { id: "note", tool: "fx.echo", arguments: { message: "first" } },
  { id: "long", tool: "fx.slow", arguments: { ms: 700 }, depends_on: ["note"] },
];
const job = { name: "digest", personas: ["Atlas"], task_graph: [{ task: "work" }] };

function setUp(
  directory: TemporaryDirectory,
  entry: ServerEntry,
  more: object = {},
  settings: object = {},
): Promise<string> {
  return workConfig(
    directory,
    { fx: fixture("echo", ["--log", directory.file("log")], entry) },
    {
      skills: [skill("two", { steps })],
      tasks: [task("work", ["two"])],
      jobs: [{ ...job, ...more }],
    },
    settings,
  );
}

/** Kills a plane with kill -9 in the middle of the second step; answers with the id of the run. */
async function killInTheMiddle(directory: TemporaryDirectory, config: string): Promise<string> {
  await using serving = await startServeProcess(config, directory.file("data"));
  const response = await fetch(`${serving.url}/jobs/digest/run`, {
    method: "POST",
    headers: serving.proof,
  });
  const { run } = (await response.json()) as { run: JobRun };
  await until("the second step", () =>
    callsAt(directory.file("log")).some(({ name }) => name === "slow"),
  );
  await serving.stop("SIGKILL");
  return run.id;
}

/** The run, once a plane that finds it has ended it. */
async function endedBy(plane: Plane, id: string): Promise<JobRun> {
  const over = Promise.race([
    new Promise((resolve) => plane.on("job.succeeded", resolve)),
    new Promise((resolve) => plane.on("job.failed", resolve)),
  ]);
  plane.start();
  await within("the end of the run", over);
  return plane.jobs.status(id);
}

suite("a run whose plane was killed", () => {
  test("goes on where it stood, under the same key, where running twice does no harm", async () => {
    await using directory = await temporaryDirectory();
    const config = await setUp(directory, { idempotency_key: true });
    const id = await killInTheMiddle(directory, config);
    using _later = moveClock(31_000);
    await using plane = await createPlane({
      config,
      dataDirectory: directory.file("data"),
      schedules: true,
    });
    const run = await endedBy(plane, id);
    assert.deepEqual([run.state, run.starts, run.tasks[0]?.attempts], ["succeeded", 2, 2]);
    const log = directory.file("log");
    assert.deepEqual(
      callsAt(log).map(({ name }) => name),
      ["echo", "slow", "slow"],
      "what was done is not done again",
    );
    const keyOf = (entry: unknown) =>
      /"toolplane\/idempotencyKey":"(job-[^"]+)"/.exec(JSON.stringify(entry))?.[1] ?? [];
    const [first, second, third] = receivedMessages(readLog(log), "tools/call").map(keyOf);
    assert.equal(second, third, "the key of a step stays the same");
    assert.notEqual(first, second);
  });

  test("fails where the step may have run and may not run twice, and nothing is done again", async () => {
    await using directory = await temporaryDirectory();
    const config = await setUp(directory, {});
    const id = await killInTheMiddle(directory, config);
    using _later = moveClock(31_000);
    await using plane = await createPlane({
      config,
      dataDirectory: directory.file("data"),
      schedules: true,
    });
    const run = await endedBy(plane, id);
    assert.deepEqual([run.state, run.error?.code], ["failed", "OUTCOME_UNKNOWN"]);
    assert.match(run.error?.message ?? "", /'long' of 'two' was begun before .*rerun the job/);
    assert.equal(callsAt(directory.file("log")).length, 2);
  });
});

suite("a run on Postgres", () => {
  let server: RunningPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test("goes on in another plane when the first was killed, and nothing is left of it", async () => {
    await using directory = await temporaryDirectory();
    const store = server.address("killed");
    const config = await setUp(directory, { idempotency_key: true }, {}, { store });
    const id = await killInTheMiddle(directory, config);
    using _later = await moveClocks(server, "killed", 41_000);
    await using plane = await createPlane({
      config,
      dataDirectory: directory.file("other"),
      schedules: true,
    });
    const run = await endedBy(plane, id);
    assert.deepEqual([run.state, run.starts, run.tasks[0]?.attempts], ["succeeded", 2, 2]);
    const names = callsAt(directory.file("log")).map(({ name }) => name);
    assert.deepEqual(names, ["echo", "slow", "slow"], "what was done is not done again");
    await plane.stop();
    assert.deepEqual(await server.run("SELECT id FROM killed_jobs.job"), []);
  });
});

test("a time that was missed is made up for once, by one of two planes on one file, and never by a command", async () => {
  await using directory = await temporaryDirectory();
  const config = await setUp(directory, {}, { recurrence: { frequency: "hourly" } });
  const data = directory.file("data");
  {
    // Two hours ago the plane ran for a moment.
    using _earlier = moveClock(-2 * 3_600_000);
    await using plane = await createPlane({ config, dataDirectory: data, schedules: true });
    await plane.jobs.pause("digest");
    await plane.jobs.resume("digest");
  }
  await using commandLine = await createPlane({ config, dataDirectory: data });
  commandLine.start();
  assert.deepEqual((await commandLine.jobs.history("digest")).runs, []);
  await using first = await startServeProcess(config, data);
  await using _second = await startServeProcess(config, data);
  const runsNow = async () => {
    const response = await fetch(`${first.url}/jobs/digest/runs`);
    return ((await response.json()) as { runs: JobRun[] }).runs;
  };
  let runs = await runsNow();
  for (const end = Date.now() + 20_000; Date.now() < end && runs[0]?.state !== "succeeded"; )
    runs = await runsNow();
  assert.deepEqual(
    runs.map(({ state, origin, starts }) => [state, origin, starts]),
    [["succeeded", "schedule", 1]],
  );
  assert.equal(callsAt(directory.file("log")).length, 2);
});
