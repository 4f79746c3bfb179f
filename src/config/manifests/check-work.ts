import { JobManifest } from "../../model/job.ts";
import type { UnknownObject } from "../../model/json.ts";
import { SkillManifest } from "../../model/skill.ts";
import { TaskManifest } from "../../model/task.ts";
import { parseValue, type Report } from "../parse-value.ts";
import { checkSteps, checkTaskGraph } from "./check-graph.ts";
import { checkRecurrence } from "./check-recurrence.ts";
import type { Entry } from "./entries.ts";

/** What the entry says with its name and owner in their places; undefined after its problems were reported. */
export const checkSkill = checkedBy(
  (value, report) => parseValue(SkillManifest, value, [], report),
  checkSteps,
);
export const checkTask = checkedBy((value, report) => parseValue(TaskManifest, value, [], report));
export const checkJob = checkedBy(
  (value, report) => parseValue(JobManifest, value, [], report),
  (job, report) => {
    checkTaskGraph(job, report);
    checkRecurrence(job, report);
  },
);

type Parse<T> = (value: UnknownObject, report: Report) => T | undefined;

type Look<T> = (value: T, report: Report) => void;

/** `look` finds what a schema cannot say, `alsoLook` what only those know who have read everything. */
function checkedBy<T>(parse: Parse<T>, look: Look<T> = () => undefined) {
  return ({ data, name, owner }: Entry, report: Report, alsoLook: Look<T> = () => undefined) => {
    const parsed = parse({ ...data, name, ...(owner === null ? {} : { persona: owner }) }, report);
    if (parsed === undefined) return undefined;
    let isSound = true;
    const tell: Report = (...problem) => {
      isSound = false;
      report(...problem);
    };
    look(parsed, tell);
    alsoLook(parsed, tell);
    return isSound ? parsed : undefined;
  };
}
