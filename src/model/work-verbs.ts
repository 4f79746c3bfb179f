import type { Caller } from "./principal.ts";
import type {
  JobEntry,
  JobPage,
  RegistrySummary,
  SkillListing,
  SkillPage,
  SkillQuery,
  TaskEntry,
  TaskPage,
  WorkQuery,
} from "./registry-summary.ts";

/** What there is to do, and who can do it. */
export interface WorkVerbs {
  /** The whole catalogue in short, for the caller's persona or another. */
  registrySummary(caller?: Caller & { persona?: string; waitMs?: number }): Promise<RegistrySummary>;
  /** The skills that are meant, by name, a page at a time, each with the tools it lacks. */
  skills(query?: Partial<SkillQuery>, caller?: Caller & { waitMs?: number }): Promise<SkillPage>;
  /** One skill with the tools that it lacks. */
  skill(name: string, caller?: Caller & { personas?: string[] }): Promise<SkillListing>;
  /** What the caller's persona, or those that are asked for, can work at. */
  jobs(caller?: Caller & { personas?: string[] }): Promise<JobEntry[]>;
  /** The same a page at a time, by name, each with when it is due. */
  queryJobs(query?: Partial<WorkQuery>, caller?: Caller): Promise<JobPage>;
  /** The tasks that the personas can work at. */
  tasks(caller?: Caller & { personas?: string[] }): Promise<TaskEntry[]>;
  /** The same a page at a time, by name. */
  queryTasks(query?: Partial<WorkQuery>, caller?: Caller): Promise<TaskPage>;
  /** One task. */
  task(name: string, caller?: Caller & { personas?: string[] }): Promise<TaskEntry>;
}
