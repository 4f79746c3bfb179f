import { dirname, relative } from "node:path";
import { compareText } from "../../lib/text/wording.ts";
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
  const written = documents.flatMap((reading) => {
    problems.push(...textProblems(reading, directory));
    if (reading.document)
      return entriesIn(reading.document, relative(directory, reading.document.file));
    return [];
  });
  const entries = firstOfEach(written, problems);
  const manifests: Manifests = { tools: [], skills: [], tasks: [], jobs: [] };
  const report: ReportProblem = (entry, ...what) => problems.push(problemAt(entry, ...what));
  const placeOf = ({ document: { file } }: ManifestEntry) => ({
    file,
    source: `manifest:${relative(directory, file)}`,
  });

  for (const entry of entries.filter(({ kind }) => kind === "tool")) {
    const { document, owner } = entry;
    const reportError: Report = (path, message, hint = null) =>
      report(entry, path, "error", message, hint);
    const tool = checkTool(
      entry,
      reportError,
      (problem) => problems.push({ ...problem, owner }),
      true,
    );
    if (!tool) continue;
    const usable = checkProviders(tool, {
      environment,
      directory: dirname(document.file),
      report: (path, message, hint = null) =>
        report(entry, path, "warning", `${message}; this provider is not used`, hint),
      warn: (path, message, hint = null) => report(entry, path, "warning", message, hint),
    });
    manifests.tools.push({ ...usable, ...placeOf(entry) });
  }
  await readWork(entries, { manifests, report, placeOf });
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
  written: readonly (ManifestEntry | Misplaced)[],
  problems: ConfigProblem[],
): ManifestEntry[] {
  const firstByKey = new Map<string, ManifestEntry>();
  return written.filter((entry): entry is ManifestEntry => {
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
    const first = firstByKey.get(key);
    if (first === undefined) return firstByKey.set(key, entry) !== undefined;
    const location = `${first.document.file}:${first.document.lineOf(first.source) ?? 1}`;
    const message = `${entry.kind} '${entry.name}' is defined already in ${location}, which counts`;
    return fail(message, "Remove or rename one of them.");
  });
}

function problemAt(
  { document, source, owner, ...facts }: Misplaced | ManifestEntry,
  path: Path,
  severity: Severity,
  message: string,
  hint: string | null,
): ConfigProblem {
  const location = [...source, ...path];
  const file = document.file;
  const line = document.lineOf(location);
  const entry =
    "kind" in facts && facts.name !== undefined
      ? { entry: { kind: facts.kind, name: facts.name } }
      : {};
  return { file, line, path: renderPath(location), owner, ...entry, severity, message, hint };
}

type Owned = { name: string; persona?: string | undefined };

function byOwnerAndName(a: Owned, b: Owned): number {
  const [left = "", right = ""] = [a, b].map(
    ({ name, persona = "" }) => `${persona}\0${name.toLowerCase()}`,
  );
  return compareText(left, right);
}

type Work = {
  manifests: Manifests;
  report: ReportProblem;
  placeOf(entry: ManifestEntry): { file: string; source: string };
};

/** Skills, then the tasks that need them, then the jobs that need those. */
async function readWork(
  entries: readonly ManifestEntry[],
  { manifests, report: tell, placeOf }: Work,
): Promise<void> {
  const { skills, tasks, jobs } = manifests;
  const ofKind = (kind: ManifestEntry["kind"]) => entries.filter((entry) => entry.kind === kind);
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
    otherPersonas: string[] = [],
  ) => {
    for (const { at: index, name, hint } of work ? missingSkills(work, otherPersonas, skills) : [])
      tell(entry, ["required_skills", index], "warning", `no file has a skill '${name}'`, hint);
  };
  const reportLoose = (entry: ManifestEntry, value: unknown, path: Path) => {
    for (const text of looseReferences(value)) {
      const hint = `Write \${input.${text.slice(2)} for what a run is given.`;
      tell(entry, path, "warning", `'${text}' is sent unchanged`, hint);
    }
  };

  const extendedTasks = extendTasks(ofKind("task"), (entry, key, message, hint) =>
    tell(entry, [key], "error", message, hint),
  );
  for (const entry of ofKind("skill")) {
    const skill = await checkSkill(entry, reporter(entry));
    for (const [index, step] of skill?.steps?.entries() ?? [])
      reportLoose(entry, step, ["steps", index]);
    keep(skills, skill, entry);
  }
  for (const entry of extendedTasks) {
    const task = await checkTask(entry, reporter(entry));
    // Any persona may do a shared task, with that persona's own skills.
    reportSkills(
      entry,
      task,
      entry.owner === null ? skills.flatMap(({ persona }) => persona ?? []) : [],
    );
    keep(tasks, task, entry);
  }
  for (const entry of ofKind("job")) {
    const job = await checkJob(entry, reporter(entry), (jobManifest, report) =>
      checkTasksExist(jobManifest, tasks, report),
    );
    reportSkills(entry, job, job?.personas);
    for (const [index, { input }] of job?.task_graph.entries() ?? [])
      reportLoose(entry, input, ["task_graph", index, "input"]);
    keep(jobs, job, entry);
  }
}

function looseReferences(value: unknown): string[] {
  const references = JSON.stringify(value ?? null).match(/\$\{[a-z][\w-]*\}/g) ?? [];
  return [...new Set(references)];
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
    const baseName = data.extends;
    if (baseName === undefined)
      return owner === null ? null : (byKey.get(keyOf(name, null)) ?? null);
    if (!isName(baseName))
      return { message: "must be the name of one task", hint: "Write it as a string." };
    const base = [byKey.get(keyOf(baseName, owner)), byKey.get(keyOf(baseName, null))].find(
      (candidate) => candidate !== undefined && candidate !== entry,
    );
    return base ?? missingBase(baseName, entry, entries);
  };
  return entries.flatMap((entry) => {
    const chain = chainOf(entry, baseOf);
    if ("message" in chain) {
      fail(entry, "extends", chain.message, chain.hint);
      return [];
    }
    const data: UnknownObject = Object.assign(
      {},
      ...chain.toReversed().map((ancestor) => ancestor.data),
    );
    const { extends: _, ...fields } = data;
    return [{ ...entry, data: { ...fields, ...(entry.name ? { name: entry.name } : {}) } }];
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
  baseName: string,
  { name, owner }: ManifestEntry,
  entries: readonly ManifestEntry[],
): Problem {
  if (baseName === name) return { message: "a task cannot build on itself", hint: "Remove it." };
  const candidates = entries
    .filter((entry) => entry.name !== name && (entry.owner === null || entry.owner === owner))
    .flatMap((entry) => entry.name ?? []);
  return {
    message: `there is no task '${baseName}' to build on`,
    hint: hintFor(baseName, candidates),
  };
}

function keyOf(name: string | undefined, owner: string | null): string {
  return JSON.stringify([name ?? null, owner]);
}
