import { namesUnder } from "../lib/text/fill-references.ts";
import type { HealthSummary } from "../model/catalogue/health.ts";
import type { Compatibility, JobEntry, SkillEntry, TaskEntry } from "../model/catalogue/registry-summary.ts";
import type { FromFile } from "../model/config/config.ts";
import type { JobManifest, TaskManifest } from "../model/work/job.ts";
import type { SkillManifest } from "../model/work/skill.ts";
import { jobCapabilities, type KnownWork, nodeCapabilities, taskCapabilities } from "./work-capabilities.ts";

/** For whom something is, seen by `asked`. Copied, like everything that is given out. */
export function compatibilityOf(
  persona: string | null,
  allowlist: readonly string[] | null,
  asked: string | null,
): Compatibility {
  const isAsked = (name: string) => name.toLowerCase() === asked?.toLowerCase();
  return {
    persona,
    persona_specific: persona !== null,
    matches_request: (persona === null || isAsked(persona)) && (allowlist?.some(isAsked) ?? true),
    allowlist: allowlist === null ? null : [...allowlist],
  };
}

export function toSkillEntry(manifest: FromFile<SkillManifest>, asked: string | null): SkillEntry {
  const { file: _, persona = null, summary = null, category = null, ...skill } = structuredClone(manifest);
  const required_input = namesUnder(
    "input",
    skill.steps?.map((step) => step.arguments),
  );
  const compatibility = compatibilityOf(persona, null, asked);
  return { ...skill, persona, summary, category, required_input, compatibility };
}

export function toTaskEntry(manifest: FromFile<TaskManifest>, asked: string | null, known: KnownWork): TaskEntry {
  const { file: _, persona = null, description = null, ...task } = structuredClone(manifest);
  return {
    ...task,
    persona,
    description,
    required_capabilities: taskCapabilities(asViewed(manifest, asked), known),
    compatibility: compatibilityOf(persona, null, asked),
  };
}

export type JobFacts = { known: KnownWork; healthOf(job: JobManifest): HealthSummary };

export function toJobEntry(
  manifest: FromFile<JobManifest>,
  asked: string | null,
  { known, healthOf }: JobFacts,
): JobEntry {
  const cloned = structuredClone(manifest);
  const { file: _, persona = null, summary = null, description = null, ...job } = cloned;
  const viewed = asViewed(manifest, asked);
  return {
    ...job,
    persona,
    summary,
    description,
    task_graph: job.task_graph.map((node) => ({
      ...node,
      required_capabilities: nodeCapabilities(node.task, viewed.persona, known),
    })),
    required_capabilities: jobCapabilities(viewed, known),
    health: { job: healthOf(manifest) },
    // Whom it is for is only a question when somebody is meant.
    compatibility: compatibilityOf(persona, asked === null ? null : job.personas, asked),
  };
}

/** What is shared is done by a persona with what is the persona's own. */
function asViewed<T extends { persona?: string | undefined }>(work: T, asked: string | null): T {
  return work.persona === undefined && asked !== null ? { ...work, persona: asked } : work;
}
