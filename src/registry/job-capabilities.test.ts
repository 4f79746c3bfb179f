import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { JobManifest } from "../model/job.ts";
import { SkillManifest } from "../model/skill.ts";
import { jobCapabilities } from "./job-capabilities.ts";

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

test("a job needs what its skills and tools need, each once", () => {
  const known = {
    skills: [skill("s", ["browse"], ["cite", "browse"])],
    tools: [tool("t", ["cite", "store"])],
  };
  const needed = jobCapabilities(job({ required_skills: ["s", "gone"], required_tools: ["t"] }), known);
  assert.deepEqual(needed, ["browse", "cite", "store"]);
});

test("a persona's job takes the persona's own where there is one", () => {
  const known = {
    skills: [skill("s", ["shared"], []), skill("s", ["own"], [], { persona: "Atlas" })],
    tools: [tool("t", ["foreign"], "Nova"), tool("t", ["common"])],
  };
  const asked = { required_skills: ["s"], required_tools: ["t"] };
  assert.deepEqual(jobCapabilities(job({ ...asked, persona: "Atlas" }), known), ["own", "common"]);
  assert.deepEqual(jobCapabilities(job(asked), known), ["shared", "common"]);
});
