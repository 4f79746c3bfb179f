import { visibleWork } from "@toolplane/core/catalogue";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { sentence } from "@toolplane/core/lib/text/wording";
import { type ErrorCode, errorTable, PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { Principal } from "@toolplane/core/model/principal";
import type { EscalationPolicy, JobManifest, TaskManifest } from "@toolplane/core/model/work/job";
import type { KeptJobRun, KeptTask } from "@toolplane/core/model/work/job-run";
import type { SkillManifest } from "@toolplane/core/model/work/skill";
import type { NotReady } from "@toolplane/core/model/work/skill-run";
import type { JobParts } from "@toolplane/core/work";
import { checkSkillTool, missingModels, notReady, preflight } from "../skills/preflight.ts";
import { runSkill } from "../skills/run-skill.ts";
import type { SkillCalls } from "../skills/skill-calls.ts";
import { missingInput } from "../skills/skill-graph.ts";
import type { TaskParts } from "./run-task.ts";
import { valueHash } from "./states.ts";

/** Calls of a job count as an agent's: no person asked for each of them. */
const face = "agent";

type WorkParts = JobParts & {
  calls: SkillCalls;
  actAs(job: JobManifest, principal: Principal): Principal;
};

/** The work of a job's tasks: their skills in order, or a model where they have none. */
export function createJobWork(parts: WorkParts) {
  return {
    /** Throws what is missing permanently; tools are looked for when their task begins, since they come and go. */
    async check(job: JobManifest, run: KeptJobRun): Promise<void> {
      const actor = await actorOf(parts, run);
      const openTasks = run.tasks.filter(({ state }) => state !== "done");
      const missing = await Promise.all([
        missingForJob(parts, job, actor),
        ...openTasks.map((task) => missingForTask(parts, task, actor.persona, run.input)),
      ]);
      const reasons = distinctReasons(missing.flat());
      if (reasons.length === 0) return;
      const { jobs } = await parts.plane().jobs.page({ name: job.name }, { principal: actor });
      const error = notReady(`Job '${job.name}'`, reasons, jobs[0]?.required_capabilities);
      throw withEscalation(error, job.escalation_policy);
    },
    of(run: KeptJobRun): TaskParts["work"] {
      return async (keptTask, input, memory, signal) => {
        try {
          return await runWork(parts, run, keptTask, { input, memory, signal });
        } catch (thrown) {
          if (signal.aborted) throw thrown;
          const { task } = await findTask(
            parts,
            keptTask.task,
            (await actorOf(parts, run)).persona,
          );
          throw withEscalation(toPlaneError(thrown), policyOf(await jobOf(parts, run), task));
        }
      };
    },
  };
}

async function jobOf({ manifests }: WorkParts, run: KeptJobRun): Promise<JobManifest | undefined> {
  const { jobs } = await manifests();
  return jobs.find(({ name, persona = null }) => name === run.job && persona === run.owner);
}

async function actorOf(parts: WorkParts, run: KeptJobRun): Promise<Principal> {
  const job = await jobOf(parts, run);
  const principal =
    run.origin === "schedule"
      ? parts.defaultPrincipal
      : await parts.currentPrincipal(run.principal);
  if (job === undefined) return principal;
  return parts.actAs(job, principal);
}

/** The task and its skills, as this persona has them. */
async function findTask({ manifests }: WorkParts, name: string, persona: string | null) {
  const manifestSet = await manifests();
  const viewer = { persona, personas: [] };
  const task = visibleWork(manifestSet.tasks, viewer).find(
    (visibleTask) => visibleTask.name === name,
  );
  const skills = visibleWork(manifestSet.skills, viewer);
  return {
    task,
    skill: (skillName: string) => skills.find((visibleSkill) => visibleSkill.name === skillName),
  };
}

async function missingForTask(
  parts: WorkParts,
  { task: name, input }: KeptTask,
  persona: string | null,
  runInput: JsonObject,
): Promise<NotReady[]> {
  const { task, skill } = await findTask(parts, name, persona);
  if (task === undefined) return [{ kind: "task", name, reason: `there is no task '${name}'` }];
  // A task without skills is given to a model.
  if (task.required_skills.length === 0) return missingModels({}, parts);
  return task.required_skills.flatMap((skillName): NotReady[] => {
    const requiredSkill = skill(skillName);
    if (requiredSkill === undefined)
      return [
        { kind: "skill", name: skillName, reason: `task '${name}' needs the skill '${skillName}'` },
      ];
    // The results of earlier tasks are not known yet; that there will be one is.
    const inputs = missingInput(requiredSkill, { ...runInput, ...input });
    return [
      ...inputs.map((input) => ({
        ...input,
        reason: `task '${name}' needs the input '${input.name}'`,
      })),
      ...missingModels(requiredSkill, parts),
    ];
  });
}

/** What the job needs beside its tasks. */
async function missingForJob(
  parts: WorkParts,
  job: JobManifest,
  actor: Principal,
): Promise<NotReady[]> {
  const skills = visibleWork((await parts.manifests()).skills, {
    persona: actor.persona,
    personas: [],
  });
  const checks = parts.calls.preflight(actor, face);
  const tools = await Promise.all(
    job.required_tools.map((name) => checkSkillTool(name, null, checks)),
  );
  const missing = job.required_skills.filter(
    (name) => !skills.some((skill) => skill.name === name),
  );
  return [
    ...missing.map(
      (name): NotReady => ({ kind: "skill", name, reason: `it needs the skill '${name}'` }),
    ),
    ...tools.flat().filter(({ kind }) => kind !== "server"),
  ];
}

type TaskContext = {
  input: JsonObject;
  memory: Parameters<TaskParts["work"]>[2];
  signal: AbortSignal;
};

async function runWork(
  parts: WorkParts,
  run: KeptJobRun,
  keptTask: KeptTask,
  context: TaskContext,
): Promise<Json> {
  const { config, calls, recorder } = parts;
  const { input, memory, signal } = context;
  const actor = await actorOf(parts, run);
  const { task, skill } = await findTask(parts, keptTask.task, actor.persona);
  if (task === undefined)
    throw notReady(
      `Task '${keptTask.task}'`,
      await missingForTask(parts, keptTask, actor.persona, run.input),
    );
  const requiredSkills = task.required_skills.flatMap((skillName) => skill(skillName) ?? []);
  const skills = requiredSkills.length > 0 ? requiredSkills : [asSkill(task)];
  const checks = calls.preflight(actor, face);
  const reasons = await Promise.all([
    ...skills.map((requiredSkill) => preflight(requiredSkill, input, checks)),
    ...task.required_tools.map((name) => checkSkillTool(name, null, checks)),
  ]);
  if (reasons.flat().length > 0)
    throw notReady(`Task '${task.name}'`, distinctReasons(reasons.flat()));
  const calling = calls.calling({
    run: run.id,
    conversation: `job-${run.id}`,
    face,
    principal: () => actorOf(parts, run),
    // The same for the same step of a run, however often and by whichever plane it is begun.
    keyOf: (step) =>
      `${run.idempotencyKey}-${valueHash([keptTask.task, step.skill, step.id]).slice(0, 16)}`,
    // The question ends with the wait: a yes after that would run a step of a run that is over.
    approvalWaitMs: config().approvals.holdMs,
    approvalExpireMs: config().approvals.holdMs,
  });
  const skillParts = {
    ...calling,
    run: { id: run.id, user: run.user },
    memory,
    emit: recorder.emit,
  };
  let result: Json = null;
  for (const requiredSkill of skills)
    result = await runSkill(requiredSkill, input, skillParts, signal);
  return result;
}

/** A task without skills is given to a model, with its acceptance criteria. */
function asSkill({
  name,
  summary,
  description,
  required_tools,
  acceptance_criteria,
}: TaskManifest): SkillManifest {
  const criteria = acceptance_criteria.map((criterion) => `- ${criterion}`).join("\n");
  const instruction_prompt = [summary, description, `It is done when:\n${criteria}`]
    .filter(Boolean)
    .join("\n\n");
  const empty = { required_capabilities: [], safety_notes: "", capability_tags: [] };
  return { ...empty, name, version: "1.0.0", instruction_prompt, required_tools };
}

function distinctReasons(reasons: readonly NotReady[]): NotReady[] {
  return reasons.filter(
    (notReady, index) => reasons.findIndex(({ reason }) => reason === notReady.reason) === index,
  );
}

/** The failure with its contact and actions, where the policy applies to it. */
export function withEscalation(
  error: PlaneError,
  policy: EscalationPolicy | undefined,
): PlaneError {
  if (policy === undefined || !appliesTo(policy, error.code)) return error;
  const { triggers: _, auto_escalate: __, ...escalation } = policy;
  const escalationText = escalationTextOf(policy);
  if (escalationText === "") return error;
  return new PlaneError(error.code, `${sentence(error.message)} ${escalationText}`, {
    data: { ...error.data, escalation },
    cause: error.cause,
  });
}

/** The escalation event of a failed run, where its task or its job asks for one. */
export function escalationOf(
  job: JobManifest,
  {
    id: runId,
    user,
    error,
    tasks,
    principal: { key },
  }: Pick<KeptJobRun, "id" | "user" | "error" | "tasks" | "principal">,
  manifests: readonly TaskManifest[],
): PlaneEvent | null {
  const task = tasks.find((failedTask) => failedTask.error !== null)?.task ?? null;
  const manifest = manifests.find(({ name }) => name === task);
  const policy = policyOf(job, manifest);
  const code = error?.code ?? "INTERNAL";
  if (policy?.auto_escalate !== true || !appliesTo(policy, code)) return null;
  const { level = null, contact = null, timeframe = null, actions = [] } = policy;
  return {
    type: "job.escalated",
    runId,
    user,
    ...withoutUndefined({ key }),
    job: job.name,
    task,
    code,
    level,
    contact,
    timeframe,
    actions,
  };
}

/** A task's own before its job's. */
function policyOf(
  job: JobManifest | undefined,
  task: TaskManifest | undefined,
): EscalationPolicy | undefined {
  return task?.escalation_policy ?? job?.escalation_policy;
}

/** Triggers that are error codes choose; the others are for people. */
function appliesTo({ triggers = [] }: EscalationPolicy, code: ErrorCode): boolean {
  const codes = triggers.filter((trigger) => Object.hasOwn(errorTable, trigger));
  return codes.length === 0 || codes.includes(code);
}

function escalationTextOf({
  contact,
  level,
  timeframe,
  actions = [],
  notes,
}: EscalationPolicy): string {
  const facts = [level && `level ${level}`, timeframe].filter(Boolean).join(", ");
  const whom = contact ? `Tell ${contact}` : facts && "Escalate it";
  const todo = actions.length === 0 ? "" : `To do: ${actions.join("; ")}`;
  const sentences = [whom && facts ? `${whom} (${facts})` : whom, todo, notes];
  return sentences.flatMap((text) => (text ? [sentence(text)] : [])).join(" ");
}
