import { z } from "zod";
import { jobRunStates, taskStates } from "../../model/work/job-run.ts";
import { skillOutcomes, stepStates } from "../../model/work/skill-run.ts";
import { ErrorReport } from "./problem.ts";

const moment = z.string().nullable();

export const StepRun = z
  .object({
    skill: z.string(),
    id: z.string(),
    tool: z.string().nullable().meta({ description: "Null for a model that follows instructions." }),
    state: z.enum(stepStates),
    record: z.string().nullable().meta({ description: "The call's id, or the id of the model's run." }),
    at: moment,
    durationMs: z.number().nullable(),
    error: z.union([ErrorReport, z.null()]),
  })
  .meta({ id: "StepRun" });

export const SkillRun = z
  .looseObject({
    id: z.string(),
    skill: z.string(),
    persona: z.string().nullable(),
    user: z.string().nullable(),
    at: z.string(),
    durationMs: z.number(),
    outcome: z.enum(skillOutcomes),
    steps: z.array(StepRun),
    result: z.unknown().meta({ description: "What the last step said, or the model's answer." }),
    error: z.union([ErrorReport, z.null()]),
  })
  .meta({ id: "SkillRun" });

const TaskRun = z
  .object({
    task: z.string(),
    dependsOn: z.array(z.string()),
    state: z.enum(taskStates),
    attempts: z.number().int(),
    startedAt: moment,
    endedAt: moment,
    nextAttemptAt: moment,
    error: z.union([ErrorReport, z.null()]),
    steps: z.array(StepRun),
  })
  .meta({ id: "TaskRun" });

export const JobRun = z
  .object({
    id: z.string(),
    job: z.string(),
    owner: z.string().nullable(),
    user: z.string().nullable(),
    persona: z.string().nullable(),
    origin: z.enum(["schedule", "request", "rerun"]),
    scheduledFor: moment,
    rerunOf: z.string().nullable(),
    state: z.enum(jobRunStates),
    priority: z.number().int(),
    idempotencyKey: z.string(),
    starts: z.number().int().meta({ description: "How often a plane began or went on with it." }),
    createdAt: z.string(),
    startedAt: moment,
    endedAt: moment,
    tasks: z.array(TaskRun),
    error: z.union([ErrorReport, z.null()]),
  })
  .meta({ id: "JobRun" });
