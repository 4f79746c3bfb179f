import { findCycle } from "../../lib/find-cycle.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Path } from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import type { Report } from "../parse-value.ts";

type GraphNode = { id: string; dependsOn: readonly string[]; path: Path };

/** Checks the dependencies of the steps of a skill, or the tasks of a job. `key` holds the id of a node. */
export function checkGraph(
  nodes: readonly GraphNode[],
  { what, key, path: whole }: { what: string; key: string; path: Path },
  report: Report,
): void {
  const ids = nodes.map(({ id }) => id);
  for (const [at, { id, dependsOn, path }] of nodes.entries()) {
    if (ids.indexOf(id) !== at)
      report([...path, key], `there is another ${what} '${id}' before it`, "Name it once.");
    const others = ids.filter((one) => one !== id);
    for (const needed of dependsOn.filter((one) => !ids.includes(one)))
      report(
        [...path, "depends_on"],
        `${what} '${id}' depends on '${needed}', which does not exist`,
        hintFor(needed, others),
      );
  }
  const cycle = findCycle(nodes);
  if (cycle !== null)
    report(
      whole,
      `${what}s wait for each other: ${cycle.join(" → ")}`,
      "Remove one 'depends_on' of them.",
    );
}

export function checkTasksExist(
  job: JobManifest,
  tasks: readonly TaskManifest[],
  report: Report,
): void {
  const known = namesFor([job.persona, ...job.personas], tasks);
  for (const [at, { task }] of job.task_graph.entries())
    if (!known.includes(task))
      report(["task_graph", at, "task"], `there is no task '${task}'`, hintFor(task, known));
}

/** Skills that a task or a job requires and no file has. One may be set later, so this is only a warning. */
export function missingSkills(
  { required_skills, persona }: Pick<TaskManifest, "required_skills" | "persona">,
  also: readonly string[],
  skills: readonly SkillManifest[],
): { at: number; name: string; hint: string }[] {
  const known = namesFor([persona, ...also], skills);
  return required_skills.flatMap((name, at) =>
    known.includes(name) ? [] : [{ at, name, hint: hintFor(name, known) }],
  );
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

export function hintFor(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near.length === 0
    ? "Check the name."
    : `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`;
}
