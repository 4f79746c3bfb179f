import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { DeadLetter, DeadLetterHold, DeadLetterPage } from "../../model/work/dead-letter.ts";
import { colors } from "./colors.ts";
import { renderTable } from "./output.ts";

/** As much of an id as tells entries apart. */
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
    ["called by", `${principal.user ?? "nobody"} through ${face}`],
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

export function adviceFor({ status, hold, nextRetryAt }: DeadLetter): string {
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
