import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, principalOf } from "../../src/index.ts";
import type { JobStatus } from "../../src/model/plane-work.ts";
import type { JobRun } from "../../src/model/work/run-schema.ts";

import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import { fixture, type RunningServe, runCli, startServe } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const graph = [
  { task: "ask" },
  { task: "tell", depends_on: ["ask"], input: { message: "${tasks.ask.result} again" } },
];
const work = {
  skills: [
    skill("say", {
      steps: [{ id: "say", tool: "fx.echo", arguments: { message: "${input.message}" } }],
    }),
    skill("wait", { steps: [{ id: "wait", tool: "fx.slow", arguments: { ms: 600_000 } }] }),
    skill("break", { steps: [{ id: "break", tool: "fx.fail", arguments: {} }] }),
  ],
  tasks: [
    task("ask", ["say"]),
    task("tell", ["say"]),
    task("hang", ["wait"]),
    task("fall", ["break"]),
  ],
  jobs: [
    {
      name: "news",
      personas: ["Atlas"],
      task_graph: graph,
      input: { message: "hello" },
      recurrence: { cron: "0 9 * * mon", timezone: "Europe/Berlin" },
      accepts_external_requests: true,
    },
    { name: "endless", personas: ["Atlas"], task_graph: [{ task: "hang" }] },
    {
      name: "broken",
      personas: ["Atlas"],
      input: { message: "never said" },
      task_graph: [{ task: "fall" }, { task: "tell", depends_on: ["fall"] }],
    },
  ],
};

suite("jobs", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let config: string;
  before(async () => {
    directory = await temporaryDirectory();
    config = await workConfig(directory, { fx: fixture("echo") }, work);
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });
  const run = async (...words: string[]) =>
    runCli([...words, "--json", "--config", config, "--data-dir", directory.file("data")]);
  const post = async (path: string, body: unknown = {}, wait = 20) => {
    const headers = { prefer: `wait=${wait}`, ...serving.proof };
    const response = await fetch(`${serving.url}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers,
    });
    return {
      status: response.status,
      body: (await response.json()) as { run: JobRun } & JobStatus,
    };
  };

  test("run over HTTP: tasks in their order, with what those before said, and in the numbers of the job", async () => {
    const { status, body } = await post("/jobs/news/run", { idempotencyKey: "once" });
    assert.deepEqual([status, body.run.state, body.run.persona], [200, "succeeded", "Atlas"]);
    assert.deepEqual(
      body.run.tasks.map(({ task: name, state }) => `${name} ${state}`),
      ["ask done", "tell done"],
    );
    const again = await post("/jobs/news/run", { idempotencyKey: "once" });
    assert.equal(again.body.run.id, body.run.id, "asking twice with one key is asking once");
    const other = await post("/jobs/news/run", { input: { message: "hi" } });
    assert.notEqual(other.body.run.id, body.run.id);
    const { body: summary } = await getJson(`${serving.url}/registry/summary?persona=Atlas`);
    const news = (summary.jobs as { name: string; health: { job: { total: number } } }[]).find(
      ({ name }) => name === "news",
    );
    assert.equal(news?.health.job.total, 2);
    const page = await getJson(`${serving.url}/jobs/news/runs?limit=1`);
    assert.deepEqual(
      [(page.body.runs as JobRun[])[0]?.id, page.body.nextCursor],
      [other.body.run.id, other.body.run.id],
    );
    const { body: events } = {
      body: await (await fetch(`${serving.url}/job-runs/${body.run.id}`)).json(),
    };
    assert.equal((events as JobRun).tasks[1]?.steps[0]?.state, "succeeded");
  });

  test("from the command line beside it: show, run, history, rerun, pause and resume", async () => {
    const ran = await run("jobs", "run", "news", "message=cli");
    const first = ran.json().run as JobRun;
    assert.deepEqual(
      [ran.code, first.state, first.origin],
      [0, "succeeded", "request"],
      ran.stderr,
    );
    const rerun = (await run("jobs", "rerun", first.id)).json().run as JobRun;
    assert.deepEqual([rerun.state, rerun.rerunOf, rerun.origin], ["succeeded", first.id, "rerun"]);
    const { runs } = (await run("jobs", "history", "news", "--limit", "2")).json();
    assert.deepEqual(
      (runs as JobRun[]).map(({ id }) => id),
      [rerun.id, first.id],
    );
    const shown = (await run("jobs", "show", "news")).json().job as JobStatus;
    assert.deepEqual([shown.schedule.state, shown.lastRun?.id], ["scheduled", rerun.id]);
    assert.match(shown.schedule.nextAt ?? "", /T0[78]:00:00/, "nine o'clock in Berlin");
    const paused = (await run("jobs", "pause", "news")).json().job as JobStatus;
    assert.deepEqual([paused.schedule.state, paused.schedule.nextAt], ["paused", null]);
    const resumed = (await run("jobs", "resume", "news")).json().job as JobStatus;
    assert.equal(resumed.schedule.nextAt, shown.schedule.nextAt);
    assert.equal((await run("jobs", "pause", "endless")).json().error?.code, "CONFLICT");
    assert.deepEqual(
      [
        (await run("jobs", "show", "nwes")).code,
        (await run("jobs", "history", "news", "--limit", "0")).code,
      ],
      [1, 2],
    );
  });

  test("a run that takes for ever is cancelled, and one more waits for its turn until then", async () => {
    const { status, body } = await post("/jobs/endless/run", {}, 0);
    assert.equal(status, 202);
    const second = await post("/jobs/endless/run", {}, 0);
    assert.equal(second.body.run.state, "scheduled");
    await run("jobs", "cancel", second.body.run.id);
    const cancelled = await post(`/job-runs/${body.run.id}/cancel`);
    assert.equal((cancelled.body as unknown as JobRun).state, "cancelled");
    assert.equal((await post(`/job-runs/${body.run.id}/cancel`)).status, 409);
  });

  test("a run that fails says where, and what comes after is not begun", async () => {
    const failed = await run("jobs", "run", "broken");
    const { state, error, tasks } = failed.json().run as JobRun;
    assert.deepEqual([failed.code, state, error?.code], [1, "failed", "TOOL_ERROR"]);
    assert.deepEqual(
      tasks.map((one) => `${one.task} ${one.state} ${one.attempts} ${one.error?.code ?? "-"}`),
      ["fall cancelled 1 TOOL_ERROR", "tell cancelled 0 -"],
    );
  });

  test("who may do what: personas, scopes and what is meant for others", async () => {
    await using plane = await createPlane({ config });
    const atlas = principalOf({ user: "ada", persona: "Atlas" });
    const nova = principalOf({ user: "nova", persona: "Nova" });
    const anonymous = principalOf({ user: "bob" });
    const mine = await plane.jobs.run("news", { principal: atlas });
    assert.deepEqual([mine.state, mine.user], ["succeeded", "ada"]);
    await assert.rejects(
      plane.jobs.run("endless", { principal: atlas }),
      /accepts_external_requests/,
    );
    await assert.rejects(plane.jobs.run("news", { principal: nova }), { code: "NOT_FOUND" });
    await assert.rejects(plane.jobs.run("news", { principal: anonymous }), { code: "FORBIDDEN" });
    await assert.rejects(plane.jobs.pause("news", { principal: atlas }), { code: "FORBIDDEN" });
    const other = principalOf({ user: "eve", persona: "Atlas" });
    assert.deepEqual((await plane.jobs.history("news", {}, { principal: other })).runs, []);
    await assert.rejects(plane.jobs.status(mine.id, { principal: other }), { code: "NOT_FOUND" });
    await assert.rejects(plane.jobs.cancel(mine.id, { principal: other }), { code: "NOT_FOUND" });
  });
});

test("pausing and resuming are reported when they change something, and only then", async () => {
  await using directory = await temporaryDirectory();
  const recurrence = { cron: "0 3 * * *" };
  const job = { name: "nightly", personas: ["Atlas"], recurrence, task_graph: [{ task: "a" }] };
  const config = await workConfig(
    directory,
    {},
    { skills: [], tasks: [task("a", [])], jobs: [job] },
  );
  await using plane = await createPlane({ config });
  const told: string[] = [];
  plane.on("job.paused", ({ type }) => told.push(type));
  plane.on("job.resumed", ({ type }) => told.push(type));
  await plane.jobs.resume("nightly");
  for (let time = 0; time < 2; time++) await plane.jobs.pause("nightly");
  for (let time = 0; time < 2; time++) await plane.jobs.resume("nightly");
  assert.deepEqual(told, ["job.paused", "job.resumed"]);
});

test("graphs that go round or lead nowhere are refused with file and line, and the other jobs stay", async () => {
  await using directory = await temporaryDirectory();
  const nodes = [
    { task: "a", depends_on: ["b"] },
    { task: "b", depends_on: ["a"] },
  ];
  const steps = [
    { id: "x", tool: "t", arguments: { v: "${steps.y.result}" } },
    { id: "y", tool: "t", depends_on: ["x"] },
  ];
  const job = { personas: ["Atlas"], task_graph: [{ task: "a" }] };
  const config = await workConfig(
    directory,
    {},
    {
      skills: [skill("round", { steps })],
      tasks: [task("a", []), task("b", [])],
      jobs: [
        { ...job, name: "good" },
        { ...job, name: "round", task_graph: nodes },
        { ...job, name: "gone", task_graph: [{ task: "aa" }, { task: "b", depends_on: ["c"] }] },
        { ...job, name: "never", recurrence: { cron: "0 0 31 2 *" } },
        { ...job, name: "where", recurrence: { frequency: "daily", timezone: "Mars/Base" } },
      ],
    },
  );
  const { code, stdout } = await runCli(["config", "validate", "--config", config, "--json"]);
  const { problems } = JSON.parse(stdout) as {
    problems: { file: string; line: number; message: string }[];
  };
  const told = problems.map(({ file, message }) => `${file.split("/").at(-1)}: ${message}`);
  assert.deepEqual(
    [code === 0, told],
    [
      false,
      [
        "skills.json: steps wait for each other: x → y → x",
        "jobs.json: tasks wait for each other: a → b → a",
        "jobs.json: task 'b' depends on 'c', which does not exist",
        "jobs.json: there is no task 'aa'",
        "jobs.json: '0 0 31 2 *' never comes",
        "jobs.json: 'Mars/Base' is not a valid time zone",
      ],
    ],
  );
  assert.ok(
    problems.every(({ line }) => line > 1),
    "each with its line",
  );
  await using plane = await createPlane({ config });
  assert.deepEqual(
    (await plane.jobs.list()).map(({ name }) => name),
    ["good"],
  );
});
