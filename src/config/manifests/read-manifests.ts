import { dirname, relative } from "node:path";
import type { ConfigProblem, FromFile, Manifests } from "../../model/config/config.ts";
import { type Path, renderPath, type UnknownObject } from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { Environment } from "../environment.ts";
import { checkProviders, type Report } from "../parse-value.ts";
import { isName } from "../shapes/reading.ts";
import type { ReadDocument } from "../text/document.ts";
import { readDocument } from "../text/read-document.ts";
import { checkTool } from "./check-entry.ts";
import { checkTasksExist, hintFor, missingSkills } from "./check-graph.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import { entriesIn, type ManifestEntry, type Misplaced, ownerInPath } from "./entries.ts";

type Severity = ConfigProblem["severity"];
type ReportProblem = (
  entry: ManifestEntry,
  path: Path,
  severity: Severity,
  message: string,
  hint: string | null,
) => void;

/** Reads every file and reports everything. A problem costs only the entry that has it. */
export async function readManifests(
  files: readonly string[],
  directory: string,
  environment: Environment,
  textOf: (file: string) => string | undefined = () => undefined,
): Promise<{ manifests: Manifests; problems: ConfigProblem[] }> {
  const problems: ConfigProblem[] = [];
  const documents = await Promise.all(files.map((file) => readDocument(file, textOf(file))));
  const found = documents.flatMap((read) => {
    problems.push(...textProblems(read, directory));
    return read.document ? entriesIn(read.document, relative(directory, read.document.file)) : [];
  });
  const entries = firstOfEach(found, problems);
  const manifests: Manifests = { tools: [], skills: [], tasks: [], jobs: [] };
  const tell: ReportProblem = (entry, ...what) => problems.push(problemAt(entry, ...what));
  const placeOf = ({ document: { file } }: ManifestEntry) => ({
    file,
    source: `manifest:${relative(directory, file)}`,
  });

  for (const entry of entries.filter(({ kind }) => kind === "tool")) {
    const { document, owner } = entry;
    const report: Report = (path, message, hint = null) =>
      tell(entry, path, "error", message, hint);
    const tool = checkTool(entry, report, (problem) => problems.push({ ...problem, owner }), true);
    if (!tool) continue;
    const usable = checkProviders(tool, {
      environment,
      directory: dirname(document.file),
      report: (path, message, hint = null) =>
        tell(entry, path, "warning", `${message}; this provider is not used`, hint),
      warn: (path, message, hint = null) => tell(entry, path, "warning", message, hint),
    });
    manifests.tools.push({ ...usable, ...placeOf(entry) });
  }
  await readWork(entries, { manifests, tell, placeOf });
  for (const list of Object.values(manifests)) list.sort(byOwnerAndName);
  return { manifests, problems };
}

function textProblems({ problems, isEmpty }: ReadDocument, directory: string): ConfigProblem[] {
  return problems.map((problem) => ({
    ...problem,
    owner: ownerInPath(relative(directory, problem.file)),
    hint: isEmpty ? "Write one manifest or a list of them into it." : problem.hint,
  }));
}

/** Of two manifests of one kind, name, owner and workspaces the first counts. */
function firstOfEach(
  found: readonly (ManifestEntry | Misplaced)[],
  problems: ConfigProblem[],
): ManifestEntry[] {
  const known = new Map<string, ManifestEntry>();
  return found.filter((entry): entry is ManifestEntry => {
    const fail = (message: string, hint: string | null = null) => {
      problems.push(problemAt(entry, [], "error", message, hint));
      return false;
    };
    if (!("kind" in entry)) return fail("a manifest must be an object");
    if (entry.name === undefined) return fail(`a ${entry.kind} needs a 'name'`);
    const key = JSON.stringify([
      entry.kind,
      entry.owner,
      entry.name,
      entry.data.workspaces ?? null,
    ]);
    const first = known.get(key);
    if (first === undefined) return known.set(key, entry) !== undefined;
    const place = `${first.document.file}:${first.document.lineOf(first.source) ?? 1}`;
    const message = `${entry.kind} '${entry.name}' is defined already in ${place}, which counts`;
    return fail(message, "Remove or rename one of them.");
  });
}

function problemAt(
  { document, source, owner, ...named }: Misplaced | ManifestEntry,
  path: Path,
  severity: Severity,
  message: string,
  hint: string | null,
): ConfigProblem {
  const place = [...source, ...path];
  const file = document.file;
  const line = document.lineOf(place);
  const entry =
    "kind" in named && named.name !== undefined
      ? { entry: { kind: named.kind, name: named.name } }
      : {};
  return { file, line, path: renderPath(place), owner, ...entry, severity, message, hint };
}

type Owned = { name: string; persona?: string | undefined };

function byOwnerAndName(a: Owned, b: Owned): number {
  const [left = "", right = ""] = [a, b].map(
    ({ name, persona = "" }) => `${persona}\0${name.toLowerCase()}`,
  );
  return left < right ? -1 : 1;
}

type Work = {
  manifests: Manifests;
  tell: ReportProblem;
  placeOf(entry: ManifestEntry): { file: string; source: string };
};

/** Skills, then the tasks that need them, then the jobs that need those. */
async function readWork(
  entries: readonly ManifestEntry[],
  { manifests, tell, placeOf }: Work,
): Promise<void> {
  const { skills, tasks, jobs } = manifests;
  const of = (kind: ManifestEntry["kind"]) => entries.filter((entry) => entry.kind === kind);
  const reporter =
    (entry: ManifestEntry): Report =>
    (path, message, hint = null) =>
      tell(entry, path, "error", message, hint);
  const keep = <T>(list: FromFile<T>[], checked: T | undefined, entry: ManifestEntry) => {
    if (checked !== undefined) list.push({ ...checked, ...placeOf(entry) });
  };
  const reportSkills = (
    entry: ManifestEntry,
    work: TaskManifest | JobManifest | undefined,
    also: string[] = [],
  ) => {
    for (const { at, name, hint } of work ? missingSkills(work, also, skills) : [])
      tell(entry, ["required_skills", at], "warning", `no file has a skill '${name}'`, hint);
  };
  const reportLoose = (entry: ManifestEntry, value: unknown, path: Path) => {
    for (const text of looseReferences(value)) {
      const hint = `Write \${input.${text.slice(2)} for what a run is given.`;
      tell(entry, path, "warning", `'${text}' is sent unchanged`, hint);
    }
  };

  const built = extendTasks(of("task"), (entry, key, message, hint) =>
    tell(entry, [key], "error", message, hint),
  );
  for (const entry of of("skill")) {
    const skill = await checkSkill(entry, reporter(entry));
    for (const [at, step] of skill?.steps?.entries() ?? []) reportLoose(entry, step, ["steps", at]);
    keep(skills, skill, entry);
  }
  for (const entry of built) {
    const task = await checkTask(entry, reporter(entry));
    // Any persona may do a shared task, with that persona's own skills.
    reportSkills(
      entry,
      task,
      entry.owner === null ? skills.flatMap(({ persona }) => persona ?? []) : [],
    );
    keep(tasks, task, entry);
  }
  for (const entry of of("job")) {
    const job = await checkJob(entry, reporter(entry), (one, report) =>
      checkTasksExist(one, tasks, report),
    );
    reportSkills(entry, job, job?.personas);
    for (const [at, { input }] of job?.task_graph.entries() ?? [])
      reportLoose(entry, input, ["task_graph", at, "input"]);
    keep(jobs, job, entry);
  }
}

function looseReferences(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).match(/\$\{[a-z][\w-]*\}/g) ?? [];
  return [...new Set(found)];
}

type Problem = { message: string; hint: string };

/** A task may extend one of its owner or a shared one; a persona's task extends the shared one of its name. */
export function extendTasks(
  entries: readonly ManifestEntry[],
  fail: (entry: ManifestEntry, key: string, message: string, hint: string) => void,
): ManifestEntry[] {
  const byKey = new Map(entries.map((entry) => [keyOf(entry.name, entry.owner), entry]));
  const baseOf = (entry: ManifestEntry): ManifestEntry | Problem | null => {
    const { owner, name, data } = entry;
    const said = data.extends;
    if (said === undefined) return owner === null ? null : (byKey.get(keyOf(name, null)) ?? null);
    if (!isName(said))
      return { message: "must be the name of one task", hint: "Write it as a string." };
    const found = [byKey.get(keyOf(said, owner)), byKey.get(keyOf(said, null))].find(
      (one) => one !== undefined && one !== entry,
    );
    return found ?? missingBase(said, entry, entries);
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

/** The task and all that it extends. A loop, because a long chain is no mistake. */
function chainOf(
  entry: ManifestEntry,
  baseOf: (entry: ManifestEntry) => ManifestEntry | Problem | null,
): ManifestEntry[] | Problem {
  const chain = new Set([entry]);
  for (let last = entry, base = baseOf(last); base !== null; last = base, base = baseOf(last)) {
    if ("message" in base) {
      if (last === entry) return base;
      return {
        message: `it builds on '${last.name}', which cannot be built`,
        hint: "Mend that task first.",
      };
    }
    if (chain.has(base)) {
      const names = [...chain, base].map(({ name }) => name);
      const circle = names.slice(names.indexOf(base.name)).join(" → ");
      return {
        message: `tasks build on each other: ${circle}`,
        hint: "Remove one 'extends' of them.",
      };
    }
    chain.add(base);
  }
  return [...chain];
}

function missingBase(
  said: string,
  { name, owner }: ManifestEntry,
  entries: readonly ManifestEntry[],
): Problem {
  if (said === name) return { message: "a task cannot build on itself", hint: "Remove it." };
  const known = entries
    .filter((one) => one.name !== name && (one.owner === null || one.owner === owner))
    .flatMap((one) => one.name ?? []);
  return { message: `there is no task '${said}' to build on`, hint: hintFor(said, known) };
}

function keyOf(name: string | undefined, owner: string | null): string {
  return JSON.stringify([name ?? null, owner]);
}
