import { maskSecrets } from "../config/config.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { namesUnder } from "../lib/text/fill-references.ts";
import { jobSubject } from "../model/catalogue/health.ts";
import type { HealthSummary } from "../model/catalogue/health-schema.ts";
import type {
  Compatibility,
  JobEntry,
  SkillEntry,
  TaskEntry,
} from "../model/catalogue/registry-summary.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { toolKey } from "../model/catalogue/tool-name.ts";
import type { FromFile, Manifests } from "../model/config/config.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { JobManifest, TaskManifest } from "../model/work/job.ts";
import type { SkillManifest } from "../model/work/skill.ts";
import type { Health } from "./health/health.ts";
import { createPersonaFilter } from "./persona-filter.ts";
import { idsOf, type Snapshot } from "./registry.ts";
import { jobsFor, visibleWork, type WorkViewer } from "./visible-work.ts";

type KnownWork = Pick<Manifests, "skills" | "tasks"> & {
  /** The tools that a name can mean, in any spelling. */
  toolsNamed(name: string): readonly Tool[];
};

type Needs = Pick<TaskManifest, "required_skills" | "required_tools">;
type Owned = { persona?: string | null | undefined };

/** The capabilities of a task's skills and tools, each once, in order. */
export function taskCapabilities(task: Needs & Owned, work: KnownWork): string[] {
  return distinctTags(needsOf(task, task.persona ?? undefined, work));
}

/** The same for a job, followed by those of its tasks. */
export function jobCapabilities(job: JobManifest, work: KnownWork): string[] {
  const taskTags = job.task_graph.flatMap(({ task }) => nodeCapabilities(task, job.persona, work));
  return distinctTags([...needsOf(job, job.persona, work), ...taskTags]);
}

/** The same for the task of that name when this persona runs it; none for an unknown task. */
export function nodeCapabilities(
  name: string,
  persona: string | undefined,
  work: KnownWork,
): string[] {
  const task = closest(work.tasks.filter(isNamed(name)), persona);
  if (task === undefined) return [];
  return distinctTags(needsOf(task, persona, work));
}

function needsOf(
  { required_skills, required_tools }: Needs,
  persona: string | undefined,
  { skills, toolsNamed }: KnownWork,
): string[] {
  const skillTags = required_skills.flatMap((name) => {
    const skill = closest(skills.filter(isNamed(name)), persona);
    if (skill) return [...skill.required_capabilities, ...skill.capability_tags];
    return [];
  });
  const toolTags = required_tools.flatMap(
    (name) => closest(toolsNamed(name), persona)?.metadata.capabilities ?? [],
  );
  return [...skillTags, ...toolTags];
}

function isNamed(name: string) {
  return (entry: { name: string }) => entry.name === name;
}

/** Capabilities are equal in any case; the first spelling is shown. */
function distinctTags(tags: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags)
    if (!distinct.has(tag.toLowerCase())) distinct.set(tag.toLowerCase(), tag);
  return [...distinct.values()];
}

/** The persona's own before the shared one. */
function closest<T extends Owned>(
  candidates: readonly T[],
  persona: string | undefined,
): T | undefined {
  const owner = persona?.toLowerCase();
  const ownEntry = candidates.find(
    (candidate) => owner !== undefined && candidate.persona?.toLowerCase() === owner,
  );
  return ownEntry ?? candidates.find((candidate) => (candidate.persona ?? null) === null);
}

export function compatibilityOf(
  persona: string | null,
  allowlist: readonly string[] | null,
  viewer: string | null,
): Compatibility {
  const isViewer = (name: string) => name.toLowerCase() === viewer?.toLowerCase();
  return {
    persona,
    persona_specific: persona !== null,
    matches_request: (persona === null || isViewer(persona)) && (allowlist?.some(isViewer) ?? true),
    allowlist: allowlist === null ? null : [...allowlist],
  };
}

function toSkillEntry(manifest: FromFile<SkillManifest>, viewer: string | null): SkillEntry {
  const {
    file: _,
    persona = null,
    summary = null,
    category = null,
    ...skill
  } = structuredClone(manifest);
  const required_input = namesUnder(
    "input",
    skill.steps?.map((step) => step.arguments),
  );
  const steps = skill.steps?.map((step) => ({ ...step, arguments: masked(step.arguments) }));
  const compatibility = compatibilityOf(persona, null, viewer);
  return {
    ...skill,
    ...withoutUndefined({ steps }),
    persona,
    summary,
    category,
    required_input,
    compatibility,
  };
}

function toTaskEntry(
  manifest: FromFile<TaskManifest>,
  viewer: string | null,
  work: KnownWork,
): TaskEntry {
  const { file: _, persona = null, description = null, ...task } = structuredClone(manifest);
  return {
    ...task,
    persona,
    description,
    required_capabilities: taskCapabilities(asViewed(manifest, viewer), work),
    compatibility: compatibilityOf(persona, null, viewer),
  };
}

function toJobEntry(
  manifest: FromFile<JobManifest>,
  viewer: string | null,
  { work, healthOf }: { work: KnownWork; healthOf(job: JobManifest): HealthSummary },
): JobEntry {
  const {
    file: _,
    persona = null,
    summary = null,
    description = null,
    ...job
  } = structuredClone(manifest);
  const viewed = asViewed(manifest, viewer);
  const maskInput = ({ input }: { input?: { [key: string]: Json } | undefined }) =>
    input === undefined ? {} : { input: masked(input) };
  return {
    ...job,
    ...maskInput(job),
    persona,
    summary,
    description,
    task_graph: job.task_graph.map((node) => ({
      ...node,
      ...maskInput(node),
      required_capabilities: nodeCapabilities(node.task, viewed.persona, work),
    })),
    required_capabilities: jobCapabilities(viewed, work),
    health: { job: healthOf(manifest) },
    // Without a persona that asks, the list of personas restricts nothing.
    compatibility: compatibilityOf(persona, viewer === null ? null : job.personas, viewer),
  };
}

/** A persona runs shared work with its own skills and tools. */
function asViewed<T extends { persona?: string | undefined }>(work: T, viewer: string | null): T {
  if (work.persona === undefined && viewer !== null) return { ...work, persona: viewer };
  return work;
}

/** Arguments of steps and tasks may hold secrets of the tools they go to. */
function masked(plain: { [key: string]: Json }): JsonObject {
  return withReferences(plain, maskSecrets(plain)) as JsonObject;
}

const isReference = /^\$\{[\w.-]+\}$/;

/** A reference such as `${input.key}` is no secret. */
function withReferences(written: Json, hidden: Json): Json {
  if (typeof written === "string") return isReference.test(written) ? written : hidden;
  if (Array.isArray(written) && Array.isArray(hidden))
    return written.map((item, index) => withReferences(item, hidden[index] ?? null));
  if (!isObject(written) || !isObject(hidden)) return hidden;
  const inner = hidden as JsonObject;
  return Object.fromEntries(
    Object.entries(written as JsonObject).map(([key, value]) => [
      key,
      withReferences(value, inner[key] ?? null),
    ]),
  );
}

export type WorkListingPorts = {
  manifests(): Manifests;
  snapshot(): Snapshot;
  health(): Promise<Pick<Health, "summary">>;
};

export function createWorkListing({ manifests, snapshot, health }: WorkListingPorts) {
  const workKnownTo = (tools: readonly Tool[]): KnownWork => {
    const { skills, tasks } = manifests();
    const byKey = Map.groupBy(tools, ({ id }) => toolKey(id));
    const { index } = snapshot();
    const toolsNamed = (name: string) =>
      idsOf(index.find(name)).flatMap((id) => byKey.get(toolKey(id)) ?? []);
    return { skills, tasks, toolsNamed };
  };
  return {
    skillsFor: (viewer: WorkViewer) => visibleWork(manifests().skills, viewer),
    tasksFor: (viewer: WorkViewer) => visibleWork(manifests().tasks, viewer),
    jobsFor: (viewer: WorkViewer) => jobsFor(visibleWork(manifests().jobs, viewer), viewer),
    skillEntry: toSkillEntry,
    taskEntries(
      tasks: readonly FromFile<TaskManifest>[],
      viewer: WorkViewer,
      tools: readonly Tool[],
    ): TaskEntry[] {
      const knownWork = workKnownTo(tools);
      return tasks.map((task) => toTaskEntry(task, onlyPersona(viewer), knownWork));
    },
    async jobEntries(
      jobs: readonly FromFile<JobManifest>[],
      viewer: WorkViewer,
      tools: readonly Tool[],
    ) {
      const { summary } = await health();
      const facts = {
        work: workKnownTo(tools),
        healthOf: (job: JobManifest) => summary(jobSubject(job)),
      };
      return jobs.map((job) => toJobEntry(job, onlyPersona(viewer), facts));
    },
  };
}

/** The one persona that looks, or whose entries are looked at. */
export function onlyPersona({ persona, personas }: WorkViewer): string | null {
  return persona ?? createPersonaFilter(personas).only;
}
