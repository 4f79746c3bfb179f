import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaneError } from "@toolplane/core/model/errors";
import { JobManifest, TaskManifest } from "@toolplane/core/model/work/job";
import { escalationOf, withEscalation } from "./job-work.ts";

const failure = new PlaneError("TIMEOUT", "It took too long", { data: { tool: "t", sent: true } });
const policy = {
  level: "high",
  contact: "ops@example.org",
  timeframe: "1h",
  notes: "See the handbook",
  actions: ["look at the queue", "begin it again"],
};
const job = (more: object = {}) =>
  JobManifest.parse({ name: "j", personas: ["Atlas"], task_graph: [{ task: "t" }], ...more });
const task = (more: object = {}) =>
  TaskManifest.parse({ name: "t", summary: "S", acceptance_criteria: ["x"], ...more });

test("a failure says whom to tell and what to do, and keeps what it was", () => {
  const told = withEscalation(failure, policy);
  assert.equal(
    told.message,
    "It took too long. Tell ops@example.org (level high, 1h). To do: look at the queue; begin it again. See the handbook.",
  );
  assert.deepEqual(
    [told.code, told.data],
    ["TIMEOUT", { tool: "t", sent: true, escalation: policy }],
  );
  assert.equal(
    withEscalation(failure, { level: "low" }).message,
    "It took too long. Escalate it (level low).",
  );
});

test("a policy that names codes is for those; other words of it choose nothing", () => {
  const about = (...triggers: string[]) =>
    withEscalation(failure, { ...policy, triggers }) !== failure;
  assert.deepEqual(
    [about("BUSY"), about("TIMEOUT", "BUSY"), about("the report is late")],
    [false, true, true],
  );
  assert.equal(withEscalation(failure, undefined), failure);
  assert.equal(withEscalation(failure, {}), failure);
});

test("what is escalated by itself gets the task that failed, by its policy or that of the job", () => {
  const run = {
    id: "r",
    user: "ada",
    error: { code: "TIMEOUT" },
    tasks: [{ task: "t", error: {} }],
    principal: {},
  } as never;
  const facts = {
    type: "job.escalated",
    runId: "r",
    user: "ada",
    job: "j",
    task: "t",
    code: "TIMEOUT",
  };
  const anonymous = { level: null, contact: null, timeframe: null, actions: [] };
  const auto = { auto_escalate: true };
  assert.deepEqual(escalationOf(job({ escalation_policy: auto }), run, [task()]), {
    ...facts,
    ...anonymous,
  });
  const own = task({ escalation_policy: { ...auto, contact: "ann" } });
  assert.deepEqual(escalationOf(job({ escalation_policy: auto }), run, [own]), {
    ...facts,
    ...anonymous,
    contact: "ann",
  });
  const quiet = task({ escalation_policy: { contact: "ann" } });
  assert.equal(escalationOf(job({ escalation_policy: auto }), run, [quiet]), null);
});
