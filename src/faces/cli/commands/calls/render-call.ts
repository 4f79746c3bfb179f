import { plainText } from "../../../../lib/text/plain-text.ts";
import { countOf } from "../../../../lib/text/wording.ts";
import type { AuditCheck } from "../../../../model/audit-schema.ts";
import type { CallChain, CallPayload, CallRecord } from "../../../../model/calls/call-schema.ts";
import type { QueueView } from "../../../../model/work/dead-letter.ts";
import { colors, type Fact, joinLines, renderFacts } from "../../terminal/output.ts";

const barWidth = 30;

/** A record, and what has become of its call since. */
type ShownCall = CallRecord & {
  queued?: QueueView | null;
  payload?: Pick<CallPayload, "arguments" | "result"> | null;
};

export function renderCall(call: ShownCall): string {
  const { queued, payload } = call;
  const facts: Fact[] = [
    ["status", `${call.status}, ${milliseconds(call.durationMs)}${renderOrigin(call)}`],
    ["at", call.at],
    ["queue", queued === undefined ? null : renderQueue(queued)],
    ["called by", `${call.principal.user ?? "anonymous"} via ${call.face}`],
    ["server", call.server],
    ["run", call.run && `${call.run} (toolplane calls show ${call.run})`],
    ["in", call.conversation && `conversation ${plainText(call.conversation)}`],
    ["verdict", verdictOf(call)],
    ["arguments", argumentsOf(call)],
    ["their hash", call.argumentsHash],
    ["result hash", call.resultHash],
    ["kept as", call.stored && `${call.stored} (toolplane results get ${call.stored})`],
    ["cost", call.cost && `${call.cost.amount} ${call.cost.unit}`],
  ];
  return joinLines(
    `${colors.bold(plainText(call.tool))} ${colors.dim(call.id)}`,
    call.error && `${plainText(call.error.message)} ${colors.dim(`[${call.error.code}]`)}`,
    "",
    renderFacts(11, facts),
    "",
    colors.bold("Stages"),
    renderBars(call.stages),
    call.attempts.length > 0 && ["", colors.bold("Attempts"), ...call.attempts.map(renderAttempt)],
    payload !== undefined && ["", colors.bold("Kept"), renderKept(payload)],
  );
}

/** What a call was given and its result, below a list. */
export function renderPayload({ id, payload }: ShownCall): string {
  return joinLines(colors.bold(id), renderKept(payload));
}

function renderKept(payload: ShownCall["payload"]): string {
  if (!payload) return "  arguments and result are not kept";
  return joinLines(
    `  arguments  ${plainText(JSON.stringify(payload.arguments))}`,
    `  result     ${plainText(JSON.stringify(payload.result))}`,
  );
}

function renderQueue(queued: QueueView | null): string {
  if (queued === null) return "deleted: nothing runs it";
  const { status, waitsFor, nextRetryAt, resolvedCallId } = queued;
  if (resolvedCallId !== null) return `it ran as ${resolvedCallId}`;
  if (waitsFor === "person") return `${status}: a person decides (toolplane dead-letters show)`;
  if (nextRetryAt === null) return status;
  return `${status}, next try at ${nextRetryAt}`;
}

function renderOrigin({ cached, coalesced, replayed, collected }: CallRecord): string {
  if (collected) return `, the outcome of call ${collected.call}`;
  if (replayed) return ", replayed from a recording";
  if (cached) return ", from the cache";
  return coalesced ? ", shared with an equal call" : "";
}

/** Each stage as long as its share of the longest one. */
export function renderBars(stages: CallRecord["stages"]): string[] {
  const longest = Math.max(...stages.map(({ ms }) => ms), 0);
  const names = Math.max(...stages.map(({ stage }) => stage.length), 0);
  return stages.map(({ stage, ms }) => {
    const bar = longest === 0 ? "" : "█".repeat(Math.round((ms / longest) * barWidth));
    return `${stage.padEnd(names)}  ${(bar === "" ? "▏" : bar).padEnd(barWidth)}  ${milliseconds(ms)}`;
  });
}

export function renderChain({ calls, ...chain }: CallChain): string {
  return renderRecords({ ...chain, records: calls }, "call");
}

export function renderRecords(
  { records, checkpoints, head, broken, headFound, lost }: AuditCheck["changes"],
  noun: "call" | "change",
): string {
  const removed = checkpoints.reduce((sum, checkpoint) => sum + checkpoint.removed, 0);
  return joinLines(
    broken
      ? `The record is broken at ${noun} '${plainText(broken.id)}' of ${plainText(broken.at)}: ${broken.reason}. What comes after it proves nothing.`
      : `${countOf(records, noun)} recorded; none was changed or removed in between.`,
    lost.map(
      ({ after, until }) =>
        `The ${noun}s${after === null ? "" : ` after ${after}`} up to ${until} were stored and are gone: the store was damaged, or replaced by an older one.`,
    ),
    removed > 0 &&
      `${countOf(removed, `older ${noun}`)} removed because of their age ('calls.keepDays').`,
    headFound === false &&
      "The hash you gave is not in the record: its end was removed or rewritten.",
    headFound === true && "The hash you gave is in the record.",
    head !== null &&
      !broken &&
      `Head: ${head}. Keep it elsewhere to prove later that nothing was rewritten.`,
  );
}

function verdictOf({ approval }: CallRecord): string | null {
  return approval && `${approval.verdict} (${approval.origin}): ${approval.reason}`;
}

function argumentsOf({ argumentNames, injected }: CallRecord): string | null {
  const names = [...argumentNames, ...injected.map((name) => `${name} (injected)`)];
  return names.join(", ") || null;
}

function renderAttempt({
  provider,
  ok,
  durationMs,
  error,
  sent,
}: CallRecord["attempts"][number]): string {
  const attemptOutcome = ok ? "answered" : `${error}${sent === false ? ", never sent" : ""}`;
  return plainText(`${provider}  ${attemptOutcome}  ${milliseconds(durationMs)}`);
}

function milliseconds(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : Math.round(ms * 100) / 100} ms`;
}
