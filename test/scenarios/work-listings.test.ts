import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { JobListing, SkillListing, TaskEntry } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import { fixture, type RunningServe, runCli, startServe } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123";
const daily = { recurrence: { frequency: "daily", start_date: "2030-01-01" } };
const work = {
  skills: [
    skill("tell", {
      steps: [
        { id: "look", tool: "fx.echo", arguments: { message: "${input.city}" } },
        {
          id: "send",
          tool: "fx.echo_all",
          arguments: {
            text: "${steps.look.result}",
            token: "${input.token}",
            password: "hunter2-hunter2",
          },
          when: "${input.loud}",
        },
      ],
    }),
  ],
  tasks: [
    task("report", ["tell"], {
      description: "Every morning.",
      escalation_policy: { contact: "ops" },
    }),
    task("think", []),
    { ...task("report", ["tell"], { summary: "Nova's" }), persona: "Nova" },
  ],
  jobs: [
    {
      name: "digest",
      personas: ["Atlas"],
      input: { city: "Rome", token: secret },
      ...daily,
      task_graph: [{ task: "report", input: { password: "swordfish-swordfish" } }],
    },
    {
      name: "odd/näme & co",
      personas: ["Nova"],
      task_graph: [{ task: "think" }],
      summary: "The digest",
    },
    { name: "zeta", personas: ["Atlas"], task_graph: [{ task: "think" }], ...daily },
  ],
};

suite("what manifests describe", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let place: string[];
  before(async () => {
    directory = await temporaryDirectory();
    const config = await workConfig(directory, { fx: fixture("echo") }, work);
    place = ["--config", config, "--data-dir", directory.file("data")];
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });
  const get = async (path: string) => (await getJson(`${serving.url}${path}`)).body;
  const printed = async (...words: string[]) =>
    (await runCli([...words, "--json", ...place])).json();

  test("is never shown with the secrets that are written into it", async () => {
    const shown = await Promise.all(
      ["/skills/tell", "/skills", "/jobs", "/jobs/digest", "/registry/summary"].map(get),
    );
    const words = JSON.stringify([...shown, await printed("jobs", "show", "digest")]);
    assert.doesNotMatch(words, /abcdefghijklmnop|hunter2-|swordfish-/);
    const { steps } = shown[0] as unknown as SkillListing;
    assert.equal(
      steps?.[1]?.arguments.token,
      "${input.token}",
      "what a step refers to is no secret",
    );
    assert.deepEqual((shown[3] as unknown as JobListing).input?.city, "Rome");
  });

  test("a skill tells what it wants to be given, and in which order its steps come", async () => {
    assert.deepEqual((await get("/skills/tell")).required_input, ["city", "token"]);
    const { stdout } = await runCli(["skills", "show", "tell", ...place]);
    assert.match(stdout, /input +city, token\n/);
    assert.match(stdout, /send: fx\.echo_all \(after look\)/);
  });

  test("jobs are listed a page at a time with when they are due, over HTTP and at the command line", async () => {
    const paused = await runCli(["jobs", "pause", "digest", ...place]);
    assert.equal(paused.code, 0, paused.stderr);
    const first = await printed("jobs", "list", "--limit", "2");
    const rest = await get(`/jobs?limit=100&cursor=${first.nextCursor}`);
    assert.deepEqual([first.total, rest.total, rest.nextCursor], [3, 3, null]);
    const jobs = [...(first.jobs as JobListing[]), ...(rest.jobs as JobListing[])];
    assert.deepEqual(
      jobs.map(({ name, schedule }) => `${name}: ${schedule.state} ${schedule.nextAt}`),
      [
        "digest: paused null",
        "odd/näme & co: on_request null",
        "zeta: scheduled 2030-01-01T00:00:00.000Z",
      ],
    );
    const { stdout } = await runCli(["jobs", "list", "--query", "DIGEST", ...place]);
    assert.match(
      stdout,
      /digest +Atlas +report +daily +paused by .+\nodd\/näme & co +Nova +think +on request +- /,
    );
    assert.doesNotMatch(stdout, /zeta/);
    await runCli(["jobs", "resume", "digest", ...place]);
  });

  test("tasks are listed and shown, each with when it counts as done", async () => {
    const { tasks, total } = await printed("tasks", "list", "--limit", "1");
    assert.deepEqual([(tasks as TaskEntry[]).map(({ name }) => name), total], [["report"], 2]);
    const shown = await runCli(["tasks", "show", "report", ...place]);
    assert.match(
      shown.stdout,
      /skills +tell\n(?:.*\n)*escalate +ops\n(?:.*\n)*Done when\n {2}it is done/,
    );
    assert.equal((await get("/tasks/report")).summary, "report");
    assert.equal((await get("/tasks/report?persona=Nova")).summary, "Nova's");
    const missing = await runCli(["tasks", "show", "reprot", ...place]);
    assert.deepEqual([missing.code, missing.stdout], [1, ""]);
    assert.match(missing.stderr, /No task 'reprot'\. Did you mean 'report'\?/);
    const { status } = await getJson(`${serving.url}/tasks/nothing`);
    assert.equal(status, 404);
  });
});
