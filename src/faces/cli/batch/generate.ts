import { agentStyles } from "../../../model/agent/agent-run.ts";
import type { Generation } from "../../../model/agent.ts";

import { reportError, toPlaneError } from "../../../model/errors.ts";
import type { UnknownObject } from "../../../model/json.ts";
import type { Cli } from "../cli.ts";
import { type ModelOptions, modelOptions, requireModel } from "../model-options.ts";
import { withPlane } from "../with-plane.ts";
import { type Entry, type Fields, fit, oneOf, readEntries } from "./read-entries.ts";
import { openResults, type ResultsFile } from "./results-file.ts";
import { type BatchOptions, runBatch } from "./run-batch.ts";

const fields = {
  prompt: fit.name,
  system: fit.text,
  toolset: fit.name,
  style: oneOf(agentStyles),
  model: fit.name,
  toolGroups: fit.texts,
  state: fit.text,
  conversation: fit.name,
  temperature: fit.number,
  maxOutputTokens: fit.positive,
  maxTurns: fit.positive,
  maxCalls: fit.positive,
  maxTokens: fit.positive,
  timeoutMs: fit.positive,
} satisfies Fields;

/** Many prompts, each answered by a model with tools, all on the sessions of one plane. */
export async function generateAnswers(cli: Cli, file: string, options: BatchOptions & ModelOptions): Promise<number> {
  const entries = await readEntries(file, fields, "prompt");
  const shared = await modelOptions(options);
  return withPlane(cli, options, async (plane, interrupted) => {
    requireModel(plane, {
      models: named("model", entries, options),
      toolsets: named("toolset", entries, options),
    });
    const traces = openTraces(entries, options);
    const code = await runBatch(entries, { ...options, noun: "prompt" }, interrupted, async (entry, signal) => {
      const prompt = entry.fields as { prompt: string };
      try {
        const generation = await plane.agent.generate({ ...shared, ...prompt, face: "cli", signal });
        const ok = generation.outcome === "completed";
        // Before its result: what is in one file without the other is done again.
        if (traces && !signal.aborted) traces.append({ ...head(entry), ok, run: await plane.runs.get(generation.id) });
        return { ok, ...shorten(generation) };
      } catch (thrown) {
        return { ok: false, error: reportError(toPlaneError(thrown)) };
      }
    });
    traces?.finish();
    return code;
  });
}

function head({ line, id, hash }: Entry) {
  return { line, id, input: hash };
}

/** What went on in each run, in one file that goes on as the results do. */
function openTraces(
  entries: readonly Entry[],
  { trace, resume, retryFailed, force }: BatchOptions & ModelOptions,
): ResultsFile | null {
  if (trace === undefined) return null;
  return openResults(trace, entries, { resume: resume || retryFailed, force });
}

function shorten({ answer, outcome, turns, usage, id, error }: Generation): UnknownObject {
  return { answer, outcome, turns, usage, run: id, ...(error ? { error } : {}) };
}

function named(what: "model" | "toolset", entries: readonly Entry[], options: ModelOptions): string[] {
  const all = [options[what], ...entries.map(({ fields: said }) => said[what] as string | undefined)];
  return [...new Set(all.filter((name) => name !== undefined))];
}
