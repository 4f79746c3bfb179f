import type { Tool } from "../model/catalogue/tool.ts";
import type { Manifests } from "../model/config/config.ts";
import type { JobManifest, TaskManifest } from "../model/work/job.ts";

export type KnownWork = Pick<Manifests, "skills" | "tasks"> & {
  /** The tools that a name can mean, in any spelling. */
  toolsNamed(name: string): readonly Tool[];
};

type Needs = Pick<TaskManifest, "required_skills" | "required_tools">;
type Owned = { persona?: string | null | undefined };

/** What a task needs: everything that its skills and tools are tagged with or ask for, each once, in their order. */
export function taskCapabilities(task: Needs & Owned, known: KnownWork): string[] {
  return eachOnce(needsOf(task, task.persona ?? undefined, known));
}

/** The same for a job, and after it what the tasks need that it is made of. */
export function jobCapabilities(job: JobManifest, known: KnownWork): string[] {
  const ofTasks = job.task_graph.flatMap(({ task }) => nodeCapabilities(task, job.persona, known));
  return eachOnce([...needsOf(job, job.persona, known), ...ofTasks]);
}

/** What the task of that name needs where this persona does it; nothing where nobody has written it. */
export function nodeCapabilities(name: string, persona: string | undefined, known: KnownWork): string[] {
  const task = closest(
    known.tasks.filter((one) => one.name === name),
    persona,
  );
  return task === undefined ? [] : eachOnce(needsOf(task, persona, known));
}

function needsOf(
  { required_skills, required_tools }: Needs,
  persona: string | undefined,
  { skills, toolsNamed }: KnownWork,
): string[] {
  const ofSkills = required_skills.flatMap((name) => {
    const skill = closest(
      skills.filter((one) => one.name === name),
      persona,
    );
    return skill ? [...skill.required_capabilities, ...skill.capability_tags] : [];
  });
  const ofTools = required_tools.flatMap((name) => closest(toolsNamed(name), persona)?.metadata.capabilities ?? []);
  return [...ofSkills, ...ofTools];
}

/** Capabilities are the same in any spelling; the first one is shown. */
function eachOnce(tags: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags) if (!distinct.has(tag.toLowerCase())) distinct.set(tag.toLowerCase(), tag);
  return [...distinct.values()];
}

/** One's own before everybody's. */
function closest<T extends Owned>(found: readonly T[], persona: string | undefined): T | undefined {
  const asked = persona?.toLowerCase();
  const own = found.find((one) => asked !== undefined && one.persona?.toLowerCase() === asked);
  return own ?? found.find((one) => (one.persona ?? null) === null);
}
