import { referencesIn } from "../../lib/text/fill-references.ts";
import type { Path, UnknownObject } from "../../model/json.ts";
import { JobManifest, type Recurrence, TaskManifest } from "../../model/work/job.ts";
import { SkillManifest, type SkillStep } from "../../model/work/skill.ts";
import { parseValue, type Report } from "../parse-value.ts";
import { checkGraph } from "./check-graph.ts";
import type { ManifestEntry } from "./entries.ts";

type Check<T> = (value: T, report: Report) => void | Promise<void>;

/** Each gives the manifest with its name and owner; undefined after its problems were reported. */
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
    if (job.recurrence !== undefined) await checkRecurrence(job.recurrence, report);
  },
);

/** `check` finds what a schema cannot say, `checkMore` what takes the other manifests to know. */
function checkedBy<T>(
  parse: (value: UnknownObject, report: Report) => T | undefined,
  check?: Check<T>,
) {
  return async ({ data, name, owner }: ManifestEntry, report: Report, checkMore?: Check<T>) => {
    const manifest: UnknownObject = { ...data, name };
    if (owner !== null) manifest.persona = owner;
    const parsed = parse(manifest, report);
    if (parsed === undefined) return undefined;
    let isSound = true;
    const reportUnsound: Report = (...problem) => {
      isSound = false;
      report(...problem);
    };
    await check?.(parsed, reportUnsound);
    await checkMore?.(parsed, reportUnsound);
    return isSound ? parsed : undefined;
  };
}

function stepNeeds(step: SkillStep): string[] {
  const references = referencesIn([step.arguments, step.when ?? ""]);
  const steps = references.flatMap(([root, id = ""]) => (root === "steps" ? [id] : []));
  return [...new Set([...step.depends_on, ...steps])];
}

function checkSteps({ steps = [] }: SkillManifest, report: Report): void {
  const nodes = steps.map((step, index): { id: string; dependsOn: string[]; path: Path } => {
    return { id: step.id, dependsOn: stepNeeds(step), path: ["steps", index] };
  });
  checkGraph(nodes, { what: "step", key: "id", path: ["steps"] }, report);
  for (const [index, step] of steps.entries()) {
    checkReferences([step.arguments, step.when ?? ""], "step", ["steps", index], report);
    if (step.when !== undefined && referencesIn(step.when).length === 0)
      report(
        ["steps", index, "when"],
        "refers to nothing",
        "Write for example ${steps.look.result.found}.",
      );
  }
}

function checkTaskGraph({ task_graph }: JobManifest, report: Report): void {
  const nodes = task_graph.map(({ task, depends_on, input }, index) => {
    const path: Path = ["task_graph", index];
    for (const [root, name = ""] of referencesIn(input))
      if (root === "tasks" && !depends_on.includes(name))
        report(
          [...path, "input"],
          `refers to the task '${name}'`,
          `Add it to 'depends_on' of '${task}'.`,
        );
    checkReferences(input, "task", [...path, "input"], report);
    return { id: task, dependsOn: depends_on, path };
  });
  checkGraph(nodes, { what: "task", key: "task", path: ["task_graph"] }, report);
}

function checkReferences(
  value: unknown,
  what: "step" | "task",
  location: Path,
  report: Report,
): void {
  for (const [root, name = "", field] of referencesIn(value)) {
    if (root !== "input" && root !== `${what}s`)
      report(
        location,
        `'\${${root}.${name}}' refers to nothing a ${what} can see`,
        `Begin with 'input.' or '${what}s.'.`,
      );
    else if (root !== "input" && field !== "result")
      report(
        location,
        `the result of ${what} '${name}' is \${${what}s.${name}.result}`,
        `Add '.result' behind its ${what === "step" ? "id" : "name"}.`,
      );
  }
}

/** Participants comment on what a model says, so a skill with steps has none. */
function checkCollaboration({ collaboration, steps }: SkillManifest, report: Report): void {
  if (collaboration?.enabled !== true) return;
  if (steps !== undefined)
    report(
      ["collaboration"],
      "is for skills that a model follows",
      "Leave it out, or leave 'steps' out.",
    );
  const ids = collaboration.participants.map(({ id }) => id);
  if (ids.length === 0)
    report(
      ["collaboration", "participants"],
      "must not be empty",
      "Name a model for each of them.",
    );
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) !== index)
      report(
        ["collaboration", "participants", index, "id"],
        `there is another '${id}' before it`,
        "Name it once.",
      );
}

/** The cron library is loaded only for jobs that recur. */
async function checkRecurrence(recurrence: Recurrence, report: Report): Promise<void> {
  const { readCron, isTimeZone, readMoment } = await import("../../lib/cron.ts");
  const { cron, frequency, interval, timezone, start_date, end_date } = recurrence;
  const reportKey = (key: string, message: string, hint: string) =>
    report(["recurrence", key], message, hint);
  if ((cron === undefined) === (frequency === undefined))
    report(
      ["recurrence"],
      "must have either 'cron' or 'frequency', not both",
      "Without both, leave 'recurrence' out.",
    );
  if (interval !== undefined && frequency === undefined)
    reportKey(
      "interval",
      "counts in units of 'frequency'",
      "Add 'frequency', or leave 'interval' out.",
    );
  if (cron !== undefined) {
    const schedule = readCron(cron, "UTC");
    if ("problem" in schedule)
      reportKey(
        "cron",
        `'${cron}' ${schedule.problem}`,
        "'30 9 * * mon-fri' is half past nine on working days.",
      );
    else if (schedule.next(Date.now()) === null)
      reportKey("cron", `'${cron}' never comes`, "Check the day and the month.");
  }
  if (!isTimeZone(timezone))
    return reportKey(
      "timezone",
      `'${timezone}' is not a valid time zone`,
      "Write one such as Europe/Berlin.",
    );
  const [from, to] = Object.entries({ start_date, end_date }).map(([key, text]) => {
    const moment = text === undefined ? undefined : readMoment(text, timezone);
    if (moment === null)
      reportKey(
        key,
        `'${text}' is not a valid date`,
        "Write 2026-11-15, or 2026-11-15T09:00 with or without an offset.",
      );
    return moment?.at;
  });
  if (from !== undefined && to !== undefined && to < from)
    reportKey("end_date", "is before 'start_date'", "Exchange them.");
}
