import type { ToolsetInput } from "../../generated/config/config-input.ts";
import type {
  CodegenMethods,
  CodeMethods,
  DeadLettersMethods,
  JobsMethods,
  RunsMethods,
} from "../../generated/plane-methods.ts";
import type { RenderedRun, RunFormat, RunPage, RunQuery } from "./agent/agent-run.ts";
import type { CodeOutcome, RunCodeOptions } from "./agent/code-run.ts";
import type { CodeSearch } from "./agent/code-schema.ts";
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
  JobQuery,
  SkillListing,
  SkillPage,
  SkillQuery,
  TaskEntry,
  TaskPage,
  WorkQuery,
} from "./catalogue/registry-summary.ts";
import type { SkillShelf } from "./catalogue/skill-entry.ts";
import type { JsonObject } from "./json.ts";
import type { OfferOptions } from "./plane-tools.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";
import type { DeadLetterPage, DeadLetterQuery } from "./work/dead-letter.ts";
import type { JobRunState } from "./work/job-run.ts";
import type { JobRun, SkillRun } from "./work/run-schema.ts";
import type { RunSkillOptions } from "./work/skill-run.ts";

/** A job with its schedule and its last run. */
export type JobStatus = JobListing & {
  /** The next five times; none while paused. */
  upcoming: string[];
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
  /** A second request with the same key returns the first run. */
  idempotencyKey?: string;
  /** Until the end, or for so many milliseconds. Default: no wait. */
  wait?: boolean | number;
  signal?: AbortSignal;
};

export interface PlaneSkills {
  /**
   * Skills that servers publish and those of folders: texts for models, each with a `SKILL.md`.
   * @example
   * const { skills } = await plane.skills.published({ waitMs: 1_000 });
   * for (const { server, frontmatter } of skills) console.log(server, frontmatter.name);
   */
  published(
    options?: OfferOptions & { waitMs?: number; servers?: readonly string[] },
  ): Promise<SkillShelf>;
  /** By name, each with its missing tools. */
  page(query?: Partial<SkillQuery>, caller?: Caller & { waitMs?: number }): Promise<SkillPage>;
  get(name: string, caller?: Caller & { personas?: string[] }): Promise<SkillListing>;
  /**
   * Runs the steps of a skill, or has a model follow its instructions.
   * @example
   * const { outcome, result } = await plane.skills.run("report", { days: 3 });
   */
  run(name: string, input?: JsonObject, options?: RunSkillOptions): Promise<SkillRun>;
}

/** Scheduled workflows: tasks that run in order, on demand or on a schedule. */
export interface PlaneJobs extends JobsMethods {
  /** The jobs of the caller's persona, or of those named. */
  list(caller?: Caller & { personas?: string[] }): Promise<JobEntry[]>;
  /** By name, each with its schedule. */
  page(query?: Partial<JobQuery>, caller?: Caller): Promise<JobPage>;
  /**
   * Starts a run now, or when the job's concurrency allows.
   * @example
   * const { state, tasks } = await plane.jobs.run("digest", { wait: true });
   */
  run(name: string, options?: RunJobOptions): Promise<JobRun>;
  /** A new run with the same input. */
  rerun(run: string, options?: Omit<RunJobOptions, "input">): Promise<JobRun>;
}

export interface PlaneTasks {
  /**
   * The tasks of these personas.
   * @example
   * for (const { name, description } of await plane.tasks.list()) console.log(name, description);
   */
  list(caller?: Caller & { personas?: string[] }): Promise<TaskEntry[]>;
  page(query?: Partial<WorkQuery>, caller?: Caller): Promise<TaskPage>;
  get(name: string, caller?: Caller & { personas?: string[] }): Promise<TaskEntry>;
}

export interface PlaneDeadLetters extends DeadLettersMethods {
  /** Newest first; those of all callers for admins. */
  page(query?: DeadLetterQuery, caller?: Caller): Promise<DeadLetterPage>;
  /**
   * Makes the call again as its first caller, also where a retry is not automatic.
   * @example
   * const { deadLetters } = await plane.deadLetters.page({ status: "pending" });
   * for (const { id } of deadLetters) await plane.deadLetters.retry(id);
   */
  retry(id: string, caller?: Caller & { signal?: AbortSignal }): Promise<Outcome>;
}

export interface PlaneCode extends CodeMethods {
  /**
   * Runs a program in the sandbox; its calls go along the one path. Rejects only where it could not begin.
   * @example
   * const { value } = await plane.code.run(`const text = await tools.files.read_file({ path: "a.txt" }); return text.length;`);
   */
  run(source: string, options?: RunCodeOptions): Promise<CodeOutcome>;
  /** The tools that fit, as TypeScript for a program. */
  search(
    query: string,
    options?: Caller & Pick<RunCodeOptions, "only"> & { limit?: number },
  ): Promise<CodeSearch>;
}

export const codegenKinds = ["types", "client", "cli"] as const;
export type CodegenKind = (typeof codegenKinds)[number];

/** TypeScript made of the catalogue. */
export interface PlaneCodegen extends CodegenMethods {}

export interface PlaneAgent {
  /**
   * A model answers with tools. Rejects only on a defect, or where nothing could begin.
   * @example
   * const { answer, outcome } = await plane.agent.run("What is in notes.txt?", { toolset: "reading", maxTurns: 3 });
   */
  run(question: string, options?: RunAgentOptions): Promise<AgentResult>;
  /**
   * A run whose answer is parsed into a value.
   * @example
   * const { value } = await plane.agent.generate({ prompt: "How many lines has notes.txt?", parser: Number });
   */
  generate<T = string>(request: GenerateRequest<T>): Promise<Generation<T>>;
  /**
   * Many prompts, 8 at a time by default, with results in order. `options` are defaults for each; a failure stays its
   * own.
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
   * Adds or replaces a toolset for all callers.
   * @example
   * plane.toolsets.register("reading", { providers: ["files"], allow_tools: ["read_*"] });
   */
  register(alias: string, definition: ToolsetInput): void;
  /** Throws where no toolset has this alias. */
  select(alias: string): ToolsetSelection;
}

/** Traces of agents. */
export interface PlaneRuns extends RunsMethods {
  /**
   * Newest first; those of all callers for admins.
   * @example
   * const { runs } = await plane.runs.page({ limit: 1 });
   * for (const { id } of runs) console.log((await plane.runs.render(id, "text")).text);
   */
  page(query?: RunQuery, caller?: Caller): Promise<RunPage>;
  /** As text, or as a self-contained page. */
  render(id: string, format: RunFormat, caller?: Caller): Promise<RenderedRun>;
}
