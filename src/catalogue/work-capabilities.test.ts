import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { JobManifest, TaskManifest } from "../model/work/job.ts";
import { SkillManifest } from "../model/work/skill.ts";
import { jobCapabilities, nodeCapabilities, taskCapabilities } from "./work-entries.ts";

const place = { file: "/m.json", source: "manifest:m.json" };
const skill = (name: string, needs: string[], tags: string[], more: object = {}) => ({
  ...SkillManifest.parse({
    name,
    version: "1.0.0",
    instruction_prompt: "Do it.",
    required_tools: [],
    required_capabilities: needs,
    safety_notes: "",
    capability_tags: tags,
    ...more,
  }),
  ...place,
});
const tool = (name: string, capabilities: string[], persona: string | null = null) =>
  sampleTool({
    id: { server: null, tool: name },
    name,
    persona,
    metadata: sampleMetadata({ capabilities }),
  });
const job = (more: object) =>
  JobManifest.parse({ name: "j", personas: ["Atlas"], task_graph: [{ task: "t" }], ...more });

const task = (name: string, more: object = {}) => ({
  ...TaskManifest.parse({ name, summary: "S", acceptance_criteria: ["done"], ...more }),
  ...place,
});
const known = (
  skills: ReturnType<typeof skill>[],
  tools: Tool[],
  tasks: ReturnType<typeof task>[] = [],
) => ({
  skills,
  tasks,
  toolsNamed: (name: string) => tools.filter((one) => one.name === name),
});

test("a job needs what its skills and tools need, each once", () => {
  const all = known([skill("s", ["browse"], ["cite", "Browse"])], [tool("t", ["cite", "store"])]);
  const needed = jobCapabilities(
    job({ required_skills: ["s", "gone"], required_tools: ["t"] }),
    all,
  );
  assert.deepEqual(needed, ["browse", "cite", "store"]);
});

test("a persona's job takes the persona's own where there is one", () => {
  const all = known(
    [skill("s", ["shared"], []), skill("s", ["own"], [], { persona: "Atlas" })],
    [tool("t", ["foreign"], "Nova"), tool("t", ["common"])],
  );
  const asked = { required_skills: ["s"], required_tools: ["t"] };
  assert.deepEqual(jobCapabilities(job({ ...asked, persona: "atlas" }), all), ["own", "common"]);
  assert.deepEqual(jobCapabilities(job(asked), all), ["shared", "common"]);
});

test("a task needs what its skills and tools need, and its job needs that as well", () => {
  const tasks = [
    task("look", { required_skills: ["s"], required_tools: ["t"] }),
    task("look", { required_skills: ["s"], persona: "Atlas" }),
  ];
  const all = known([skill("s", ["browse"], [])], [tool("t", ["store"])], tasks);
  const graph = job({ task_graph: [{ task: "look" }, { task: "gone" }] });
  assert.deepEqual(
    tasks.map((one) => taskCapabilities(one, all)),
    [["browse", "store"], ["browse"]],
  );
  assert.deepEqual(jobCapabilities(graph, all), ["browse", "store"]);
  assert.deepEqual(jobCapabilities({ ...graph, persona: "Atlas" }, all), ["browse"]);
  assert.deepEqual(nodeCapabilities("gone", undefined, all), []);
});
