import type { UnknownObject } from "../../model/json.ts";
import { JobManifest, TaskManifest } from "../../model/work/job.ts";
import { SkillManifest } from "../../model/work/skill.ts";
import { parseValue, type Report } from "../parse-value.ts";
import { checkSteps, checkTaskGraph } from "./check-graph.ts";
import type { Entry } from "./entries.ts";

/** What the entry says with its name and owner in their places; undefined after its problems were reported. */
export const checkSkill = checkedBy(
  (value, report) => parseValue(SkillManifest, value, [], report),
  (skill, report) => {
    checkSteps(skill, report);
    checkCollaboration(skill, report);
  },
);
export const checkTask = checkedBy((value, report) => parseValue(TaskManifest, value, [], report));
export const checkJob = checkedBy(
  (value, report) => parseValue(JobManifest, value, [], report),
  async (job, report) => {
    checkTaskGraph(job, report);
    if (job.recurrence === undefined) return;
    const { checkRecurrence } = await import("./check-recurrence.ts");
    checkRecurrence(job.recurrence, report);
  },
);

/** Those who collaborate are asked about what a model says. */
function checkCollaboration({ collaboration, steps }: SkillManifest, report: Report): void {
  if (collaboration?.enabled !== true) return;
  if (steps !== undefined)
    report(["collaboration"], "is for skills that a model follows", "Leave it out, or leave 'steps' out.");
  const ids = collaboration.participants.map(({ id }) => id);
  if (ids.length === 0)
    report(["collaboration", "participants"], "must not be empty", "Name a model for each of them.");
  for (const [at, id] of ids.entries())
    if (ids.indexOf(id) !== at)
      report(["collaboration", "participants", at, "id"], `there is another '${id}' before it`, "Name it once.");
}

type Parse<T> = (value: UnknownObject, report: Report) => T | undefined;

type Look<T> = (value: T, report: Report) => void | Promise<void>;

/** `look` finds what a schema cannot say, `alsoLook` what only those know who have read everything. */
function checkedBy<T>(parse: Parse<T>, look: Look<T> = () => undefined) {
  return async ({ data, name, owner }: Entry, report: Report, alsoLook: Look<T> = () => undefined) => {
    const parsed = parse({ ...data, name, ...(owner === null ? {} : { persona: owner }) }, report);
    if (parsed === undefined) return undefined;
    let isSound = true;
    const tell: Report = (...problem) => {
      isSound = false;
      report(...problem);
    };
    await look(parsed, tell);
    await alsoLook(parsed, tell);
    return isSound ? parsed : undefined;
  };
}
