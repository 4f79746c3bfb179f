import { visibleWork } from "../../catalogue/catalogue.ts";
import { sentence } from "../../lib/text/wording.ts";
import { type ErrorCode, errorTable, PlaneError, toPlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { EscalationPolicy, JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { KeptJobRun, KeptTask } from "../../model/work/job-run.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import type { NotReady } from "../../model/work/skill-run.ts";
import { missingInput } from "../skills/plan.ts";
import { checkTool, missingModels, notReady, preflight } from "../skills/preflight.ts";
import { runSkill } from "../skills/run-skill.ts";
import type { JobParts, SkillCalls } from "../skills/skill-calls.ts";
import type { TaskParts } from "./run-task.ts";
import { hashOf } from "./states.ts";

/** Calls of a job count as an agent's: no person asked for each of them. */
const face = "agent";

type ActAs = (job: JobManifest, principal: Principal) => Principal;

/** What the tasks of a job take: their skills one after the other, or a model where they have none. */
export function createJobWork(
  { config, memory, defaultPrincipal, manifests, currentPrincipal, modelTrouble, plane }: JobParts,
  calls: SkillCalls,
  actAs: ActAs,
) {
  async function jobOf(run: KeptJobRun): Promise<JobManifest | undefined> {
    const { jobs } = await manifests();
    return jobs.find(({ name, persona = null }) => name === run.job && persona === run.owner);
  }

  async function whoDoes(run: KeptJobRun): Promise<Principal> {
    const job = await jobOf(run);
    const asked = run.origin === "schedule" ? defaultPrincipal : await currentPrincipal(run.principal);
    return job === undefined ? asked : actAs(job, asked);
  }

  /** The task and its skills, as the persona that does them has them. */
  async function findTask(name: string, persona: string | null) {
    const all = await manifests();
    const viewer = { persona, personas: [] };
    const task = visibleWork(all.tasks, viewer).find((one) => one.name === name);
    const skills = visibleWork(all.skills, viewer);
    return { task, skill: (wanted: string) => skills.find((one) => one.name === wanted) };
  }

  async function missingFor(
    { task: name, input }: Pick<KeptTask, "task" | "input">,
    persona: string | null,
    given: JsonObject,
  ): Promise<NotReady[]> {
    const { task, skill } = await findTask(name, persona);
    if (task === undefined) return [{ kind: "task", name, reason: `there is no task '${name}'` }];
    // A task without skills is given to a model.
    const withoutSkills = task.required_skills.length === 0 ? missingModels({}, { modelTrouble }) : [];
    const ofSkills = task.required_skills.flatMap((wanted): NotReady[] => {
      const found = skill(wanted);
      if (found === undefined)
        return [{ kind: "skill", name: wanted, reason: `task '${name}' needs the skill '${wanted}'` }];
      // What a task before it will say is not known yet; that there will be something is.
      const inputs = missingInput(found, { ...given, ...input });
      return [
        ...inputs.map((one) => ({ ...one, reason: `task '${name}' needs the input '${one.name}'` })),
        ...missingModels(found, { modelTrouble }),
      ];
    });
    return [...withoutSkills, ...ofSkills];
  }

  /** What the job needs by itself, beside its tasks. */
  async function missingForJob(job: JobManifest, who: Principal): Promise<NotReady[]> {
    const skills = visibleWork((await manifests()).skills, { persona: who.persona, personas: [] });
    const checks = calls.preflight(who, face);
    const tools = await Promise.all(job.required_tools.map((name) => checkTool(name, null, checks)));
    return [
      ...job.required_skills
        .filter((name) => !skills.some((one) => one.name === name))
        .map((name): NotReady => ({ kind: "skill", name, reason: `it needs the skill '${name}'` })),
      ...tools.flat().filter(({ kind }) => kind !== "server"),
    ];
  }

  return {
    /** What is missing for good; tools are looked for when their task begins, for they come and go. */
    async check(job: JobManifest, run: KeptJobRun): Promise<void> {
      const who = await whoDoes(run);
      const found = await Promise.all([
        missingForJob(job, who),
        ...run.tasks.filter(({ state }) => state !== "done").map((kept) => missingFor(kept, who.persona, run.input)),
      ]);
      const reasons = unique(found.flat());
      if (reasons.length === 0) return;
      const { jobs } = await plane().jobs.page({ name: job.name }, { principal: who });
      const error = notReady(`Job '${job.name}'`, reasons, jobs[0]?.required_capabilities);
      throw withEscalation(error, job.escalation_policy);
    },
    of(run: KeptJobRun): TaskParts["work"] {
      const work = workOf(run);
      return async (kept, input, stepMemory, signal): Promise<Json> => {
        try {
          return await work(kept, input, stepMemory, signal);
        } catch (thrown) {
          if (signal.aborted) throw thrown;
          const { task } = await findTask(kept.task, (await whoDoes(run)).persona);
          throw withEscalation(toPlaneError(thrown), policyOf(await jobOf(run), task));
        }
      };
    },
  };

  function workOf(run: KeptJobRun): TaskParts["work"] {
    return async (kept, input, stepMemory, signal): Promise<Json> => {
      const who = await whoDoes(run);
      const { task, skill } = await findTask(kept.task, who.persona);
      if (task === undefined) throw notReady(`Task '${kept.task}'`, await missingFor(kept, who.persona, run.input));
      const skills = task.required_skills.flatMap((wanted) => skill(wanted) ?? []);
      const works: SkillManifest[] = skills.length > 0 ? skills : [asSkill(task)];
      const checks = calls.preflight(who, face);
      const reasons = await Promise.all([
        ...works.map((one) => preflight(one, input, checks)),
        ...task.required_tools.map((name) => checkTool(name, null, checks)),
      ]);
      if (reasons.flat().length > 0) throw notReady(`Task '${task.name}'`, unique(reasons.flat()));
      const calling = calls.calling({
        ...{ run: run.id, conversation: `job-${run.id}`, face, principal: () => whoDoes(run) },
        keyOf: (step) => keyOf(run, kept, step),
        approvalWaitMs: config().approvals.timeoutMs,
      });
      const parts = {
        ...calling,
        run: { id: run.id, user: run.user },
        memory: stepMemory,
        emit: memory.emit,
      };
      let result: Json = null;
      for (const one of works) result = await runSkill(one, input, parts, signal);
      return result;
    };
  }
}

/** The same for the same step of a run, however often and by whomever it is begun. */
function keyOf(run: KeptJobRun, { task }: KeptTask, step: { skill: string; id: string }): string {
  return `${run.idempotencyKey}-${hashOf([task, step.skill, step.id]).slice(0, 16)}`;
}

/** A task that names no skill is given to a model, with what it has to come to. */
function asSkill({ name, summary, description, required_tools, acceptance_criteria }: TaskManifest): SkillManifest {
  const criteria = acceptance_criteria.map((one) => `- ${one}`).join("\n");
  return {
    name,
    version: "1.0.0",
    instruction_prompt: [summary, description, `It is done when:\n${criteria}`].filter(Boolean).join("\n\n"),
    required_tools,
    required_capabilities: [],
    safety_notes: "",
    capability_tags: [],
  };
}

function unique(reasons: readonly NotReady[]): NotReady[] {
  return reasons.filter((one, at) => reasons.findIndex(({ reason }) => reason === one.reason) === at);
}

/** The failure with its contact and actions, where the policy applies to it. */
export function withEscalation(error: PlaneError, policy: EscalationPolicy | undefined): PlaneError {
  if (policy === undefined || !isMeant(policy, error.code)) return error;
  const { triggers: _, auto_escalate: __, ...escalation } = policy;
  const words = wordsOf(policy);
  if (words === "") return error;
  return new PlaneError(error.code, `${sentence(error.message)} ${words}`, {
    data: { ...error.data, escalation },
    cause: error.cause,
  });
}

/** The escalation event of a failed run, where its task or its job asks for one. */
export function escalationOf(
  job: JobManifest,
  { id: runId, user, error, tasks }: Pick<KeptJobRun, "id" | "user" | "error" | "tasks">,
  known: readonly TaskManifest[],
): PlaneEvent | null {
  const failed = tasks.find((one) => one.error !== null)?.task ?? null;
  const policy = policyOf(
    job,
    known.find(({ name }) => name === failed),
  );
  const code = error?.code ?? "INTERNAL";
  if (policy?.auto_escalate !== true || !isMeant(policy, code)) return null;
  const { level = null, contact = null, timeframe = null, actions = [] } = policy;
  const whom = { level, contact, timeframe, actions };
  return { type: "job.escalated", runId, user, job: job.name, task: failed, code, ...whom };
}

/** A task's own before its job's. */
function policyOf(
  job: Pick<JobManifest, "escalation_policy"> | undefined,
  task: Pick<TaskManifest, "escalation_policy"> | undefined,
): EscalationPolicy | undefined {
  return task?.escalation_policy ?? job?.escalation_policy;
}

/** Triggers that are codes of ours choose; whatever else they say is for people. */
function isMeant({ triggers = [] }: EscalationPolicy, code: ErrorCode): boolean {
  const codes = triggers.filter((one) => Object.hasOwn(errorTable, one));
  return codes.length === 0 || codes.includes(code);
}

function wordsOf({ contact, level, timeframe, actions = [], notes }: EscalationPolicy): string {
  const facts = [level && `level ${level}`, timeframe].filter(Boolean).join(", ");
  const whom = contact ? `Tell ${contact}` : facts === "" ? "" : "Escalate it";
  return [
    whom && sentence(facts === "" ? whom : `${whom} (${facts})`),
    actions.length === 0 ? "" : sentence(`To do: ${actions.join("; ")}`),
    notes ? sentence(notes) : "",
  ]
    .filter(Boolean)
    .join(" ");
}
