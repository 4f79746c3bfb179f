import { maskSecrets } from "../config/secrets/mask.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { JobEntry, SkillEntry } from "../model/registry-summary.ts";

const isReference = /^\$\{[\w.-]+\}$/;

/** A skill as others may see it: what its steps give to tools may hold what only those are to know. */
export function shownSkill<T extends SkillEntry>(skill: T): T {
  if (skill.steps === undefined) return skill;
  return { ...skill, steps: skill.steps.map((step) => ({ ...step, arguments: shown(step.arguments) })) };
}

/** The same for what a job gives to its tasks. */
export function shownJob<T extends JobEntry>(job: T): T {
  return {
    ...job,
    ...(job.input === undefined ? {} : { input: shown(job.input) }),
    task_graph: job.task_graph.map((node) =>
      node.input === undefined ? node : { ...node, input: shown(node.input) },
    ),
  };
}

function shown(given: { [key: string]: Json }): JsonObject {
  return withReferences(given, maskSecrets(given)) as JsonObject;
}

/** What only says where a value comes from is none. */
function withReferences(written: Json, masked: Json): Json {
  if (typeof written === "string") return isReference.test(written) ? written : masked;
  if (Array.isArray(written) && Array.isArray(masked))
    return written.map((item, at) => withReferences(item, masked[at] ?? null));
  if (!isObject(written) || !isObject(masked)) return masked;
  const inner = masked as JsonObject;
  return Object.fromEntries(
    Object.entries(written as JsonObject).map(([key, value]) => [
      key,
      withReferences(value as Json, (inner[key] ?? null) as Json),
    ]),
  );
}
