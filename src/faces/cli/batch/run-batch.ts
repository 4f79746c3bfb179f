import { inOrder } from "../../../lib/async/semaphore.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { UnknownObject } from "../../../model/json.ts";
import type { GlobalOptions } from "../cli.ts";
import { print, printJson, say } from "../output.ts";
import { showProgress } from "./progress.ts";
import type { Entry } from "./read-entries.ts";
import { openResults, type Result } from "./results-file.ts";

export type BatchOptions = GlobalOptions & {
  parallel: number;
  out?: string;
  resume?: boolean;
  retryFailed?: boolean;
  force?: boolean;
};

/** Does one entry. What goes wrong with it is part of its result, and never ends the others. */
export type BatchWork = (entry: Entry, signal: AbortSignal) => Promise<{ ok: boolean } & UnknownObject>;

/** Does all of it, so many at a time: results to the file as they come, or to standard output in order. */
export async function runBatch(
  entries: readonly Entry[],
  options: BatchOptions & { noun: "call" | "prompt" },
  interrupted: AbortSignal,
  work: BatchWork,
): Promise<number> {
  const { parallel, out, retryFailed = false, resume = retryFailed, force, json } = options;
  if (out === undefined && (resume || force))
    throw new PlaneError("USAGE", "--resume, --retry-failed and --force are about a file of results: add --out FILE.");
  const file = out === undefined ? null : openResults(out, entries, { resume, force, redoFailed: retryFailed });
  const before = [...(file?.done.values() ?? [])];
  const left = entries.filter(({ line }) => !file?.done.has(line));
  using progress = showProgress(entries.length, before.length);
  const doOne = async (entry: Entry, _: number, signal: AbortSignal): Promise<Result> => {
    const { line, id, hash } = entry;
    const result: Result = { line, id, input: hash, ...(await work(entry, signal)) };
    // What an interruption cut short is not done.
    signal.throwIfAborted();
    file?.append(result);
    progress.add(result.ok);
    return result;
  };
  // With a file nobody waits for the order, so one slow entry does not hold up the rest.
  const ahead = file ? { ahead: Number.POSITIVE_INFINITY } : {};
  const results: Result[] = [];
  let failed = before.filter(({ ok }) => !ok).length;
  try {
    for await (const result of inOrder(left, { parallel, signal: interrupted, ...ahead }, doOne)) {
      if (!result.ok) failed += 1;
      if (file) continue;
      if (json) results.push(result);
      else print(JSON.stringify(result));
    }
  } catch (thrown) {
    if (interrupted.aborted && file) say("Interrupted. The same command with --resume goes on from here.");
    throw thrown;
  }
  file?.finish();
  const told = { total: entries.length, failed, doneBefore: before.length };
  if (json) printJson({ ok: failed === 0, ...told, ...(file ? { out } : { results }) });
  else sayWhatWasDone(told, options);
  return failed === 0 ? 0 : 1;
}

type Told = { total: number; failed: number; doneBefore: number };

function sayWhatWasDone({ total, failed, doneBefore }: Told, { noun, out }: { noun: string; out?: string }): void {
  const before = doneBefore > 0 ? ` (${doneBefore} done earlier)` : "";
  const results = out ? ` Results: ${out}` : "";
  say(`${countOf(total, noun)}${before}: ${total - failed} succeeded, ${failed} failed.${results}`);
  if (failed > 0 && out) say("--resume --retry-failed tries those again.");
}
