import { PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { KeptStep } from "../../model/job-run.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { SkillManifest } from "../../model/skill.ts";
import { collaborate } from "./collaborate.ts";
import { requireSafe, type SkillParts } from "./step-memory.ts";

/** The only step of a skill that has none of its own. */
const id = "agent";

/** A model follows the instructions, with the tools of the skill and no others. */
export async function agentStep(
  skill: SkillManifest,
  input: JsonObject,
  parts: SkillParts,
  signal: AbortSignal,
): Promise<Json> {
  const { run, memory, isRepeatable, overBudget, emit } = parts;
  const { name, required_tools } = skill;
  const known = memory.known(name, id);
  if (known?.state === "succeeded" && known.result !== undefined) return known.result;
  requireSafe(known);
  const facts = { runId: run.id, user: run.user, skill: name };
  emit({ type: "skill.plan_generated", ...facts, steps: [] });
  emit({ type: "skill.plan_ready", ...facts });
  const lacking = await overBudget();
  if (lacking !== null) throw new PlaneError("BUDGET_EXCEEDED", `Skill '${name}' was not begun: ${lacking}.`);
  const each = await Promise.all(required_tools.map(isRepeatable));
  const began = Date.now();
  const begun: KeptStep = {
    ...{ skill: name, id, tool: null, state: "running", record: null, at: new Date(began).toISOString() },
    ...{ durationMs: null, error: null, repeatable: each.every(Boolean) },
  };
  const step = { ...facts, step: id, tool: null };
  await memory.keep(begun);
  emit({ type: "skill.step_started", ...step });
  try {
    const { collaboration } = skill;
    const { record, answer } = await (collaboration?.enabled
      ? collaborate({ ...skill, collaboration }, input, parts, signal)
      : parts.askAgent(skill, input, signal));
    const durationMs = Date.now() - began;
    await memory.keep({ ...begun, state: "succeeded", record, durationMs, result: answer });
    emit({ type: "skill.step_succeeded", ...step, record, durationMs });
    return answer;
  } catch (thrown) {
    const error = toPlaneError(thrown);
    const state = signal.aborted ? "cancelled" : "failed";
    await memory.keep({ ...begun, state, durationMs: Date.now() - began, error: reportError(error) });
    if (signal.aborted) emit({ type: "skill.step_cancelled", ...step });
    else emit({ type: "skill.step_failed", ...step, record: null, code: error.code });
    throw error;
  }
}
