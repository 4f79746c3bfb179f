import {
  beforeOutput,
  type Cli,
  clearTransientLines,
  colors,
  exitCodeOf,
  type GlobalOptions,
  print,
  printJson,
  printOutcome,
  printStatus,
  printWarning,
  renderFacts,
  renderSpan,
  requirePrefix,
  shownIdLength,
  table,
  terminal,
  viewsOf,
  withPlane,
} from "@toolplane/core/faces/cli/views";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { countOf } from "@toolplane/core/lib/text/wording";
import type { Outcome } from "@toolplane/core/model/calls/call";
import type { Sent } from "@toolplane/core/model/calls/call-schema";
import { errorTable, PlaneError, reportError, toPlaneError } from "@toolplane/core/model/errors";
import type { Plane } from "@toolplane/core/model/plane";
import type { DeadLetterPage } from "@toolplane/core/model/work/dead-letter";
import type { DeadLetter, DeadLetterHold } from "@toolplane/core/model/work/dead-letter-schema";
import { deadLetterOperations } from "../operations/dead-letters.ts";

const view = viewsOf(deadLetterOperations);

type LetterId = { id: string };
const wholeId = async ({ id }: LetterId, { plane }: { plane: Plane }) => ({
  id: await findId(plane, id),
});

export const listDeadLetters = view("deadLetters.page", {
  text: (page) => renderDeadLetters(page, Date.now()),
  pageText: ({ deadLetters, total }) => `${deadLetters.length} of ${total}`,
});

export const showDeadLetter = view("deadLetters.get", {
  input: wholeId,
  text: (letter) => renderDeadLetter(letter, Date.now()),
});

const settled = {
  input: wholeId,
  text: ({ tool, status }: DeadLetter) => `The call of '${plainText(tool)}' is ${status}.`,
};

export const resolveDeadLetter = view("deadLetters.resolve", settled);

export const abandonDeadLetter = view("deadLetters.abandon", settled);

export const deleteDeadLetter = view("deadLetters.delete", {
  input: wholeId,
  text: (_, { input: { id } }) => `Dead letter '${id}' is deleted.`,
  json: (_, { input: { id } }) => ({ id, deleted: true }),
});

async function findId(plane: Plane, idPrefix: string): Promise<string> {
  const prefix = requirePrefix(idPrefix);
  const { deadLetters, total } = await plane.deadLetters.page({ id: prefix, limit: 5 });
  const [first, second] = deadLetters;
  if (first === undefined) throw noneBegins(idPrefix);
  if (second === undefined || first.id === prefix) return first.id;
  const ids = deadLetters.map(({ id }) => id).join(", ");
  const ellipsis = total > deadLetters.length ? ", …" : "";
  throw new PlaneError(
    "USAGE",
    `${countOf(total, "dead letter")} begin with '${idPrefix}': ${ids}${ellipsis}. Give more characters.`,
  );
}

function noneBegins(id: string): PlaneError {
  return new PlaneError(
    "NOT_FOUND",
    `No dead letter '${id}' found. 'toolplane dead-letters list' lists them.`,
  );
}

type RetryOptions = GlobalOptions & { all: boolean };
type Retried = { id: string; tool: string } & Pick<Outcome, "ok" | "error">;

export async function retryDeadLetters(
  cli: Cli,
  id: string | undefined,
  options: RetryOptions,
): Promise<number> {
  if ((id === undefined) !== options.all)
    throw new PlaneError(
      "USAGE",
      "Say which dead letter to retry: give its id, or --all without one.",
    );
  return withPlane(cli, options, (plane, signal) =>
    id === undefined ? retryAll(plane, options, signal) : retryOne(plane, id, options, signal),
  );
}

async function retryOne(
  plane: Plane,
  idPrefix: string,
  options: RetryOptions,
  signal: AbortSignal,
): Promise<number> {
  const outcome = await plane.deadLetters.retry(await findId(plane, idPrefix), { signal });
  if (options.json) printJson(outcome);
  else {
    printOutcome(outcome);
    if (outcome.ok)
      printStatus(`'${plainText(outcome.call.tool)}' has run; the dead letter is resolved.`);
  }
  return exitCodeOf(outcome);
}

/** In series: calls that failed together had better not come back together. */
async function retryAll(plane: Plane, options: RetryOptions, signal: AbortSignal): Promise<number> {
  const pending = await everyPending(plane);
  const retriable = pending.filter(({ hold }) => hold === null || hold === "permanent");
  const skipped = pending.length - retriable.length;
  const retried: Retried[] = [];
  for (const { id, tool } of retriable) {
    signal.throwIfAborted();
    showProgress(retried.length, retriable.length, tool);
    retried.push({ id, tool, ...(await tryOne(plane, id, signal)) });
  }
  const failed = retried.filter(({ ok }) => !ok);
  const succeeded = retried.length - failed.length;
  if (options.json)
    printJson({
      retried: retried.length,
      succeeded,
      failed: failed.length,
      skipped,
      outcomes: retried,
    });
  else {
    print(`${succeeded} of ${countOf(retried.length, "dead letter")} succeeded.`);
    for (const { id, tool, error } of failed)
      printWarning(`${id.slice(0, shownIdLength)} ${tool}: ${error?.message ?? "it failed"}`);
    if (skipped > 0)
      printStatus(
        `${skipped} left alone: they may have run, are their callers' to repeat, or have no arguments. Look at each of them.`,
      );
  }
  const error = failed[0]?.error;
  return error ? errorTable[error.code].exit : 0;
}

/** One that cannot be retried any more does not stop the others. */
async function tryOne(
  plane: Plane,
  id: string,
  signal: AbortSignal,
): Promise<Pick<Retried, "ok" | "error">> {
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
  const letters: DeadLetterPage["deadLetters"][number][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await plane.deadLetters.page(
      withoutUndefined({ status: "pending" as const, cursor }),
    );
    letters.push(...page.deadLetters);
    cursor = page.nextCursor;
  }
  return letters.reverse();
}

function showProgress(done: number, total: number, tool: string): void {
  if (!terminal.stderr.isTTY) return;
  clearTransientLines();
  terminal.stderr.write(`\r\u001b[Kretrying ${done + 1} of ${total}: ${plainText(tool)}`);
  beforeOutput.add(() => terminal.stderr.write("\r\u001b[K"));
}

const sentTexts: Record<Sent, string> = {
  sent: "yes: its provider answered",
  not_sent: "no: nothing left this plane",
  not_known: "not known: it left, or may have left, and no answer came",
};

const holds: Record<DeadLetterHold, string> = {
  permanent: "trying again alone does not help: fix the cause, then retry it",
  may_have_run: "it may have run: check, then retry or resolve it",
  no_arguments: "its arguments were too large to keep: call the tool again, then resolve it",
  refused: "its caller was refused and may have called again: ask, then retry or delete it",
};

type ShownPage = Pick<DeadLetterPage, "deadLetters"> & { byStatus: Record<string, number> };

export function renderDeadLetters({ deadLetters, byStatus }: ShownPage, now: number): string {
  if (deadLetters.length === 0) return "No call has failed permanently.";
  const counts = Object.entries(byStatus)
    .filter(([, count]) => count !== 0)
    .map(([status, count]) => `${count} ${status}`);
  const rows = table(deadLetters, "", {
    ID: ({ id }) => id.slice(0, shownIdLength),
    STATUS: ({ status }) => status,
    TOOL: ({ tool }) => tool,
    ERROR: ({ error }) => error.code,
    TRIES: ({ attempts, maxAttempts }) => `${attempts}/${maxAttempts}`,
    AGE: ({ createdAt }) => renderSpan(now - Date.parse(createdAt)),
    NEXT: (letter) => renderNext(letter, now) ?? "",
    "WHAT TO DO": adviceFor,
  });
  return `${rows}\n\n${counts.join(", ")}`;
}

export function renderDeadLetter(letter: DeadLetter, now: number): string {
  const { id, tool, principal, face, error, history, conversation, maxAttempts } = letter;
  return [
    `${colors.bold(plainText(tool))} ${colors.dim(id)}`,
    `${plainText(error.message)} ${colors.dim(`[${error.code}]`)}`,
    "",
    ...renderFacts(13, [
      ["status", `${letter.status}, ${letter.attempts} of ${countOf(maxAttempts, "try", "tries")}`],
      ["next try", renderNext(letter, now) ?? "none"],
      ["sent", sentTexts[letter.sent]],
      ["what to do", adviceFor(letter)],
      ["called by", `${principal.user ?? "anonymous"} via ${face}`],
      ["server", letter.server],
      ["conversation", conversation],
      ["call", letter.callId],
      ["succeeded as", letter.resolvedCallId],
    ]),
    "",
    colors.bold("Arguments"),
    letter.hold === "no_arguments"
      ? "not kept"
      : plainText(JSON.stringify(letter.arguments, null, 2)),
    "",
    colors.bold("History"),
    ...history.map((change) => {
      const { status, code, by, note } = change;
      const facts = [change.at, status, code, by && `by ${by}`, note];
      return plainText(facts.filter(Boolean).join("  "));
    }),
  ].join("\n");
}

function adviceFor({ status, hold, nextRetryAt }: DeadLetter): string {
  if (status === "resolved") return "nothing";
  if (status === "retrying") return "wait for the try that is under way";
  if (status === "abandoned") return "retry, resolve or delete it; it goes after 7 days";
  if (hold !== null) return holds[hold];
  if (nextRetryAt === null) return "retry, resolve or abandon it";
  return "nothing: a plane that serves runs it";
}

function renderNext({ nextRetryAt }: DeadLetter, now: number): string | null {
  if (nextRetryAt === null) return null;
  const ms = Date.parse(nextRetryAt) - now;
  return ms <= 0 ? "due" : `in ${renderSpan(ms)}`;
}
