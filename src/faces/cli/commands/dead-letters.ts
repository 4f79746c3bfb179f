import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import { errorTable, PlaneError, reportError, toPlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type {
  DeadLetter,
  DeadLetterHold,
  DeadLetterPage,
  DeadLetterQuery,
  DeadLetterStatus,
} from "../../../model/work/dead-letter.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { renderResult } from "../terminal/outcome.ts";
import {
  beforeOutput,
  colors,
  print,
  printError,
  printJson,
  printWarning,
  renderTable,
  say,
  sayMore,
  show,
} from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";
import { toLimit } from "./option-values.ts";

/** Fewer characters of an id are a typing error more often than an entry. */
const shortestPrefix = 4;

type ListOptions = TextOptions<"status" | "tool" | "server" | "limit" | "cursor">;

export async function listDeadLetters(cli: Cli, options: ListOptions): Promise<void> {
  const { status, tool, server, limit, cursor } = options;
  const query: DeadLetterQuery = withoutUndefined({
    status: status as DeadLetterStatus | undefined,
    limit: toLimit(limit),
    tool,
    server,
    cursor,
  });
  const page = await withPlane(cli, options, (plane) => plane.deadLetters.page(query));
  const { deadLetters, total, byStatus, nextCursor } = page;
  if (options.json) return printJson({ deadLetters, total, byStatus, nextCursor });
  print(renderDeadLetters(page, Date.now()));
  sayMore(nextCursor, `${deadLetters.length} of ${total}`);
}

export async function showDeadLetter(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const letter = await withPlane(cli, options, async (plane) => plane.deadLetters.get(await findId(plane, id)));
  show(options, letter, () => renderDeadLetter(letter, Date.now()));
}

export async function settleDeadLetter(
  cli: Cli,
  id: string,
  verb: "resolve" | "abandon",
  { note, ...options }: TextOptions<"note">,
): Promise<void> {
  const letter = await withPlane(cli, options, async (plane) => {
    const found = await findId(plane, id);
    const said = withoutUndefined({ note });
    return verb === "resolve" ? plane.deadLetters.resolve(found, said) : plane.deadLetters.abandon(found, said);
  });
  show(options, letter, () => `The call of '${plainText(letter.tool)}' is ${letter.status}.`);
}

export async function deleteDeadLetter(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const found = await withPlane(cli, options, async (plane) => {
    const full = await findId(plane, id);
    if (!(await plane.deadLetters.delete(full))) throw noneBegins(id);
    return full;
  });
  show(options, { id: found, deleted: true }, () => `Dead letter '${found}' is deleted.`);
}

export async function findId(plane: Plane, given: string): Promise<string> {
  const prefix = given.trim().toLowerCase();
  if (prefix.length < shortestPrefix)
    throw new PlaneError(
      "USAGE",
      `'${given}' is too short for an id. Give at least its first ${shortestPrefix} characters.`,
    );
  const { deadLetters, total } = await plane.deadLetters.page({ id: prefix, limit: 5 });
  const [first, second] = deadLetters;
  if (first === undefined) throw noneBegins(given);
  if (second === undefined || first.id === prefix) return first.id;
  const ids = deadLetters.map(({ id }) => id).join(", ");
  throw new PlaneError(
    "USAGE",
    `${countOf(total, "dead letter")} begin with '${given}': ${ids}${total > deadLetters.length ? ", …" : ""}. Give more characters.`,
  );
}

function noneBegins(id: string): PlaneError {
  return new PlaneError(
    "NOT_FOUND",
    `There is no dead letter '${id}'. 'toolplane dead-letters list' shows which there are.`,
  );
}

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

/** In series: calls that failed together had better not come back together. */
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
    const page = await plane.deadLetters.page(withoutUndefined({ status: "pending" as const, cursor }));
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

const shortId = 8;

const holds: Record<DeadLetterHold, string> = {
  permanent: "trying again alone does not help: fix the cause, then retry it",
  may_have_run: "it may have run: check, then retry or resolve it",
  no_arguments: "its arguments were too large to keep: call the tool again, then resolve it",
};

export function renderDeadLetters({ deadLetters, byStatus }: DeadLetterPage, now: number): string {
  if (deadLetters.length === 0) return "No call has failed for good.";
  const rows = deadLetters.map((letter) => [
    letter.id.slice(0, shortId),
    letter.status,
    letter.tool,
    letter.error.code,
    `${letter.attempts}/${letter.maxAttempts}`,
    renderSpan(now - Date.parse(letter.createdAt)),
    renderNext(letter, now),
    adviceFor(letter),
  ]);
  const counts = Object.entries(byStatus).flatMap(([status, count]) => (count === 0 ? [] : `${count} ${status}`));
  const table = renderTable(["ID", "STATUS", "TOOL", "ERROR", "TRIES", "AGE", "NEXT", "WHAT TO DO"], rows);
  return `${table}\n\n${counts.join(", ")}`;
}

export function renderDeadLetter(letter: DeadLetter, now: number): string {
  const { id, tool, principal, face, error, history, conversation } = letter;
  const facts = [
    ["status", `${letter.status}, ${letter.attempts} of ${countOf(letter.maxAttempts, "try", "tries")}`],
    ["next try", renderNext(letter, now) || "none"],
    ["what to do", adviceFor(letter)],
    ["called by", `${principal.user ?? "anonymous"} through ${face}`],
    ...(letter.server === null ? [] : [["server", letter.server]]),
    ...(conversation === null ? [] : [["conversation", conversation]]),
    ["call", letter.callId],
    ...(letter.resolvedCallId === null ? [] : [["succeeded as", letter.resolvedCallId]]),
  ];
  return [
    `${colors.bold(plainText(tool))} ${colors.dim(id)}`,
    `${plainText(error.message)} ${colors.dim(`[${error.code}]`)}`,
    "",
    ...facts.map(([label, value]) => `${colors.dim(String(label).padEnd(13))} ${plainText(String(value))}`),
    "",
    colors.bold("Arguments"),
    letter.hold === "no_arguments" ? "not kept" : plainText(JSON.stringify(letter.arguments, null, 2)),
    "",
    colors.bold("History"),
    ...history.map(({ at, status, code, by, note }) =>
      plainText([at, status, code, by && `by ${by}`, note].filter(Boolean).join("  ")),
    ),
  ].join("\n");
}

function adviceFor({ status, hold, nextRetryAt }: DeadLetter): string {
  if (status === "resolved") return "nothing";
  if (status === "retrying") return "wait for the try that is under way";
  if (status === "abandoned") return "retry, resolve or delete it; it goes after 7 days";
  if (hold !== null) return holds[hold];
  return nextRetryAt === null ? "retry, resolve or abandon it" : "nothing: a plane that serves tries it again";
}

function renderNext({ nextRetryAt }: DeadLetter, now: number): string {
  if (nextRetryAt === null) return "";
  const ms = Date.parse(nextRetryAt) - now;
  return ms <= 0 ? "due" : `in ${renderSpan(ms)}`;
}

/** In the largest unit that fits. */
export function renderSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
