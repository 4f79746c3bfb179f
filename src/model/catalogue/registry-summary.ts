import type { JobManifest, TaskManifest } from "../work/job.ts";
import type { SkillManifest } from "../work/skill.ts";
import type { HealthSummary, ToolHealth } from "./health-schema.ts";
import type { ProviderSpec } from "./tool.ts";
import type { ToolQuery } from "./tool-query.ts";

/** Whose entry it is, and whether the caller's persona may use it. */
export type Compatibility = {
  persona: string | null;
  persona_specific: boolean;
  matches_request: boolean;
  allowlist: string[] | null;
};

export type ToolEntry = {
  name: string;
  persona: string | null;
  version: string;
  capabilities: string[];
  capability_tags: string[];
  compatibility: Compatibility;
  health: {
    tool: HealthSummary;
    providers: ToolHealth["providers"];
    last_invocation: ToolHealth["last_invocation"];
    persona?: NonNullable<ToolHealth["persona"]>;
  };
  providers: ProviderSpec[];
};

/** A manifest and its source, with null for what it leaves out. */
type Entry<T, K extends keyof T> = Omit<T, K | "persona"> & {
  [key in K]-?: Exclude<T[key], undefined> | null;
} & {
  persona: string | null;
  source: string;
  compatibility: Compatibility;
};

export type SkillEntry = Entry<SkillManifest, "summary" | "category"> & {
  required_input: string[];
};
/** A task of the catalogue. */
export type TaskEntry = Entry<TaskManifest, "description"> & {
  required_capabilities: string[];
};
/** A job of the catalogue. */
export type JobEntry = Omit<Entry<JobManifest, "summary" | "description">, "task_graph"> & {
  task_graph: (JobManifest["task_graph"][number] & Pick<TaskEntry, "required_capabilities">)[];
  required_capabilities: string[];
  health: { job: HealthSummary };
};

/** All entries for one persona, in short. */
export type RegistrySummary = {
  revision: number;
  persona: string | null;
  compatibility: { persona: string | null; shared: number; persona_specific: number };
  tools: ToolEntry[];
  skills: SkillEntry[];
  tasks: TaskEntry[];
  jobs: JobEntry[];
};

/** A filter for skills. */
export type SkillQuery = Pick<ToolQuery, "personas" | "capabilities" | "q" | "limit" | "cursor">;

/** A filter for tasks or jobs; `name` matches exactly. */
export type WorkQuery = Pick<ToolQuery, "personas" | "q" | "limit" | "cursor"> & {
  name: string | null;
};

/** A filter for jobs, also by how their last runs went. Those that never ran match a share of 0 alone. */
export type JobQuery = WorkQuery & Pick<ToolQuery, "minSuccessRate">;

/** A skill and its missing tools. */
export type SkillListing = SkillEntry & {
  missing_tools: string[];
};

/** A job and its schedule. */
export type JobListing = JobEntry & {
  schedule: {
    state: "on_request" | "scheduled" | "paused" | "over";
    nextAt: string | null;
    pausedAt: string | null;
    pausedBy: string | null;
  };
};

/** A page of tasks; `total` counts all matches. */
export type TaskPage = { total: number; tasks: TaskEntry[]; nextCursor: string | null };
/** A page of jobs; `total` counts all matches. */
export type JobPage = { total: number; jobs: JobListing[]; nextCursor: string | null };

export type SkillPage = { total: number; skills: SkillListing[]; nextCursor: string | null };
