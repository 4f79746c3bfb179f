import { fillReferences, namesUnder, referencesIn, valueAt } from "../../lib/text/fill-references.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { resultText, type ToolResult } from "../../model/calls/result.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { SkillManifest, SkillStep } from "../../model/work/skill.ts";
import type { NotReady } from "../../model/work/skill-run.ts";

export type PlannedStep = GraphNode & { step: SkillStep };

/** The steps with everything that each waits for. */
export function planOf({ steps = [] }: SkillManifest): PlannedStep[] {
  return steps.map((step) => {
    const meant = namesUnder("steps", [step.arguments, step.when ?? ""]);
    return { id: step.id, dependsOn: [...new Set([...step.depends_on, ...meant])], step };
  });
}

/** Inputs that the steps need and that were not given. */
export function missingInput(skill: SkillManifest, input: JsonObject): NotReady[] {
  // `when` may test for an optional input.
  const [wanted, asked] = [
    namesUnder(
      "input",
      skill.steps?.map((step) => step.arguments),
    ),
    namesUnder("input", skill.steps),
  ];
  const unused = Object.keys(input).filter((name) => !asked.includes(name));
  return wanted
    .filter((name) => !Object.hasOwn(input, name))
    .map((name) => {
      const [near] = nearest(name, unused, 1);
      const instead = near === undefined ? "" : `, and nothing uses '${near}'`;
      return { kind: "input", name, reason: `it needs the input '${name}'${instead}` };
    });
}

/** The arguments of a step, with what was given and what steps before it said in their places. */
export function fillStep(step: SkillStep, input: JsonObject, results: ReadonlyMap<string, Json>): JsonObject {
  return fillReferences(step.arguments, (path) => {
    const found = lookUp(path, input, results);
    if (found !== undefined) return found;
    throw new PlaneError("INVALID_ARGUMENTS", `Step '${step.id}' refers to '${path.join(".")}', which is not there.`, {
      data: { step: step.id, tool: step.tool, sent: false },
    });
  }) as JsonObject;
}

/** Is the step meant, by what is known before it? */
export function isMeant({ when }: SkillStep, input: JsonObject, results: ReadonlyMap<string, Json>): boolean {
  if (when === undefined) return true;
  return referencesIn(when).every((path) => {
    const found = lookUp(path, input, results);
    const isEmpty = Array.isArray(found) && found.length === 0;
    return Boolean(found) && !isEmpty;
  });
}

/** What a tool said as later steps see it: its structured content, the JSON that its text is, or its text. */
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

/** What the steps came to that nothing comes after. */
export function lastResult(plan: readonly PlannedStep[], results: ReadonlyMap<string, Json>): Json {
  const last = plan.filter(({ id }) => !plan.some(({ dependsOn }) => dependsOn.includes(id)));
  const [only] = last;
  if (last.length === 1 && only) return results.get(only.id) ?? null;
  return Object.fromEntries(last.map(({ id }) => [id, results.get(id) ?? null]));
}

function lookUp(path: readonly string[], input: JsonObject, results: ReadonlyMap<string, Json>): unknown {
  const [root, name = "", ...rest] = path;
  if (root === "input") return valueAt(input, [name, ...rest]);
  return root === "steps" && rest[0] === "result" ? valueAt(results.get(name), rest.slice(1)) : undefined;
}

type GraphNode = { id: string; dependsOn: readonly string[] };

type GraphWork = {
  /** False when it was left out: whatever depends on it is left out, too. */
  work(id: string, signal: AbortSignal): Promise<boolean>;
  /** It was left out because something before it was. */
  leaveOut(id: string): Promise<void>;
  signal: AbortSignal;
};

/** `error` is the first that went wrong; it has ended what ran beside it, and kept the rest from beginning. */
type GraphEnd = { error: PlaneError | null; neverBegun: string[] };

/** Everything as soon as what it depends on is done, at the same time where nothing forbids it. */
export async function runGraph(nodes: readonly GraphNode[], { work, leaveOut, signal }: GraphWork): Promise<GraphEnd> {
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  const waiting = new Map(nodes.map((node) => [node.id, node]));
  const ended = new Map<string, boolean>();
  const running = new Map<string, Promise<void>>();
  let error: PlaneError | null = null;

  const begin = async ({ id, dependsOn }: GraphNode): Promise<void> => {
    try {
      const isMeant = dependsOn.every((needed) => ended.get(needed) !== false);
      if (isMeant) ended.set(id, await work(id, either));
      else {
        await leaveOut(id);
        ended.set(id, false);
      }
    } catch (thrown) {
      error ??= toPlaneError(thrown);
      failing.abort(new Error(`'${id}' failed`));
    } finally {
      running.delete(id);
    }
  };

  for (;;) {
    const ready = [...waiting.values()].filter(({ dependsOn }) => dependsOn.every((id) => ended.has(id)));
    if (!either.aborted)
      for (const node of ready) {
        waiting.delete(node.id);
        running.set(node.id, begin(node));
      }
    if (running.size === 0) return { error, neverBegun: [...waiting.keys()] };
    await Promise.race(running.values());
  }
}
