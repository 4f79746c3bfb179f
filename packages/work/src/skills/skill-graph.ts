import {
  fillReferences,
  namesUnder,
  referencesIn,
  valueAtPath,
} from "@toolplane/core/lib/text/fill-references";
import { nearest } from "@toolplane/core/lib/text/nearest";
import { resultText, type ToolResult } from "@toolplane/core/model/calls/result";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { SkillManifest, SkillStep } from "@toolplane/core/model/work/skill";
import type { NotReady } from "@toolplane/core/model/work/skill-run";

export type SkillGraphStep = GraphNode & { step: SkillStep };

/** The steps with everything that each waits for. */
export function skillGraph({ steps = [] }: SkillManifest): SkillGraphStep[] {
  return steps.map((step) => {
    const referencedSteps = namesUnder("steps", [step.arguments, step.when ?? ""]);
    return { id: step.id, dependsOn: [...new Set([...step.depends_on, ...referencedSteps])], step };
  });
}

/** Inputs that the steps need and that were not given. */
export function missingInput(skill: SkillManifest, input: JsonObject): NotReady[] {
  // `when` may test for an optional input.
  const inArguments = skill.steps?.map((step) => step.arguments);
  const requiredNames = namesUnder("input", inArguments);
  const usedNames = namesUnder("input", skill.steps);
  const unused = Object.keys(input).filter((name) => !usedNames.includes(name));
  return requiredNames
    .filter((name) => !Object.hasOwn(input, name))
    .map((name) => {
      const [nearestUnused] = nearest(name, unused, 1);
      const hint = nearestUnused === undefined ? "" : `, and nothing uses '${nearestUnused}'`;
      return { kind: "input", name, reason: `it needs the input '${name}'${hint}` };
    });
}

/** The arguments of a step, with inputs and earlier results in place of their references. */
export function fillStep(
  step: SkillStep,
  input: JsonObject,
  results: ReadonlyMap<string, Json>,
): JsonObject {
  return fillReferences(step.arguments, (path) => {
    const referencedValue = lookUp(path, input, results);
    if (referencedValue !== undefined) return referencedValue;
    throw new PlaneError(
      "INVALID_ARGUMENTS",
      `Step '${step.id}' refers to '${path.join(".")}', which does not exist.`,
      {
        data: { step: step.id, tool: step.tool, sent: false },
      },
    );
  }) as JsonObject;
}

export function conditionHolds(
  { when }: SkillStep,
  input: JsonObject,
  results: ReadonlyMap<string, Json>,
): boolean {
  if (when === undefined) return true;
  return referencesIn(when).every((path) => {
    const referencedValue = lookUp(path, input, results);
    if (Array.isArray(referencedValue)) return referencedValue.length > 0;
    return Boolean(referencedValue);
  });
}

/** A result as later steps see it: its structured content, its text as JSON, or its text. */
export function resultValue(result: ToolResult | undefined): Json {
  if (result === undefined) return null;
  if (result.structuredContent !== undefined) return result.structuredContent;
  const text = resultText(result);
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The results of the steps that no other depends on. */
export function lastResult(
  plan: readonly SkillGraphStep[],
  results: ReadonlyMap<string, Json>,
): Json {
  const lastSteps = plan.filter(({ id }) => !plan.some(({ dependsOn }) => dependsOn.includes(id)));
  const [onlyStep, another] = lastSteps;
  if (onlyStep && !another) return results.get(onlyStep.id) ?? null;
  return Object.fromEntries(lastSteps.map(({ id }) => [id, results.get(id) ?? null]));
}

function lookUp(
  path: readonly string[],
  input: JsonObject,
  results: ReadonlyMap<string, Json>,
): unknown {
  const [root, name = "", ...keys] = path;
  if (root === "input") return valueAtPath(input, [name, ...keys]);
  if (root !== "steps" || keys[0] !== "result") return undefined;
  return valueAtPath(results.get(name), keys.slice(1));
}

type GraphNode = { id: string; dependsOn: readonly string[] };

type GraphWork = {
  /** False when it was left out; its dependents are then left out too. */
  work(id: string, signal: AbortSignal): Promise<boolean>;
  leaveOut(id: string): Promise<void>;
  signal: AbortSignal;
};

/** `error` is the first failure: it has cancelled the running nodes and kept the rest from beginning. */
type GraphEnd = { error: PlaneError | null; neverBegun: string[] };

/** Runs each node as soon as its dependencies are done. */
export async function runGraph(
  nodes: readonly GraphNode[],
  { work, leaveOut, signal }: GraphWork,
): Promise<GraphEnd> {
  const failing = new AbortController();
  const graphSignal = AbortSignal.any([signal, failing.signal]);
  const waiting = new Map(nodes.map((node) => [node.id, node]));
  const endedNodes = new Map<string, boolean>();
  const running = new Map<string, Promise<void>>();
  let error: PlaneError | null = null;

  const begin = async ({ id, dependsOn }: GraphNode): Promise<void> => {
    try {
      const isLeftOut = dependsOn.some((dependency) => endedNodes.get(dependency) === false);
      endedNodes.set(
        id,
        isLeftOut ? await leaveOut(id).then(() => false) : await work(id, graphSignal),
      );
    } catch (thrown) {
      error ??= toPlaneError(thrown);
      failing.abort(new Error(`'${id}' failed`));
    } finally {
      running.delete(id);
    }
  };

  for (;;) {
    const ready = [...waiting.values()].filter(({ dependsOn }) =>
      dependsOn.every((id) => endedNodes.has(id)),
    );
    if (!graphSignal.aborted)
      for (const node of ready) {
        waiting.delete(node.id);
        running.set(node.id, begin(node));
      }
    if (running.size === 0) return { error, neverBegun: [...waiting.keys()] };
    await Promise.race(running.values());
  }
}
