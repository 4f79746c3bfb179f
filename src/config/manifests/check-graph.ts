import { findCycle } from "../../lib/find-cycle.ts";
import { didYouMean, nearest } from "../../lib/text/nearest.ts";
import type { Path } from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import type { Report } from "../parse-value.ts";

type GraphNode = { id: string; dependsOn: readonly string[]; path: Path };

/** Checks the dependencies of the steps of a skill, or the tasks of a job. `key` holds the id of a node. */
export function checkGraph(
  nodes: readonly GraphNode[],
  { what, key, path: graphPath }: { what: string; key: string; path: Path },
  report: Report,
): void {
  const ids = nodes.map(({ id }) => id);
  for (const [index, { id, dependsOn, path }] of nodes.entries()) {
    if (ids.indexOf(id) !== index)
      report([...path, key], `there is another ${what} '${id}' before it`, "Name it once.");
    const otherIds = ids.filter((otherId) => otherId !== id);
    for (const needed of dependsOn.filter((candidate) => !ids.includes(candidate)))
      report(
        [...path, "depends_on"],
        `${what} '${id}' depends on '${needed}', which does not exist`,
        hintFor(needed, otherIds),
      );
  }
  const cycle = findCycle(nodes);
  if (cycle !== null)
    report(
      graphPath,
      `${what}s wait for each other: ${cycle.join(" → ")}`,
      "Remove one 'depends_on' of them.",
    );
}

export function checkTasksExist(
  job: JobManifest,
  tasks: readonly TaskManifest[],
  report: Report,
): void {
  const names = namesFor([job.persona, ...job.personas], tasks);
  for (const [index, { task }] of job.task_graph.entries())
    if (!names.includes(task))
      report(["task_graph", index, "task"], `there is no task '${task}'`, hintFor(task, names));
}

/** Skills that a task or a job requires and no file has. One may be set later, so this is only a warning. */
export function missingSkills(
  { required_skills, persona }: Pick<TaskManifest, "required_skills" | "persona">,
  also: readonly string[],
  skills: readonly SkillManifest[],
): { at: number; name: string; hint: string }[] {
  const names = namesFor([persona, ...also], skills);
  return required_skills.flatMap((name, at) => {
    if (names.includes(name)) return [];
    return [{ at, name, hint: hintFor(name, names) }];
  });
}

function namesFor(
  personas: readonly (string | undefined)[],
  manifests: readonly { name: string; persona?: string | undefined }[],
): string[] {
  const workers = personas.map((name) => name?.toLowerCase());
  return manifests
    .filter(({ persona }) => persona === undefined || workers.includes(persona.toLowerCase()))
    .map(({ name }) => name);
}

export function hintFor(name: string, candidates: readonly string[]): string {
  return didYouMean(nearest(name, candidates), "Check the name.");
}
