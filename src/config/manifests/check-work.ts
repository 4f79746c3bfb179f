import { JobManifest } from "../../model/job.ts";
import { SkillManifest } from "../../model/skill.ts";
import { TaskManifest } from "../../model/task.ts";
import { parseValue, type Report } from "../parse-value.ts";
import type { Entry } from "./entries.ts";

/** What the entry says with its name and owner in their places; undefined after its problems were reported. */
export const checkSkill = checkedBy(SkillManifest);
export const checkTask = checkedBy(TaskManifest);
export const checkJob = checkedBy(JobManifest);

function checkedBy<S extends typeof SkillManifest | typeof TaskManifest | typeof JobManifest>(schema: S) {
  return ({ data, name, owner }: Entry, report: Report) =>
    parseValue(schema, { ...data, name, ...(owner === null ? {} : { persona: owner }) }, [], report);
}
