import type { ConfigProblem } from "../../model/config.ts";
import type { JobManifest } from "../../model/job.ts";
import type { FromFile, Manifests } from "../../model/manifests.ts";
import type { Path } from "../../model/path.ts";
import type { TaskManifest } from "../../model/task.ts";
import type { Report } from "../parse-value.ts";
import { checkTasksExist, looseReferences, missingSkills } from "./check-graph.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import type { Entry } from "./entries.ts";
import { extendTasks } from "./extend-tasks.ts";

export type Tell = (
  entry: Entry,
  path: Path,
  severity: ConfigProblem["severity"],
  message: string,
  hint: string | null,
) => void;

export type WorkRead = {
  /** What is sound is added to it. */
  manifests: Manifests;
  tell: Tell;
  placeOf(entry: Entry): { file: string; source: string };
};

/** Skills, then the tasks that need them, then the jobs that need those. */
export async function readWork(
  entries: readonly Entry[],
  { manifests, tell, placeOf }: WorkRead,
): Promise<void> {
  const { skills, tasks, jobs } = manifests;
  const of = (kind: Entry["kind"]) => entries.filter((entry) => entry.kind === kind);
  const check =
    (entry: Entry): Report =>
    (path, message, hint = null) =>
      tell(entry, path, "error", message, hint);
  const keep = <T>(list: FromFile<T>[], checked: T | undefined, entry: Entry) => {
    if (checked !== undefined) list.push({ ...checked, ...placeOf(entry) });
  };
  const tellOfSkills = (entry: Entry, work: TaskManifest | JobManifest | undefined, also: string[] = []) => {
    for (const { at, name, hint } of work ? missingSkills(work, also, skills) : [])
      tell(entry, ["required_skills", at], "warning", `no file has a skill '${name}'`, hint);
  };
  const tellOfLoose = (entry: Entry, value: unknown, path: Path) => {
    for (const text of looseReferences(value)) {
      const hint = `Write \${input.${text.slice(2)} for what a run is given.`;
      tell(entry, path, "warning", `'${text}' goes out as it is written`, hint);
    }
  };

  const built = extendTasks(of("task"), (entry, key, message, hint) =>
    tell(entry, [key], "error", message, hint ?? null),
  );
  for (const entry of of("skill")) {
    const skill = await checkSkill(entry, check(entry));
    for (const [at, step] of skill?.steps?.entries() ?? []) tellOfLoose(entry, step, ["steps", at]);
    keep(skills, skill, entry);
  }
  for (const entry of built) {
    const task = await checkTask(entry, check(entry));
    // A shared task is done by any persona, with that persona's own skills.
    tellOfSkills(entry, task, entry.owner === null ? ownersOf(skills) : []);
    keep(tasks, task, entry);
  }
  for (const entry of of("job")) {
    const job = await checkJob(entry, check(entry), (one, report) => checkTasksExist(one, tasks, report));
    tellOfSkills(entry, job, job?.personas);
    for (const [at, { input }] of job?.task_graph.entries() ?? [])
      tellOfLoose(entry, input, ["task_graph", at, "input"]);
    keep(jobs, job, entry);
  }
}

function ownersOf(skills: readonly { persona?: string | undefined }[]): string[] {
  return [...new Set(skills.flatMap(({ persona }) => persona ?? []))];
}
