import { maskSecrets } from "../config/secrets/mask.ts";
import { jobSubject } from "../model/catalogue/health.ts";
import type { JobEntry, SkillEntry, TaskEntry } from "../model/catalogue/registry-summary.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { toolKey } from "../model/catalogue/tool-name.ts";
import type { FromFile, Manifests } from "../model/config/config.ts";


import type { JobManifest } from "../model/work/job.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import type { TaskManifest } from "../model/work/job.ts";
import type { SkillManifest } from "../model/work/skill.ts";
import type { Health } from "./health/health.ts";
import { createPersonaFilter } from "./persona-filter.ts";
import type { Snapshot } from "./registry.ts";
import type { Catalogue } from "./tool-listing.ts";
import { jobsFor, type Viewer, visibleWork } from "./visible-work.ts";
import type { KnownWork } from "./work-capabilities.ts";
import { toJobEntry, toSkillEntry, toTaskEntry } from "./work-entries.ts";

const isReference = /^\$\{[\w.-]+\}$/;

/** A skill as others may see it: what its steps give to tools may hold what only those are to know. */
function shownSkill<T extends SkillEntry>(skill: T): T {
  if (skill.steps === undefined) return skill;
  return { ...skill, steps: skill.steps.map((step) => ({ ...step, arguments: shown(step.arguments) })) };
}

/** The same for what a job gives to its tasks. */
function shownJob<T extends JobEntry>(job: T): T {
  return {
    ...job,
    ...(job.input === undefined ? {} : { input: shown(job.input) }),
    task_graph: job.task_graph.map((node) => (node.input === undefined ? node : { ...node, input: shown(node.input) })),
  };
}

function shown(given: { [key: string]: Json }): JsonObject {
  return withReferences(given, maskSecrets(given)) as JsonObject;
}

/** What only says where a value comes from is none. */
function withReferences(written: Json, masked: Json): Json {
  if (typeof written === "string") return isReference.test(written) ? written : masked;
  if (Array.isArray(written) && Array.isArray(masked))
    return written.map((item, at) => withReferences(item, masked[at] ?? null));
  if (!isObject(written) || !isObject(masked)) return masked;
  const inner = masked as JsonObject;
  return Object.fromEntries(
    Object.entries(written as JsonObject).map(([key, value]) => [
      key,
      withReferences(value as Json, (inner[key] ?? null) as Json),
    ]),
  );
}

export type WorkParts = {
  manifests(): Manifests;
  snapshot(): Snapshot;
  catalogue: Pick<Catalogue, "queryTools" | "lookAt">;
  health(): Promise<Pick<Health, "summary">>;
};

/** Skills, tasks and jobs as somebody sees them. */
export function createWorkListing({ manifests, snapshot, health }: WorkParts) {
  const knownTo = (tools: readonly Tool[]): KnownWork => {
    const { skills, tasks } = manifests();
    const byKey = Map.groupBy(tools, ({ id }) => toolKey(id));
    const { index } = snapshot();
    const toolsNamed = (name: string) => idsOf(index.find(name)).flatMap((id) => byKey.get(toolKey(id)) ?? []);
    return { skills, tasks, toolsNamed };
  };
  return {
    skillsFor: (viewer: Viewer) => visibleWork(manifests().skills, viewer),
    tasksFor: (viewer: Viewer) => visibleWork(manifests().tasks, viewer),
    jobsFor: (viewer: Viewer) => jobsFor(visibleWork(manifests().jobs, viewer), viewer),
    skillEntry: (skill: FromFile<SkillManifest>, asked: string | null): SkillEntry =>
      shownSkill(toSkillEntry(skill, asked)),
    taskEntries(tasks: readonly FromFile<TaskManifest>[], viewer: Viewer, tools: readonly Tool[]): TaskEntry[] {
      const known = knownTo(tools);
      return tasks.map((task) => toTaskEntry(task, askedFor(viewer), known));
    },
    async jobEntries(
      jobs: readonly FromFile<JobManifest>[],
      viewer: Viewer,
      tools: readonly Tool[],
    ): Promise<JobEntry[]> {
      const { summary } = await health();
      const facts = { known: knownTo(tools), healthOf: (job: JobManifest) => summary(jobSubject(job)) };
      return jobs.map((job) => shownJob(toJobEntry(job, askedFor(viewer), facts)));
    },
  };
}

export function viewerOf({ persona }: Principal, personas: readonly string[]): Viewer {
  return { persona, personas };
}

/** The one persona that looks, or whose things are looked at. */
export function askedFor({ persona, personas }: Viewer): string | null {
  return persona ?? createPersonaFilter(personas).only;
}

export function idsOf(match: ReturnType<Snapshot["index"]["find"]>) {
  return match.kind === "none" ? [] : match.kind === "one" ? [match.id] : match.ids;
}
