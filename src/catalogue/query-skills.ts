import type { FromFile } from "../model/manifests.ts";
import { type Page, takePage } from "../model/page.ts";
import type { SkillQuery } from "../model/registry-summary.ts";
import type { SkillManifest } from "../model/skill.ts";
import { workPlace } from "./visible-work.ts";

type Skill = FromFile<SkillManifest>;

/** Those of the skills that are meant, one page of them. They come and go in the order of their places. */
export function querySkills(skills: readonly Skill[], query: SkillQuery): Page<Skill> {
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const capabilities = query.capabilities.map((tag) => tag.toLowerCase());
  const matching = skills.filter(
    (skill) => isPartOf(capabilities, tagsOf(skill)) && words.every((word) => textOf(skill).includes(word)),
  );
  return takePage(matching, workPlace, query);
}

function isPartOf(wanted: readonly string[], there: readonly string[]): boolean {
  return wanted.every((tag) => there.includes(tag));
}

function tagsOf({ required_capabilities, capability_tags }: Skill): string[] {
  return [...required_capabilities, ...capability_tags].map((tag) => tag.toLowerCase());
}

function textOf({ name, summary = "", category = "", ...skill }: Skill): string {
  return [name, summary, category, skill.instruction_prompt, ...skill.capability_tags]
    .join("\n")
    .toLowerCase();
}
