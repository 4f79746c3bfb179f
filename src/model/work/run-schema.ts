import { z } from "zod";
import { ErrorOrNull } from "../errors-schema.ts";
import type { TypeOf } from "../json.ts";
import { AnyJson } from "../json-schema.ts";
import { jobRunStates, taskStates } from "./job-run.ts";
import { skillOutcomes, stepStates } from "./skill-run.ts";

const moment = z.string().nullable();

export const StepRun = z
  .object({
    skill: z.string(),
    id: z.string(),
    tool: z
      .string()
      .nullable()
      .meta({ description: "Null for a model that follows instructions." }),
    state: z.enum(stepStates),
    record: z
      .string()
      .nullable()
      .meta({ description: "The call's id, or the id of the model's run." }),
    at: moment,
    durationMs: z.number().nullable(),
    error: ErrorOrNull,
  })
  .meta({ id: "StepRun", description: "A call of a plan, or the agent in its place." });
export type StepRun = TypeOf<typeof StepRun>;

export const SkillRun = z
  .object({
    id: z.string(),
    skill: z.string(),
    persona: z.string().nullable(),
    user: z.string().nullable(),
    at: z.string(),
    durationMs: z.number(),
    outcome: z.enum(skillOutcomes),
    steps: z.array(StepRun),
    result: AnyJson.meta({
      description: "What the last step said, by id where there are several, or the model's answer.",
    }),
    error: ErrorOrNull,
  })
  .meta({ id: "SkillRun", description: "One run of a skill." });
export type SkillRun = TypeOf<typeof SkillRun>;

export const TaskRun = z
  .object({
    task: z.string(),
    dependsOn: z.array(z.string()),
    state: z.enum(taskStates),
    attempts: z.number().int(),
    startedAt: moment,
    endedAt: moment,
    nextAttemptAt: moment.meta({ description: "Set where a failed task is retried." }),
    error: ErrorOrNull,
    steps: z.array(StepRun),
  })
  .meta({ id: "TaskRun", description: "A task that failed is cancelled and has an error." });
export type TaskRun = TypeOf<typeof TaskRun>;

export const JobRun = z
  .object({
    id: z.string(),
    job: z.string(),
    owner: z.string().nullable().meta({ description: "The job's persona; null when shared." }),
    user: z.string().nullable(),
    persona: z.string().nullable(),
    origin: z.enum(["schedule", "request", "rerun"]),
    scheduledFor: moment,
    rerunOf: z.string().nullable(),
    state: z.enum(jobRunStates),
    priority: z.number().int(),
    idempotencyKey: z.string().meta({ description: "The same for every start of this run." }),
    starts: z.number().int().meta({ description: "How often a plane began or went on with it." }),
    createdAt: z.string(),
    startedAt: moment,
    endedAt: moment,
    tasks: z.array(TaskRun),
    error: ErrorOrNull,
  })
  .meta({ id: "JobRun", description: "One run of a job." });
export type JobRun = TypeOf<typeof JobRun>;
