import { countOf } from "../../lib/count-of.ts";
import { plainText } from "../../lib/plain-text.ts";
import type { CallRecord } from "../../model/call.ts";
import type { CallChain } from "../../model/call-chain.ts";
import { colors } from "./colors.ts";
import { renderTable } from "./output.ts";

const barWidth = 30;

export function renderCalls(calls: readonly CallRecord[]): string {
  if (calls.length === 0) return "No call is recorded.";
  return renderTable(
    ["WHEN", "ID", "STATUS", "MS", "USER", "FACE", "TOOL"],
    calls.map(({ at, id, status, durationMs, principal, face, tool }) => [
      at.slice(0, 19).replace("T", " "),
      id,
      status,
      String(Math.round(durationMs)),
      principal.user ?? "-",
      face,
      tool,
    ]),
  );
}

export function renderCall(call: CallRecord): string {
  const facts: [string, string | null | undefined][] = [
    ["status", `${call.status}, ${milliseconds(call.durationMs)}`],
    ["at", call.at],
    ["called by", `${call.principal.user ?? "nobody"} through ${call.face}`],
    ["server", call.server],
    ["run", call.run && `${call.run} (toolplane calls show ${call.run})`],
    ["verdict", verdictOf(call)],
    ["arguments", argumentsOf(call)],
    ["their hash", call.argumentsHash],
    ["result hash", call.resultHash],
    ["kept as", call.stored && `${call.stored} (toolplane results get ${call.stored})`],
    ["cost", call.cost && `${call.cost.amount} ${call.cost.unit}`],
  ];
  return [
    `${colors.bold(plainText(call.tool))} ${colors.dim(call.id)}`,
    ...(call.error ? [`${plainText(call.error.message)} ${colors.dim(`[${call.error.code}]`)}`] : []),
    "",
    ...facts.flatMap(([label, value]) =>
      value ? `${colors.dim(label.padEnd(11))} ${plainText(value)}` : [],
    ),
    "",
    colors.bold("Stages"),
    ...renderBars(call.stages),
    ...(call.attempts.length === 0 ? [] : ["", colors.bold("Attempts"), ...call.attempts.map(renderAttempt)]),
  ].join("\n");
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

export function renderChain(chain: CallChain): string {
  const { calls, unchained, checkpoints, head, broken, headFound } = chain;
  const removed = checkpoints.reduce((sum, checkpoint) => sum + checkpoint.removed, 0);
  return [
    broken
      ? `The record is broken at call '${plainText(broken.id)}' of ${plainText(broken.at)}: ${broken.reason}. What comes after it proves nothing.`
      : `${countOf(calls, "call")} recorded; none was changed or removed in between.`,
    ...(unchained > 0 ? [`The first ${unchained} are older than the chain and cannot be verified.`] : []),
    ...(removed > 0
      ? [`${countOf(removed, "older call")} removed because of their age ('calls.keepDays').`]
      : []),
    ...(headFound === false
      ? ["The hash you gave is not in the record: its end was removed or rewritten."]
      : []),
    ...(headFound === true ? ["The hash you gave is in the record."] : []),
    ...(head === null || broken
      ? []
      : [`Head: ${head}. Keep it elsewhere to prove later that nothing was rewritten.`]),
  ].join("\n");
}

function verdictOf({ approval }: CallRecord): string | null {
  return approval && `${approval.verdict} (${approval.origin}): ${approval.reason}`;
}

function argumentsOf({ argumentNames, injected }: CallRecord): string | null {
  const names = [...argumentNames, ...injected.map((name) => `${name} (injected)`)];
  return names.length === 0 ? null : names.join(", ");
}

function renderAttempt({ provider, ok, durationMs, error, sent }: CallRecord["attempts"][number]): string {
  const how = ok ? "answered" : `${error}${sent === false ? ", never sent" : ""}`;
  return plainText(`${provider}  ${how}  ${milliseconds(durationMs)}`);
}

function milliseconds(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : Math.round(ms * 100) / 100} ms`;
}
