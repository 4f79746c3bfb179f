import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type PlaneEvent } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const steps = [{ id: "try", tool: "echo.fail", arguments: {} }];
const policy = { contact: "ops@example.org", level: "high", timeframe: "1h", auto_escalate: true };
const job = (name: string, work: string, more: object = {}) => ({
  name,
  personas: ["Atlas"],
  task_graph: [{ task: work }],
  ...more,
});
const work = {
  skills: [
    skill("break", { steps, required_capabilities: [], capability_tags: ["luck"] }),
    skill("break", { steps, persona: "Nova", capability_tags: ["own luck"] }),
  ],
  tasks: [task("attempt", ["break"], { escalation_policy: policy }), task("quiet", ["break"])],
  jobs: [
    job("loud", "attempt", { escalation_policy: { contact: "nobody" } }),
    job("calm", "quiet", { escalation_policy: { contact: "ann" } }),
    job("unready", "quiet", {
      required_skills: ["gone"],
      required_tools: ["echo.gone"],
      escalation_policy: policy,
    }),
    job("both", "quiet", { personas: ["Nova", "Atlas"] }),
  ],
};

suite("a job that fails", () => {
  test("says whom to tell, and tells it by itself where its manifest says so", async () => {
    await using directory = await temporaryDirectory();
    const config = await workConfig(directory, { echo: fixture("echo") }, work);
    await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
    const told: PlaneEvent[] = [];
    plane.on("job.escalated", (event) => told.push(event));
    const loud = await plane.jobs.run("loud", { wait: true });
    assert.equal(loud.state, "failed");
    assert.match(loud.error?.message ?? "", /failed\. Tell ops@example\.org \(level high, 1h\)\.$/);
    assert.deepEqual(loud.tasks[0]?.error?.data.escalation, {
      contact: "ops@example.org",
      level: "high",
      timeframe: "1h",
    });
    const calm = await plane.jobs.run("calm", { wait: true });
    assert.match(calm.error?.message ?? "", /failed\. Tell ann\.$/);
    assert.deepEqual(
      told.map(
        (event) =>
          "task" in event && "contact" in event && [event.runId, event.task, event.contact],
      ),
      [[loud.id, "attempt", "ops@example.org"]],
    );
  });

  test("is not begun where it needs what is missing, and says what it needs altogether", async () => {
    await using directory = await temporaryDirectory();
    const config = await workConfig(directory, { echo: fixture("echo") }, work);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const run = await runCli(["jobs", "run", "unready", ...place]);
    assert.equal(run.code, 4);
    assert.match(
      run.stderr,
      /it needs the skill 'gone'; No tool 'echo\.gone'.*Tell ops@example\.org/,
    );
    await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
    const [last] = (await plane.jobs.history("unready")).runs;
    assert.deepEqual(last?.error?.data.required_capabilities, ["luck"]);
    assert.deepEqual(last?.tasks[0]?.steps, []);
    const shown = await runCli(["jobs", "show", "unready", ...place]);
    assert.match(shown.stdout, /needs +luck\n/);
    assert.match(shown.stdout, /escalate +ops@example\.org, high, 1h, by itself/);
    assert.match(shown.stdout, /quiet: needs luck/);
  });

  test("is seen by each persona with what that persona's own work needs", async () => {
    await using directory = await temporaryDirectory();
    const config = await workConfig(directory, { echo: fixture("echo") }, work);
    await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
    const needsOf = async (persona?: string) => {
      const { jobs, tasks } = await plane.registry.summary(
        persona === undefined ? {} : { persona },
      );
      const both = jobs.find(({ name }) => name === "both");
      const quiet = tasks.find(({ name }) => name === "quiet");
      return [
        both?.required_capabilities,
        both?.task_graph[0]?.required_capabilities,
        quiet?.required_capabilities,
      ];
    };
    assert.deepEqual(await needsOf(), [["luck"], ["luck"], ["luck"]]);
    assert.deepEqual(await needsOf("nova"), [["own luck"], ["own luck"], ["own luck"]]);
    const { jobs } = await plane.registry.summary({ persona: "Nova" });
    assert.deepEqual(
      jobs.map(({ name }) => name),
      ["both"],
    );
  });
});
