import { nearest } from "../../lib/text/nearest.ts";
import type { ConfigProblem, FromFile, Manifests } from "../../model/config/config.ts";
import type { Path, UnknownObject } from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { Report } from "../parse-value.ts";
import { isName } from "../shapes/reading.ts";
import { checkTasksExist, looseReferences, missingSkills } from "./check-graph.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import type { Entry } from "./entries.ts";

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
export async function readWork(entries: readonly Entry[], { manifests, tell, placeOf }: WorkRead): Promise<void> {
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

type Fail = (entry: Entry, key: string, message: string, hint?: string) => void;

type Problem = { message: string; hint: string };

/**
 * A task may build on another of its owner or of everybody's, and a persona's one does so on the shared one of
 * its name. What cannot be built is left out.
 */
export function extendTasks(entries: readonly Entry[], fail: Fail): Entry[] {
  const byKey = new Map(entries.map((entry) => [keyOf(entry.name, entry.owner), entry]));
  const baseOf = (entry: Entry): Entry | Problem | null => {
    const { owner, name, data } = entry;
    const said = data.extends;
    if (said === undefined) return owner === null ? null : (byKey.get(keyOf(name, null)) ?? null);
    if (!isName(said)) return { message: "must be the name of one task", hint: "Write it as a text." };
    const found = [byKey.get(keyOf(said, owner)), byKey.get(keyOf(said, null))].find(
      (one) => one !== undefined && one !== entry,
    );
    return found ?? missing(said, entry, entries);
  };
  return entries.flatMap((entry) => {
    const chain = chainOf(entry, baseOf);
    if ("message" in chain) {
      fail(entry, "extends", chain.message, chain.hint);
      return [];
    }
    const data: UnknownObject = Object.assign({}, ...chain.toReversed().map((one) => one.data));
    const { extends: _, ...built } = data;
    return [{ ...entry, data: { ...built, ...(entry.name ? { name: entry.name } : {}) } }];
  });
}

/** The task, what it builds on, what that builds on. By hand and not by recursion: a long chain is no mistake. */
function chainOf(entry: Entry, baseOf: (entry: Entry) => Entry | Problem | null): Entry[] | Problem {
  const chain = new Set([entry]);
  for (let last = entry, base = baseOf(last); base !== null; last = base, base = baseOf(last)) {
    if ("message" in base) {
      if (last === entry) return base;
      return { message: `it builds on '${last.name}', which cannot be built`, hint: "Mend that task first." };
    }
    if (chain.has(base)) {
      const names = [...chain, base].map(({ name }) => name);
      const circle = names.slice(names.indexOf(base.name)).join(" → ");
      return { message: `tasks build on each other: ${circle}`, hint: "Remove one 'extends' of them." };
    }
    chain.add(base);
  }
  return [...chain];
}

function missing(said: string, { name, owner }: Entry, entries: readonly Entry[]): Problem {
  if (said === name) return { message: "a task cannot build on itself", hint: "Remove it." };
  const known = entries
    .filter((one) => one.name !== name && (one.owner === null || one.owner === owner))
    .flatMap((one) => one.name ?? []);
  const near = nearest(said, known).map((one) => `'${one}'`);
  const hint = near.length === 0 ? "Check the name." : `Did you mean ${near.join(" or ")}?`;
  return { message: `there is no task '${said}' to build on`, hint };
}

function keyOf(name: string | undefined, owner: string | null): string {
  return JSON.stringify([name ?? null, owner]);
}
