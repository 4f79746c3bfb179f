import { findCycle } from "../../lib/find-cycle.ts";
import { referencesIn } from "../../lib/text/fill-references.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Path } from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest, SkillStep } from "../../model/work/skill.ts";
import type { Report } from "../parse-value.ts";

type Place = { id: string; dependsOn: readonly string[]; path: Path };

/** What a step waits for: what it names, and what it refers to. */
export function stepNeeds(step: SkillStep): string[] {
  const refers = referencesIn([step.arguments, step.when ?? ""]);
  const meant = refers.flatMap(([root, id = ""]) => (root === "steps" ? [id] : []));
  return [...new Set([...step.depends_on, ...meant])];
}

/** Everything that is wrong with the plan of a skill by itself. */
export function checkSteps({ steps = [] }: SkillManifest, report: Report): void {
  const places = steps.map((step, at) => ({
    id: step.id,
    dependsOn: stepNeeds(step),
    path: ["steps", at] as Path,
  }));
  checkPlaces(places, "step", "id", ["steps"], report);
  for (const [at, step] of steps.entries()) {
    checkReferences([step.arguments, step.when ?? ""], "step", ["steps", at], report);
    if (step.when !== undefined && referencesIn(step.when).length === 0)
      report(["steps", at, "when"], "refers to nothing", "Write for example ${steps.look.result.found}.");
  }
}

/** Whatever is referred to is what was given, or what something before it said. */
function checkReferences(value: unknown, what: "step" | "task", place: Path, report: Report): void {
  for (const [root, name = "", field] of referencesIn(value)) {
    if (root !== "input" && root !== `${what}s`)
      report(place, `'\${${root}.${name}}' refers to nothing a ${what} can see`, `Begin with 'input.' or '${what}s.'.`);
    else if (root !== "input" && field !== "result")
      report(
        place,
        `what ${what} '${name}' said is \${${what}s.${name}.result}`,
        `Add '.result' behind its ${what === "step" ? "id" : "name"}.`,
      );
  }
}

/** Texts that look as if something was to be put in, and go out as they are written. */
export function looseReferences(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).match(/\$\{[a-z][\w-]*\}/g) ?? [];
  return [...new Set(found)];
}

/** The same for the tasks of a job. */
export function checkTaskGraph({ task_graph }: JobManifest, report: Report): void {
  const places = task_graph.map(({ task, depends_on, input }, at) => {
    const meant = referencesIn(input).flatMap(([root, name = ""]) => (root === "tasks" ? [name] : []));
    const path: Path = ["task_graph", at];
    for (const name of meant)
      if (!depends_on.includes(name))
        report([...path, "input"], `refers to the task '${name}'`, `Add it to 'depends_on' of '${task}'.`);
    checkReferences(input, "task", [...path, "input"], report);
    return { id: task, dependsOn: depends_on, path };
  });
  checkPlaces(places, "task", "task", ["task_graph"], report);
}

function checkPlaces(places: readonly Place[], what: string, key: string, whole: Path, report: Report): void {
  const ids = places.map(({ id }) => id);
  for (const [at, { id, dependsOn, path }] of places.entries()) {
    if (ids.indexOf(id) !== at) report([...path, key], `there is another ${what} '${id}' before it`, "Name it once.");
    for (const needed of dependsOn)
      if (!ids.includes(needed))
        report(
          [...path, "depends_on"],
          `${what} '${id}' depends on '${needed}', which is not there`,
          hintFor(
            needed,
            ids.filter((one) => one !== id),
          ),
        );
  }
  const cycle = findCycle(places);
  if (cycle !== null)
    report(whole, `${what}s wait for each other: ${cycle.join(" → ")}`, "Remove one 'depends_on' of them.");
}

/** Tasks that a job names and nobody has written. Those of a persona count for jobs that it works at. */
export function checkTasksExist(job: JobManifest, tasks: readonly TaskManifest[], report: Report): void {
  const workers = [job.persona, ...job.personas].map((name) => name?.toLowerCase());
  const known = tasks
    .filter(({ persona }) => persona === undefined || workers.includes(persona.toLowerCase()))
    .map(({ name }) => name);
  for (const [at, { task }] of job.task_graph.entries())
    if (!known.includes(task)) report(["task_graph", at, "task"], `there is no task '${task}'`, hintFor(task, known));
}

/** Skills that a task or a job names and no file has. Somebody may still set one, so that this costs nothing but a word. */
export function missingSkills(
  { required_skills, persona }: Pick<TaskManifest, "required_skills" | "persona">,
  also: readonly string[],
  skills: readonly SkillManifest[],
): { at: number; name: string; hint: string }[] {
  const workers = [persona, ...also].map((name) => name?.toLowerCase());
  const known = skills
    .filter(({ persona: owner }) => owner === undefined || workers.includes(owner.toLowerCase()))
    .map(({ name }) => name);
  return required_skills.flatMap((name, at) =>
    known.includes(name) ? [] : [{ at, name, hint: hintFor(name, known) }],
  );
}

function hintFor(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near.length === 0 ? "Check the name." : `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`;
}
