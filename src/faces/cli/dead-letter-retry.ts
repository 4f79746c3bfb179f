import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { Outcome } from "../../model/calls/call.ts";
import { errorTable, PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { DeadLetter } from "../../model/work/dead-letter.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { findId } from "./dead-letters.ts";
import { beforeOutput, print, printError, printJson, printWarning, say } from "./output.ts";
import { renderResult } from "./render-result.ts";
import { terminal } from "./terminal.ts";
import { withPlane } from "./with-plane.ts";

type RetryOptions = GlobalOptions & { all: boolean };
type Tried = { id: string; tool: string } & Pick<Outcome, "ok" | "error">;

export async function retryDeadLetters(cli: Cli, id: string | undefined, options: RetryOptions): Promise<number> {
  if ((id === undefined) !== options.all)
    throw new PlaneError("USAGE", "Say which dead letter to retry: give its id, or --all without one.");
  return withPlane(cli, options, (plane, signal) =>
    id === undefined ? retryAll(plane, options, signal) : retryOne(plane, id, options, signal),
  );
}

async function retryOne(plane: Plane, given: string, options: RetryOptions, signal: AbortSignal): Promise<number> {
  const outcome = await plane.deadLetters.retry(await findId(plane, given), { signal });
  const { ok, call, result, error } = outcome;
  if (options.json) printJson(outcome);
  else {
    for (const warning of call.warnings) printWarning(warning);
    if (result) (result.isError ? say : print)(renderResult(result, call.id));
    if (error && error.code !== "TOOL_ERROR") printError(error);
    if (ok) say(`'${plainText(call.tool)}' has run; the dead letter is resolved.`);
  }
  return error ? errorTable[error.code].exit : 0;
}

/** One after the other: what has failed in a crowd had better not come back as one. */
async function retryAll(plane: Plane, options: RetryOptions, signal: AbortSignal): Promise<number> {
  const pending = await everyPending(plane);
  const wanted = pending.filter(({ hold }) => hold === null || hold === "permanent");
  const skipped = pending.length - wanted.length;
  const tried: Tried[] = [];
  for (const letter of wanted) {
    signal.throwIfAborted();
    showProgress(tried.length, wanted.length, letter.tool);
    tried.push({ id: letter.id, tool: letter.tool, ...(await tryOne(plane, letter.id, signal)) });
  }
  const failed = tried.filter(({ ok }) => !ok);
  const succeeded = tried.length - failed.length;
  if (options.json) printJson({ retried: tried.length, succeeded, failed: failed.length, skipped, outcomes: tried });
  else {
    print(`${succeeded} of ${countOf(tried.length, "dead letter")} succeeded.`);
    for (const { id, tool, error } of failed)
      printWarning(`${id.slice(0, 8)} ${tool}: ${error?.message ?? "it failed"}`);
    if (skipped > 0)
      say(`${skipped} left alone, because they may have run or have no arguments: look at each of them.`);
  }
  const [first] = failed;
  return first?.error ? errorTable[first.error.code].exit : 0;
}

/** One that cannot be retried any more does not stop the others. */
async function tryOne(plane: Plane, id: string, signal: AbortSignal): Promise<Pick<Tried, "ok" | "error">> {
  try {
    const { ok, error } = await plane.deadLetters.retry(id, { signal });
    return error ? { ok, error } : { ok };
  } catch (thrown) {
    signal.throwIfAborted();
    return { ok: false, error: reportError(toPlaneError(thrown)) };
  }
}

/** Read before the first is tried, so that none is tried twice. */
async function everyPending(plane: Plane): Promise<Pick<DeadLetter, "id" | "tool" | "hold">[]> {
  const all: Pick<DeadLetter, "id" | "tool" | "hold">[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await plane.deadLetters.page({ status: "pending", ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.deadLetters.map(({ id, tool, hold }) => ({ id, tool, hold })));
    cursor = page.nextCursor;
  }
  return all.reverse();
}

function showProgress(done: number, total: number, tool: string): void {
  if (!terminal.stderr.isTTY) return;
  for (const clear of beforeOutput) clear();
  beforeOutput.clear();
  terminal.stderr.write(`\r\u001b[Kretrying ${done + 1} of ${total}: ${plainText(tool)}`);
  beforeOutput.add(() => terminal.stderr.write("\r\u001b[K"));
}
