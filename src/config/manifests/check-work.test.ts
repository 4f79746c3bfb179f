import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { checkSkill, checkTask } from "./check-work.ts";
import { toEntry } from "./entries.ts";
import { readManifests } from "./read-manifests.ts";

const document = { file: "/work.json", data: [], lineOf: () => null };
const place = { document, source: [], path: "", fallbackName: undefined };

function problemsOf(check: typeof checkSkill | typeof checkTask, written: object): string[] {
  const problems: string[] = [];
  check(
    toEntry({ ...written }, place),
    (path, message, hint) => void problems.push([path.join("."), message, hint].filter(Boolean).join(" | ")),
  );
  return problems;
}

test("a key that nobody knows is told with the one that was meant, at any depth", () => {
  const task = { kind: "task", name: "t", summary: "S", sumary: "x", acceptance_criteria: [] };
  assert.deepEqual(problemsOf(checkTask, { ...task, escalation_policy: { contct: "ops" } }), [
    "acceptance_criteria | must not be empty",
    "escalation_policy.contct | 'contct' is no key of it | Did you mean 'contact'?",
    "sumary | 'sumary' is no key of it | Did you mean 'summary'?",
  ]);
});

test("a step that depends on nothing is not told to depend on itself", () => {
  const steps = [{ id: "s", tool: "t", depends_on: ["z"] }];
  const skill = { name: "k", version: "1", instruction_prompt: "Do.", required_tools: [] };
  const [problem] = problemsOf(checkSkill, { ...skill, required_capabilities: [], safety_notes: "", steps });
  assert.equal(problem, "steps.0.depends_on | step 's' depends on 'z', which is not there | Check the name.");
});

test("who collaborates is asked about what a model says, so there has to be one and somebody", () => {
  const skill = { name: "k", version: "1", instruction_prompt: "Do.", required_tools: [], safety_notes: "" };
  const about = (more: object) => problemsOf(checkSkill, { ...skill, required_capabilities: [], ...more });
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

test("a skill that no file has is told of, and costs nothing: somebody may set it", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("work.json");
  const skill = { name: "report", version: "1", instruction_prompt: "Do.", safety_notes: "" };
  const task = { name: "t", summary: "S", acceptance_criteria: ["x"], required_skills: ["reprot", "own"] };
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
      ["warning", "[2].required_skills[0]", "no file has a skill 'reprot'", "Did you mean 'report'?"],
      ["warning", "[3].required_skills[0]", "no file has a skill 'own'", "Check the name."],
    ],
  );
});
