import { inOrder } from "../../../lib/async/semaphore.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { agentStyles } from "../../../model/agent/agent-run.ts";
import type { Generation } from "../../../model/agent.ts";
import { onUnavailableChoices } from "../../../model/calls/call.ts";
import { PlaneError, reportError, toPlaneError } from "../../../model/errors.ts";
import type { UnknownObject } from "../../../model/json.ts";
import type { PlaneCallOptions } from "../../../model/plane.ts";
import { type ModelOptions, readModelOptions, requireModel } from "../agent/agent.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, printStatus } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { typedHere } from "../terminal/questions.ts";
import { withPlane } from "../with-plane.ts";
import {
  type BatchEntry,
  type BatchResult,
  choiceField,
  type EntryFields,
  fit,
  openResults,
  type ResultsFile,
  readEntries,
} from "./entries.ts";

const callFields = {
  tool: fit.name,
  arguments: fit.anything,
  timeoutMs: fit.whole,
  conversation: fit.name,
  idempotencyKey: fit.name,
  onUnavailable: choiceField(onUnavailableChoices),
  toolGroups: fit.texts,
  state: fit.text,
  maxResultBytes: fit.whole,
} satisfies EntryFields;

type CallFields = Pick<
  PlaneCallOptions,
  "timeoutMs" | "conversation" | "idempotencyKey" | "onUnavailable" | "state" | "maxResultBytes"
> & {
  tool: string;
  arguments?: unknown;
  toolGroups?: string[];
};

export async function batchCalls(
  cli: Cli,
  file: string,
  options: BatchOptions & { yes?: boolean; dryRun?: boolean },
): Promise<number> {
  const entries = await readEntries(file, callFields, "tool");
  return withPlane(cli, options, (plane, interrupted) =>
    runBatch(
      entries,
      { ...options, noun: "call" },
      interrupted,
      async (entry: BatchEntry, signal) => {
        const { tool, arguments: args = {}, ...callOptions } = entry.fields as CallFields;
        const outcome = await plane.call(tool, args, {
          ...withoutUndefined(callOptions),
          ...(options.yes && { consent: true }),
          ...(options.dryRun && { dryRun: true }),
          ...typedHere(),
          face: "cli",
          signal,
        });
        return { ...outcome };
      },
    ),
  );
}

const promptFields = {
  prompt: fit.name,
  system: fit.text,
  toolset: fit.name,
  style: choiceField(agentStyles),
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
} satisfies EntryFields;

/** Many prompts, each answered by a model with tools, all on the sessions of one plane. */
export async function generateAnswers(
  cli: Cli,
  file: string,
  options: BatchOptions & ModelOptions,
): Promise<number> {
  const entries = await readEntries(file, promptFields, "prompt");
  const shared = await readModelOptions(options);
  return withPlane(cli, options, async (plane, interrupted) => {
    requireModel(plane, {
      models: namesIn("model", entries, options),
      toolsets: namesIn("toolset", entries, options),
    });
    const traces = openTraces(entries, options);
    const code = await runBatch(
      entries,
      { ...options, noun: "prompt" },
      interrupted,
      async (entry, signal) => {
        const promptOptions = entry.fields as { prompt: string };
        try {
          const generation = await plane.agent.generate({
            ...shared,
            ...promptOptions,
            face: "cli",
            signal,
          });
          const ok = generation.outcome === "completed";
          // The trace is written before the result. A prompt that is in one file only is repeated by --resume.
          if (traces && !signal.aborted)
            traces.append({ ...identityOf(entry), ok, run: await plane.runs.get(generation.id) });
          return { ok, ...summarize(generation) };
        } catch (thrown) {
          return { ok: false, error: reportError(toPlaneError(thrown)) };
        }
      },
    );
    traces?.finish();
    return code;
  });
}

/** By which --resume recognises the entry. */
function identityOf({ line, id, hash }: BatchEntry) {
  return { line, id, input: hash };
}

/** The file with the trace of each run. It is continued with --resume as that of the results is. */
function openTraces(
  entries: readonly BatchEntry[],
  { trace, resume, retryFailed, force }: BatchOptions & ModelOptions,
): ResultsFile | null {
  if (trace === undefined) return null;
  return openResults(trace, entries, { resume: resume || retryFailed, force });
}

function summarize({ answer, outcome, turns, usage, id, error }: Generation): UnknownObject {
  return { answer, outcome, turns, usage, run: id, ...(error && { error }) };
}

function namesIn(
  field: "model" | "toolset",
  entries: readonly BatchEntry[],
  options: ModelOptions,
): string[] {
  const names = [
    options[field],
    ...entries.map(({ fields: entryFields }) => entryFields[field] as string | undefined),
  ];
  return [...new Set(names.filter((name) => name !== undefined))];
}

type BatchOptions = GlobalOptions & {
  parallel: number;
  out?: string;
  resume?: boolean;
  retryFailed?: boolean;
  force?: boolean;
};

/** Does one entry. What goes wrong with it is part of its result, and never ends the others. */
type BatchWork = (
  entry: BatchEntry,
  signal: AbortSignal,
) => Promise<{ ok: boolean } & UnknownObject>;

/** Works through all entries with a concurrency limit: results to the file as they come, or to standard output in order. */
async function runBatch(
  entries: readonly BatchEntry[],
  options: BatchOptions & { noun: "call" | "prompt" },
  interrupted: AbortSignal,
  work: BatchWork,
): Promise<number> {
  const { parallel, out, retryFailed = false, resume = retryFailed, force, json } = options;
  if (out === undefined && (resume || force))
    throw new PlaneError(
      "USAGE",
      "--resume, --retry-failed and --force are about a file of results: add --out FILE.",
    );
  const resultOptions = { resume, force, redoFailed: retryFailed };
  const file = out === undefined ? null : openResults(out, entries, resultOptions);
  const earlier = [...(file?.done.values() ?? [])];
  const remaining = entries.filter(({ line }) => !file?.done.has(line));
  using progress = showProgress(entries.length, earlier.length);
  const doEntry = async (
    entry: BatchEntry,
    _: number,
    signal: AbortSignal,
  ): Promise<BatchResult> => {
    const result: BatchResult = { ...identityOf(entry), ...(await work(entry, signal)) };
    // An entry that an interruption cut short gets no result, so --resume repeats it.
    signal.throwIfAborted();
    file?.append(result);
    progress.add(result.ok);
    return result;
  };
  // Results in a file need no order, so one slow entry does not hold up the rest.
  const ahead = file ? { ahead: Number.POSITIVE_INFINITY } : {};
  const results: BatchResult[] = [];
  let failed = earlier.filter(({ ok }) => !ok).length;
  try {
    for await (const result of inOrder(
      remaining,
      { parallel, signal: interrupted, ...ahead },
      doEntry,
    )) {
      if (!result.ok) failed += 1;
      if (file) continue;
      if (json) results.push(result);
      else print(JSON.stringify(result));
    }
  } catch (thrown) {
    if (interrupted.aborted && file)
      printStatus("Interrupted. The same command with --resume goes on from here.");
    throw thrown;
  }
  file?.finish();
  const summary = { total: entries.length, failed, doneBefore: earlier.length };
  if (json) printJson({ ok: failed === 0, ...summary, ...(file ? { out } : { results }) });
  else printSummary(summary, options);
  return failed === 0 ? 0 : 1;
}

type BatchSummary = { total: number; failed: number; doneBefore: number };

function printSummary(
  { total, failed, doneBefore }: BatchSummary,
  { noun, out }: { noun: string; out?: string },
): void {
  const earlierNote = doneBefore > 0 ? ` (${doneBefore} done earlier)` : "";
  const resultsNote = out ? ` Results: ${out}` : "";
  printStatus(
    `${countOf(total, noun)}${earlierNote}: ${total - failed} succeeded, ${failed} failed.${resultsNote}`,
  );
  if (failed > 0 && out) printStatus("--resume --retry-failed tries those again.");
}
