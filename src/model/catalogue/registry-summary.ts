import type { JobManifest, TaskManifest } from "../work/job.ts";
import type { SkillManifest } from "../work/skill.ts";
import type { HealthSummary, ToolHealth } from "./health.ts";
import type { ProviderSpec } from "./tool.ts";
import type { ToolQuery } from "./tool-query.ts";

/** For whom an entry is, and whether it is for the one who asked. */
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

/** What a manifest says, with null where it says nothing of what people look for, and where it comes from. */
type Entry<T, K extends keyof T> = Omit<T, K | "persona"> & {
  [key in K]-?: Exclude<T[key], undefined> | null;
} & {
  persona: string | null;
  source: string;
  compatibility: Compatibility;
};

export type SkillEntry = Entry<SkillManifest, "summary" | "category"> & {
  /** What its steps want to be given, each once. */
  required_input: string[];
};
/** A task of the catalogue. */
export type TaskEntry = Entry<TaskManifest, "description"> & {
  /** What its skills and tools need, each once. */
  required_capabilities: string[];
};
/** A job of the catalogue. */
export type JobEntry = Omit<Entry<JobManifest, "summary" | "description">, "task_graph"> & {
  task_graph: (JobManifest["task_graph"][number] & Pick<TaskEntry, "required_capabilities">)[];
  /** What it and its tasks need, each once. */
  required_capabilities: string[];
  health: { job: HealthSummary };
};

/** Everything the catalogue holds for one persona, in short. */
export type RegistrySummary = {
  revision: number;
  persona: string | null;
  compatibility: { persona: string | null; shared: number; persona_specific: number };
  tools: ToolEntry[];
  skills: SkillEntry[];
  tasks: TaskEntry[];
  jobs: JobEntry[];
};

/** Which skills are meant; the filters of tools that make sense for them. */
export type SkillQuery = Pick<ToolQuery, "personas" | "capabilities" | "q" | "limit" | "cursor">;

/** Which tasks or jobs are meant; `name` is one of them and nothing like it. */
export type WorkQuery = Pick<ToolQuery, "personas" | "q" | "limit" | "cursor"> & { name: string | null };

/** A skill with the tools that it lacks. */
export type SkillListing = SkillEntry & {
  /** Tools it needs that are not in the caller's catalogue. */
  missing_tools: string[];
};

/** A job with when it is due. */
export type JobListing = JobEntry & {
  schedule: {
    state: "on_request" | "scheduled" | "paused" | "over";
    nextAt: string | null;
    pausedAt: string | null;
    pausedBy: string | null;
  };
};

/** Tasks, a page at a time; `total` are all that match. */
export type TaskPage = { total: number; tasks: TaskEntry[]; nextCursor: string | null };
/** Jobs, a page at a time; `total` are all that match. */
export type JobPage = { total: number; jobs: JobListing[]; nextCursor: string | null };

/** `total` are all that match, on this page or not. */
export type SkillPage = { total: number; skills: SkillListing[]; nextCursor: string | null };
