import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import { toEntry } from "./entries.ts";
import { readManifests } from "./read-manifests.ts";

const document = { file: "/work.json", data: [], lineOf: () => null };
const place = { document, source: [], path: "", fallbackName: undefined };

function problemsOf(
  check: typeof checkSkill | typeof checkTask | typeof checkJob,
  written: object,
): string[] {
  const problems: string[] = [];
  check(
    toEntry({ ...written }, place),
    (path, message, hint) =>
      void problems.push([path.join("."), message, hint].filter(Boolean).join(" | ")),
  );
  return problems;
}

test("an unknown key is reported with the nearest known one, at any depth", () => {
  const task = { kind: "task", name: "t", summary: "S", sumary: "x", acceptance_criteria: [] };
  assert.deepEqual(problemsOf(checkTask, { ...task, escalation_policy: { contct: "ops" } }), [
    "acceptance_criteria | must not be empty",
    "escalation_policy.contct | unknown key 'contct' | Did you mean 'contact'?",
    "sumary | unknown key 'sumary' | Did you mean 'summary'?",
  ]);
});

test("a step that depends on nothing is not told to depend on itself", () => {
  const steps = [{ id: "s", tool: "t", depends_on: ["z"] }];
  const skill = { name: "k", version: "1", instruction_prompt: "Do.", required_tools: [] };
  const [problem] = problemsOf(checkSkill, {
    ...skill,
    required_capabilities: [],
    safety_notes: "",
    steps,
  });
  assert.equal(
    problem,
    "steps.0.depends_on | step 's' depends on 'z', which does not exist | Check the name.",
  );
});

test("a skill that collaborates has an answer of a model and at least one participant", () => {
  const skill = {
    name: "k",
    version: "1",
    instruction_prompt: "Do.",
    required_tools: [],
    safety_notes: "",
  };
  const about = (more: object) =>
    problemsOf(checkSkill, { ...skill, required_capabilities: [], ...more });
  assert.deepEqual(about({ collaboration: { enabled: true } }), [
    "collaboration.participants | must not be empty | Name a model for each of them.",
  ]);
  const participants = [{ id: "a" }, { id: "a" }];
  assert.deepEqual(
    about({ collaboration: { enabled: true, participants }, steps: [{ id: "s", tool: "t" }] }),
    [
      "collaboration | is for skills that a model follows | Leave it out, or leave 'steps' out.",
      "collaboration.participants.1.id | there is another 'a' before it | Name it once.",
    ],
  );
  assert.deepEqual(about({ collaboration: { enabled: false } }), []);
});

test("a job refers to what it was given and to what tasks before it said, and to nothing else", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("work.json");
  const task = { summary: "S", acceptance_criteria: ["x"] };
  const graph = (input: object) => [{ task: "a" }, { task: "b", depends_on: ["a"], input }];
  await writeFile(
    file,
    JSON.stringify([
      { ...task, name: "a" },
      { ...task, name: "b" },
      {
        name: "good",
        personas: ["P"],
        task_graph: graph({ v: "${tasks.a.result.x} ${input.y} ${HOME}" }),
      },
      {
        name: "bad",
        personas: ["P"],
        task_graph: graph({ v: "${steps.a.result}", w: "${tasks.a.x}" }),
      },
      { name: "loose", personas: ["P"], task_graph: graph({ v: ["for ${city}"] }) },
    ]),
  );
  const { manifests, problems } = await readManifests([file], directory.path, {});
  assert.deepEqual(
    manifests.jobs.map(({ name }) => name),
    ["good", "loose"],
  );
  assert.deepEqual(
    problems.map(({ severity, path, message, hint }) =>
      [severity, path, message, hint].join(" | "),
    ),
    [
      "error | [3].task_graph[1].input | '${steps.a}' refers to nothing a task can see | Begin with 'input.' or 'tasks.'.",
      "error | [3].task_graph[1].input | the result of task 'a' is ${tasks.a.result} | Add '.result' behind its name.",
      "warning | [4].task_graph[1].input | '${city}' is sent unchanged | Write ${input.city} for what a run is given.",
    ],
  );
  assert.deepEqual(problems[0]?.entry, { kind: "job", name: "bad" });
});

test("an interval that leads out of every calendar is refused", () => {
  const job = { kind: "job", name: "j", personas: ["P"], task_graph: [{ task: "t" }] };
  const every = (interval: number) =>
    problemsOf(checkJob, { ...job, recurrence: { frequency: "monthly", interval } });
  assert.deepEqual([every(10_000), every(1e9).length], [[], 1]);
  assert.match(every(1e9)[0] ?? "", /^recurrence\.interval \| .*10000/);
});

test("what is left out is reported by its name", () => {
  assert.deepEqual(problemsOf(checkTask, { kind: "task", name: "t", required_skills: [] }), [
    "summary | is missing | Add it as a string.",
    "acceptance_criteria | is missing | Add it as a list.",
  ]);
});

test("a skill that no file has is only a warning: it may be set later", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("work.json");
  const skill = { name: "report", version: "1", instruction_prompt: "Do.", safety_notes: "" };
  const task = {
    name: "t",
    summary: "S",
    acceptance_criteria: ["x"],
    required_skills: ["reprot", "own"],
  };
  await writeFile(
    file,
    JSON.stringify([
      { ...skill, required_tools: [], required_capabilities: [] },
      { ...skill, required_tools: [], required_capabilities: [], name: "own", persona: "Atlas" },
      task,
      { name: "j", personas: ["Nova"], required_skills: ["own"], task_graph: [{ task: "t" }] },
    ]),
  );
  const { manifests, problems } = await readManifests([file], directory.path, {});
  assert.deepEqual([manifests.tasks.length, manifests.jobs.length], [1, 1]);
  assert.deepEqual(
    problems.map(({ severity, path, message, hint }) => [severity, path, message, hint]),
    [
      [
        "warning",
        "[2].required_skills[0]",
        "no file has a skill 'reprot'",
        "Did you mean 'report'?",
      ],
      ["warning", "[3].required_skills[0]", "no file has a skill 'own'", "Check the name."],
    ],
  );
});
