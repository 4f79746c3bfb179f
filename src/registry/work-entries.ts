import type { HealthSummary } from "../model/health.ts";
import type { JobManifest } from "../model/job.ts";
import type { FromFile, Manifests } from "../model/manifests.ts";
import type { Compatibility, JobEntry, SkillEntry, TaskEntry } from "../model/registry-summary.ts";
import type { SkillManifest } from "../model/skill.ts";
import type { TaskManifest } from "../model/task.ts";
import type { Tool } from "../model/tool.ts";
import { jobCapabilities } from "./job-capabilities.ts";

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
  return { ...skill, persona, summary, category, compatibility: compatibilityOf(persona, null, asked) };
}

export function toTaskEntry(manifest: FromFile<TaskManifest>, asked: string | null): TaskEntry {
  const { file: _, persona = null, description = null, ...task } = structuredClone(manifest);
  return { ...task, persona, description, compatibility: compatibilityOf(persona, null, asked) };
}

export type JobFacts = {
  skills: Manifests["skills"];
  tools: readonly Tool[];
  healthOf(job: JobManifest): HealthSummary;
};

export function toJobEntry(
  manifest: FromFile<JobManifest>,
  asked: string | null,
  { skills, tools, healthOf }: JobFacts,
): JobEntry {
  const cloned = structuredClone(manifest);
  const { file: _, persona = null, summary = null, description = null, ...job } = cloned;
  return {
    ...job,
    persona,
    summary,
    description,
    required_capabilities: jobCapabilities(asViewed(manifest, asked), { skills, tools }),
    health: { job: healthOf(manifest) },
    // Whom it is for is only a question when somebody is meant.
    compatibility: compatibilityOf(persona, asked === null ? null : job.personas, asked),
  };
}

/** A shared job is done by a persona with what is the persona's own. */
function asViewed(job: JobManifest, asked: string | null): JobManifest {
  return job.persona === undefined && asked !== null ? { ...job, persona: asked } : job;
}
