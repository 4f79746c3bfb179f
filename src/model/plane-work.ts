import type { AgentRun, RenderedRun, RunFormat, RunPage, RunQuery } from "./agent/agent-run.ts";
import type {
  AgentResult,
  Generated,
  GenerateRequest,
  Generation,
  RunAgentOptions,
  ToolsetSelection,
} from "./agent.ts";
import type { Outcome } from "./calls/call.ts";
import type {
  JobEntry,
  JobListing,
  JobPage,
  SkillListing,
  SkillPage,
  SkillQuery,
  TaskEntry,
  TaskPage,
  WorkQuery,
} from "./catalogue/registry-summary.ts";
import type { ToolsetInput } from "./config/config-input.ts";
import type { JsonObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";
import type { DeadLetter, DeadLetterPage, DeadLetterQuery } from "./work/dead-letter.ts";
import type { JobRun, JobRunState } from "./work/job-run.ts";
import type { RunSkillOptions, SkillRun } from "./work/skill-run.ts";

/** A job with when it is due and how it went last. */
export type JobStatus = JobListing & {
  /** The times that come next, five at most; none while it is paused. */
  upcoming: string[];
  /** Runs that are under way or wait for their turn. */
  active: number;
  lastRun: JobRun | null;
};

/** Which runs of a job. */
export type JobRunQuery = { state?: JobRunState; limit?: number; cursor?: string };
/** Runs of a job, a page at a time. */
export type JobRunPage = { runs: JobRun[]; nextCursor: string | null };

/** How a job is begun. */
export type RunJobOptions = Caller & {
  input?: JsonObject;
  /** Asking twice with one key is asking once. */
  idempotencyKey?: string;
  /** Until it is over, or so many milliseconds; not at all when left out. */
  wait?: boolean | number;
  signal?: AbortSignal;
};

/** Skills: steps, or instructions for a model. */
export interface PlaneSkills {
  /** The skills that are meant, by name, a page at a time, each with the tools it lacks. */
  page(query?: Partial<SkillQuery>, caller?: Caller & { waitMs?: number }): Promise<SkillPage>;
  /** One skill with the tools that it lacks. */
  get(name: string, caller?: Caller & { personas?: string[] }): Promise<SkillListing>;
  /**
   * Looks whether everything is there, then runs the steps of a skill, or has a model follow its instructions.
   *
   * @example
   * const { outcome, result } = await plane.skills.run("report", { days: 3 });
   */
  run(name: string, input?: JsonObject, options?: RunSkillOptions): Promise<SkillRun>;
}

/** Tasks in an order, once or by the clock. */
export interface PlaneJobs {
  /** What the caller's persona, or those that are asked for, can work at. */
  list(caller?: Caller & { personas?: string[] }): Promise<JobEntry[]>;
  /** The same a page at a time, by name, each with when it is due. */
  page(query?: Partial<WorkQuery>, caller?: Caller): Promise<JobPage>;
  /** One job with when it is due and how it went last. */
  get(name: string, caller?: Caller): Promise<JobStatus>;
  /**
   * Begins a run now, or as soon as the job's other runs leave room. Where nothing is scheduled it is done here.
   *
   * @example
   * const { state, tasks } = await plane.jobs.run("digest", { wait: true });
   */
  run(name: string, options?: RunJobOptions): Promise<JobRun>;
  /** The same once more: a run of its own with the same input. */
  rerun(run: string, options?: Omit<RunJobOptions, "input">): Promise<JobRun>;
  /** It is not begun by the clock until it is resumed; runs that are under way go on. */
  pause(name: string, caller?: Caller): Promise<JobStatus>;
  /** Times that passed meanwhile are not made up for. */
  resume(name: string, caller?: Caller): Promise<JobStatus>;
  /** Cancels a run that is under way or waits. */
  cancel(run: string, caller?: Caller): Promise<JobRun>;
  /** One run of a job. */
  status(run: string, caller?: Caller): Promise<JobRun>;
  /** Newest first: the caller's own and those by the clock, everybody's for admins. */
  history(job: string, query?: JobRunQuery, caller?: Caller): Promise<JobRunPage>;
}

/** What a persona can work at. */
export interface PlaneTasks {
  /** The tasks that the personas can work at. */
  list(caller?: Caller & { personas?: string[] }): Promise<TaskEntry[]>;
  /** The same a page at a time, by name. */
  page(query?: Partial<WorkQuery>, caller?: Caller): Promise<TaskPage>;
  /** One task. */
  get(name: string, caller?: Caller & { personas?: string[] }): Promise<TaskEntry>;
}

/** Calls that failed for good. */
export interface PlaneDeadLetters {
  /** Calls that failed for good, newest first: the caller's own, everybody's with the scope `admin`. */
  page(query?: DeadLetterQuery, caller?: Caller): Promise<DeadLetterPage>;
  /** One dead letter. */
  get(id: string, caller?: Caller): Promise<DeadLetter>;
  /**
   * Makes the call again along the whole path, as whoever made it first; also what is not retried by itself.
   *
   * @example
   * const { letters } = await plane.deadLetters.page({ status: "pending" });
   * for (const { id } of letters) await plane.deadLetters.retry(id);
   */
  retry(id: string, caller?: Caller & { signal?: AbortSignal }): Promise<Outcome>;
  /** Somebody has taken care of it in another way. */
  resolve(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /** It is not tried again by itself. */
  abandon(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /** True when there was one. */
  delete(id: string, caller?: Caller): Promise<boolean>;
}

/** Models with tools. */
export interface PlaneAgent {
  /**
   * One question, answered by a model with tools. Rejects only on a defect or where nothing could begin.
   *
   * @example
   * const { answer, outcome } = await plane.agent.run("What is in notes.txt?", { toolset: "reading", maxTurns: 3 });
   */
  run(question: string, options?: RunAgentOptions): Promise<AgentResult>;
  /**
   * A run whose answer is made into a value.
   *
   * @example
   * const { value } = await plane.agent.generate({ prompt: "How many lines has notes.txt?", parser: Number });
   */
  generate<T = string>(request: GenerateRequest<T>): Promise<Generation<T>>;
  /**
   * Many prompts, `parallel` of them at a time (8), with the results in the order of the prompts. What is said in
   * `options` holds for each that does not say otherwise. One that fails is told in its place, and the others go on.
   *
   * @example
   * for await (const { index, generation, error } of plane.agent.generateAll(prompts, { parallel: 4 }))
   *   console.log(index, generation?.answer ?? error?.message);
   */
  generateAll(
    requests: Iterable<string | GenerateRequest> | AsyncIterable<string | GenerateRequest>,
    options?: Omit<GenerateRequest, "prompt" | "parser"> & { parallel?: number },
  ): AsyncGenerator<Generated, void, undefined>;
}

/** Named selections of tools. */
export interface PlaneToolsets {
  /**
   * Adds a toolset, or replaces the one of this alias, for all callers and at once.
   *
   * @example
   * plane.toolsets.register("reading", { providers: ["files"], allow_tools: ["read_*"] });
   */
  register(alias: string, definition: ToolsetInput): void;
  /** What a toolset selects as it is defined now, for faces that show one. Throws where no toolset has this alias. */
  select(alias: string): ToolsetSelection;
}

/** The traces of agents. */
export interface PlaneRuns {
  /** The caller's own runs, newest first; everybody's for admins. */
  page(query?: RunQuery, caller?: Caller): Promise<RunPage>;
  /** One run of an agent with its steps and messages. */
  get(id: string, caller?: Caller): Promise<AgentRun>;
  /** The same to be read: as plain text, or as a page that stands for itself. */
  render(id: string, format: RunFormat, caller?: Caller): Promise<RenderedRun>;
}
