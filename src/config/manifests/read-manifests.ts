import { dirname, relative } from "node:path";
import type { ConfigProblem } from "../../model/config.ts";
import type { JobManifest } from "../../model/job.ts";
import type { FromFile, Manifests } from "../../model/manifests.ts";
import { type Path, renderPath } from "../../model/path.ts";
import type { TaskManifest } from "../../model/task.ts";
import { checkProviders } from "../check-providers.ts";
import type { Report } from "../parse-value.ts";
import type { Environment } from "../secrets/expand-environment.ts";
import { readDocument } from "../text/read-document.ts";
import { checkTasksExist, missingSkills } from "./check-graph.ts";
import { checkTool } from "./check-tool.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import { type Entry, entriesIn, type Misplaced, ownerInPath } from "./entries.ts";
import { extendTasks } from "./extend-tasks.ts";

export type ManifestsRead = { manifests: Manifests; problems: ConfigProblem[] };

/** Reads every file and reports everything. Whatever is wrong costs only the entry it is wrong with. */
export async function readManifests(
  files: readonly string[],
  directory: string,
  environment: Environment,
): Promise<ManifestsRead> {
  const problems: ConfigProblem[] = [];
  const documents = await Promise.all(files.map(readDocument));
  const found = documents.flatMap((read) => {
    problems.push(...read.problems.map((problem) => inManifest(problem, directory)));
    return read.document ? entriesIn(read.document, relative(directory, read.document.file)) : [];
  });
  const entries = firstOfEach(found, problems);
  const manifests: Manifests = { tools: [], skills: [], tasks: [], jobs: [] };
  const fail = (entry: Entry, path: Path, message: string, hint: string | null = null) =>
    problems.push(problemAt(entry, path, "error", message, hint));
  const of = (kind: Entry["kind"]) => entries.filter((entry) => entry.kind === kind);
  const check =
    (entry: Entry): Report =>
    (path, message, hint) =>
      fail(entry, path, message, hint);

  const keep = <T>(list: FromFile<T>[], checked: T | undefined, entry: Entry) => {
    if (checked !== undefined) list.push({ ...checked, ...placeOf(entry, directory) });
  };

  for (const entry of of("tool")) {
    const { document, owner } = entry;
    const tool = checkTool(entry, check(entry), (problem) => problems.push({ ...problem, owner }));
    if (!tool) continue;
    const usable = checkProviders(tool, {
      environment,
      directory: dirname(document.file),
      report: (path, message, hint = null) =>
        problems.push(problemAt(entry, path, "warning", `${message}; this provider is not used`, hint)),
    });
    manifests.tools.push({ ...usable, ...placeOf(entry, directory) });
  }
  const tasks = extendTasks(of("task"), (entry, key, message, hint) => fail(entry, [key], message, hint));
  for (const entry of of("skill")) keep(manifests.skills, checkSkill(entry, check(entry)), entry);
  const tellOfSkills = (entry: Entry, work: TaskManifest | JobManifest | undefined, also: string[] = []) => {
    for (const { at, name, hint } of work ? missingSkills(work, also, manifests.skills) : [])
      problems.push(
        problemAt(entry, ["required_skills", at], "warning", `no file has a skill '${name}'`, hint),
      );
  };
  for (const entry of tasks) {
    const task = checkTask(entry, check(entry));
    // A shared task is done by any persona, with that persona's own skills.
    tellOfSkills(entry, task, entry.owner === null ? ownersOf(manifests.skills) : []);
    keep(manifests.tasks, task, entry);
  }
  for (const entry of of("job")) {
    const job = checkJob(entry, check(entry), (one, report) => checkTasksExist(one, manifests.tasks, report));
    tellOfSkills(entry, job, job?.personas);
    keep(manifests.jobs, job, entry);
  }
  for (const list of Object.values(manifests)) list.sort(byOwnerAndName);
  return { manifests, problems };
}

function ownersOf(skills: readonly { persona?: string | undefined }[]): string[] {
  return [...new Set(skills.flatMap(({ persona }) => persona ?? []))];
}

/** What is out of order with the text of a file. */
function inManifest(problem: ConfigProblem, directory: string): ConfigProblem {
  const isEmpty = problem.message === "the file is empty";
  return {
    ...problem,
    owner: ownerInPath(relative(directory, problem.file)),
    hint: isEmpty ? "Write one manifest or a list of them into it." : problem.hint,
  };
}

function placeOf({ document: { file } }: Entry, directory: string): { file: string; source: string } {
  return { file, source: `manifest:${relative(directory, file)}` };
}

/** Two of a kind with one name and one owner never mix; the first counts. */
function firstOfEach(found: readonly (Entry | Misplaced)[], problems: ConfigProblem[]): Entry[] {
  const known = new Map<string, Entry>();
  return found.filter((entry): entry is Entry => {
    if (!("kind" in entry)) {
      problems.push(problemAt(entry, [], "error", "a manifest must be an object", null));
      return false;
    }
    if (entry.name === undefined) {
      problems.push(problemAt(entry, [], "error", `a ${entry.kind} needs a 'name'`, null));
      return false;
    }
    const key = JSON.stringify([entry.kind, entry.owner, entry.name]);
    const first = known.get(key);
    if (first === undefined) return known.set(key, entry) !== undefined;
    const place = `${first.document.file}:${first.document.lineOf(first.source) ?? 1}`;
    const message = `${entry.kind} '${entry.name}' is defined already in ${place}, which counts`;
    problems.push(problemAt(entry, [], "error", message, "Remove or rename one of them."));
    return false;
  });
}

function problemAt(
  { document, source, owner }: Misplaced,
  path: Path,
  severity: ConfigProblem["severity"],
  message: string,
  hint: string | null,
): ConfigProblem {
  const place = [...source, ...path];
  const [file, line] = [document.file, document.lineOf(place)];
  return { file, line, path: renderPath(place), owner, severity, message, hint };
}

function byOwnerAndName(
  a: { name: string; persona?: string | undefined },
  b: { name: string; persona?: string | undefined },
): number {
  const [left, right] = [a, b].map(({ name, persona = "" }) => `${persona}\0${name.toLowerCase()}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
