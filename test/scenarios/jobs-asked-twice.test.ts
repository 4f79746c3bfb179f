import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, suite, test } from "node:test";
import { createPlane, principalOf } from "../../src/index.ts";
import type { JobRun } from "../../src/model/work/run-schema.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import {
  callsAt,
  processFixture as fixture,
  type RunningServe,
  runCli,
  startCli,
  startServe,
} from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const note = { id: "note", tool: "fx.write_note", arguments: { text: "${input.text}" } };
const more = { id: "more", tool: "fx.echo", arguments: { message: "${input.more}" } };
const work = {
  skills: [skill("write", { steps: [note] }), skill("say", { steps: [more] }), skill("follow", {})],
  tasks: [task("first", ["write"]), task("second", ["say"]), task("think", [])],
  jobs: [
    { name: "note", personas: ["Atlas"], task_graph: [{ task: "first" }] },
    {
      name: "both",
      personas: ["Atlas"],
      task_graph: [{ task: "first" }, { task: "second", depends_on: ["first"] }],
    },
    { name: "thinking", personas: ["Atlas"], task_graph: [{ task: "first" }, { task: "think" }] },
    { name: "round", personas: ["Atlas"], task_graph: [{ task: "first", depends_on: ["first"] }] },
  ],
};

suite("jobs that are asked for", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let config: string;
  let place: string[];
  before(async () => {
    directory = await temporaryDirectory();
    const server = fixture("echo", ["--log", directory.file("log")]);
    config = await workConfig(directory, { fx: server }, work);
    place = ["--config", config, "--data-dir", directory.file("data")];
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });
  const run = (...words: string[]) => runCli([...words, "--json", ...place]);
  const post = async (path: string, body: unknown) => {
    const headers = { prefer: "wait=20", ...serving.proof };
    const response = await fetch(`${serving.url}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json()) as { run: JobRun; detail: string },
    };
  };

  test("with a key that belongs to something else are refused, and what was asked for first stays", async () => {
    const first = (await run("jobs", "run", "note", "text=one", "--key", "k")).json().run as JobRun;
    assert.equal(first.state, "succeeded");
    const same = (await run("jobs", "run", "note", "text=one", "--key", "k")).json().run as JobRun;
    assert.equal(same.id, first.id, "asking twice is asking once");
    const other = await run("jobs", "run", "note", "text=two", "--key", "k");
    assert.deepEqual([other.code, other.json().error?.code], [1, "CONFLICT"]);
    assert.match(
      String(other.json().error?.message),
      new RegExp(`The key 'k' belongs to run '${first.id}' of 'note'`),
    );
    const { status, body } = await post(`/job-runs/${first.id}/rerun`, { idempotencyKey: "k" });
    assert.equal(status, 409, body.detail);
    const again = await post(`/job-runs/${first.id}/rerun`, { idempotencyKey: "k-again" });
    const twice = await post(`/job-runs/${first.id}/rerun`, { idempotencyKey: "k-again" });
    assert.deepEqual([again.body.run.rerunOf, twice.body.run.id], [first.id, again.body.run.id]);
    assert.deepEqual(
      callsAt(directory.file("log")).map(({ arguments: given }) => given),
      [{ text: "one" }, { text: "one" }],
    );
  });

  test("are looked at one by one, by the id that asking for them told", async () => {
    const { body } = await post("/jobs/note/run", { input: { text: "seen" } });
    const shown = await run("jobs", "status", body.run.id);
    assert.deepEqual([shown.code, shown.json().run], [0, body.run]);
    const read = await runCli(["jobs", "status", body.run.id, ...place]);
    assert.match(
      read.stdout,
      /of note: succeeded.*\nTASK .*\nfirst +done +1 +\n +note +succeeded +fx\.write_note/,
    );
    assert.equal((await run("jobs", "status", "nothing")).json().error?.code, "NOT_FOUND");
  });

  test("a page that begins nowhere is no empty page", async () => {
    const bogus = await run("jobs", "history", "note", "--cursor", "bogus");
    assert.deepEqual([bogus.code, bogus.json().error?.code], [2, "USAGE"]);
    const { runs } = (await run("jobs", "history", "note", "--limit", "1")).json();
    const elsewhere = `${serving.url}/jobs/both/runs?cursor=${(runs as JobRun[])[0]?.id}`;
    assert.equal((await getJson(elsewhere)).status, 400);
  });

  test("what is written and cannot be used is reported, and what a job did before it was taken away is kept", async () => {
    const broken = await run("jobs", "run", "round");
    assert.match(
      String(broken.json().error?.message),
      /^Job 'round' cannot be used\. task_graph: tasks wait for each/,
    );
    await using other = await temporaryDirectory();
    const fewer = { ...work, jobs: [] };
    const without = await workConfig(other, { fx: fixture("echo") }, fewer);
    await using plane = await createPlane({
      config: without,
      dataDirectory: directory.file("data"),
    });
    assert.ok((await plane.jobs.history("note")).runs.length > 0);
    const bob = principalOf({ user: "bob" });
    await assert.rejects(plane.jobs.history("note", {}, { principal: bob }), { code: "NOT_FOUND" });
    await assert.rejects(plane.jobs.history("never"), { code: "NOT_FOUND" });
  });

  test("an input that a later task lacks keeps the first from being begun", async () => {
    const before = callsAt(directory.file("log")).length;
    const lacking = await run("jobs", "run", "both", "text=half");
    const { state, error, tasks } = lacking.json().run as JobRun;
    assert.deepEqual([lacking.code, state, error?.code], [4, "failed", "NOT_READY"]);
    assert.match(error?.message ?? "", /task 'second' needs the input 'more'/);
    const mistyped = await run("skills", "run", "write", "txet=half");
    assert.match(
      String(mistyped.json().error?.message),
      /needs the input 'text', and nothing uses 'txet'\.$/,
    );
    assert.deepEqual([tasks[0]?.attempts, callsAt(directory.file("log")).length], [0, before]);
  });

  test("a skill that a model follows is not ready where there is none, nor is a job", async () => {
    await using plane = await createPlane({ config });
    const { error, tasks } = await plane.jobs.run("thinking", { input: { text: "x" } });
    assert.match(error?.message ?? "", /^Job 'thinking' cannot run: No model is configured/);
    assert.equal(tasks[0]?.attempts, 0, "and what comes before it is not begun");
    await assert.rejects(plane.skills.run("follow", {}, { dryRun: true }), {
      code: "NOT_READY",
      message: /No model is configured/,
    });
    await assert.rejects(plane.skills.run("follow", {}, { dryRun: true, model: "big" }), /'big'/);
  });
});

test("a caller who waits for a job learns what waits for a yes, and it goes on with one", async () => {
  await using directory = await temporaryDirectory();
  const config = await workConfig(directory, { fx: fixture("echo") }, work, {
    policy: { profile: "guarded" },
  });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const waiting = startCli(["jobs", "run", "note", "text=careful", ...place]);
  let said = "";
  const approval = () => /approvals approve (\S+)/.exec(said)?.[1];
  const stderr = waiting.process.stderr ?? assert.fail();
  while (approval() === undefined) said += String((await once(stderr, "data"))[0]);
  assert.match(said, /waiting: fx\.write_note needs a person's yes/);
  const yes = await runCli(["approvals", "approve", approval() ?? "", ...place]);
  assert.equal(yes.code, 0, yes.stderr);
  const { code, stdout } = await waiting.result;
  assert.equal(code, 0);
  assert.match(stdout, /first +done/);
});
