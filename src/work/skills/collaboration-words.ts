import { fenceUntrusted } from "../../lib/fence-untrusted.ts";
import type { JsonObject } from "../../model/json.ts";
import type { SkillManifest } from "../../model/skill.ts";

type Skill = Pick<SkillManifest, "instruction_prompt" | "safety_notes">;

/** What participants of a skill are asked. What a model wrote is shown as text and not as an order. */
export function voteOn(skill: Skill, input: JsonObject, answer: string): string {
  const question =
    "Does the answer do what the instructions ask for? Begin with YES or NO, then say why in a sentence.";
  return [task(skill, input), shown("answer", answer), question].join("\n\n");
}

export function doubtAbout(skill: Skill, input: JsonObject, answer: string): string {
  const question = "What is wrong with the answer, or missing? Say NOTHING where nothing is.";
  return [task(skill, input), shown("answer", answer), question].join("\n\n");
}

export function bidFor(skill: Skill, input: JsonObject): string {
  return [task(skill, input), "How well can you do this, from 0 to 100? Answer with the number alone."].join(
    "\n\n",
  );
}

export function revise(skill: Skill, input: JsonObject, answer: string, remarks: readonly string[]): string {
  const all = remarks.map((one) => shown("remark", one));
  return [
    task(skill, input),
    shown("answer", answer),
    ...all,
    "Write the answer anew, with what the remarks are right about. Give nothing but the answer.",
  ].join("\n\n");
}

function task({ instruction_prompt, safety_notes }: Skill, input: JsonObject): string {
  const given = Object.keys(input).length === 0 ? "" : `Input:\n${JSON.stringify(input)}`;
  return [`Instructions:\n${instruction_prompt}`, safety_notes, given].filter(Boolean).join("\n\n");
}

function shown(what: string, text: string): string {
  return `The ${what}:\n${fenceUntrusted(text)}`;
}
