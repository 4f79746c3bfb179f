import assert from "node:assert/strict";
import { test } from "node:test";
import type { SkillQuery } from "../model/catalogue/registry-summary.ts";
import { SkillManifest } from "../model/work/skill.ts";
import { querySkills } from "./work.ts";

const skill = (name: string, more: object = {}) => ({
  ...SkillManifest.parse({
    name,
    version: "1.0.0",
    instruction_prompt: `Do ${name}.`,
    required_tools: [],
    required_capabilities: [],
    safety_notes: "",
    ...more,
  }),
  file: "/m.json",
  source: "manifest:m.json",
});
const skills = [
  skill("cite", { required_capabilities: ["Browse"], capability_tags: ["write"] }),
  skill("plan", { summary: "Makes plans", category: "work" }),
  skill("read", { capability_tags: ["browse"] }),
];
const names = (query: Partial<SkillQuery>) => {
  const { items } = querySkills(skills, {
    personas: [],
    capabilities: [],
    q: null,
    limit: null,
    cursor: null,
    ...query,
  });
  return items.map(({ name }) => name);
};

test("a skill has to have every capability, as a need or as a tag", () => {
  assert.deepEqual(names({ capabilities: ["browse"] }), ["cite", "read"]);
  assert.deepEqual(names({ capabilities: ["BROWSE", "write"] }), ["cite"]);
  assert.deepEqual(names({ capabilities: ["brow"] }), []);
});

test("words are looked for in what a skill says of itself", () => {
  assert.deepEqual(names({ q: "PLANS work" }), ["plan"]);
  assert.deepEqual(names({ q: "do" }), ["cite", "plan", "read"]);
});

test("pages follow each other", () => {
  const query = { personas: [], capabilities: [], q: null, limit: 2 };
  const first = querySkills(skills, { ...query, cursor: null });
  const second = querySkills(skills, { ...query, cursor: first.nextCursor });
  assert.deepEqual(
    [first.items.length, first.total, second.items.map(({ name }) => name)],
    [2, 3, ["read"]],
  );
  assert.equal(second.nextCursor, null);
  assert.throws(() => querySkills(skills, { ...query, cursor: "***" }), { code: "USAGE" });
});
