import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { AgentCall, AgentRun } from "../../model/agent/agent-run.ts";
import type { ChatContent } from "../../model/agent/chat.ts";
import { storyOf, type Told, type ToldCall, type ToldMessage } from "./story.ts";
import {
  cutOffWords,
  durationOf,
  finishesOf,
  momentOf,
  numberOf,
  outcomeWords,
  pictureOf,
  prettyJson,
} from "./words.ts";

const titles = {
  system: "System",
  user: "Question",
  assistant: "Model",
  answer: "Answer",
  tool: "Tool",
} as const;

/** A run as people read it: what was asked, each call with its number, what was thought before what was said. */
export function renderRunText(run: AgentRun): string {
  const parts = [headOf(run), ...storyOf(run).map(renderTold)];
  if (run.error) parts.push(`Error\n${indent(`${run.error.message} [${run.error.code}]`)}`);
  return plainText(parts.join("\n\n"));
}

function headOf(run: AgentRun): string {
  const { usage, counters } = run;
  const models = run.steps.reduce((sum, { modelMs }) => sum + modelMs, 0);
  return [
    `Run ${run.id}: ${outcomeWords[run.outcome]} in ${durationOf(run.durationMs)}`,
    `asked by ${run.user ?? "nobody"} at ${momentOf(run.at)}, conversation ${run.conversation}`,
    `model ${run.model}, style ${run.style}${run.toolset === null ? "" : `, toolset ${run.toolset}`}`,
    `${countOf(run.turns, "turn")} with tools, ${countOf(counters.totalToolCalls, "call")}, ` +
      `the model asked ${countOf(run.steps.length, "time")} for ${durationOf(models)}`,
    ...(finishesOf(run) === "" ? [] : [`the model stopped with ${finishesOf(run)}`]),
    ...(run.truncated ? [cutOffWords] : []),
    ...(run.missing ?? []).map(({ server, reason }) => `no tools of ${server}: ${reason}`),
    ...(run.waiting ?? []).map(({ id, tool }) => `${tool} waits for approval ${id}`),
    `${countOf(usage.totalTokens, "token")}: ${numberOf(usage.inputTokens)} in, ${numberOf(usage.outputTokens)} out`,
  ].join("\n");
}

function renderTold(told: Told): string {
  return told.kind === "call" ? renderCall(told) : renderMessage(told);
}

function renderMessage({ role, content, reasoning }: ToldMessage): string {
  const said = textOf(content);
  return [
    ...(reasoning === null ? [] : [`Reasoning\n${indent(reasoning)}`]),
    ...(said.trim() === "" ? [] : [`${titles[role]}\n${indent(said)}`]),
  ].join("\n\n");
}

function renderCall({ number, tool, arguments: args, result, facts }: ToldCall): string {
  return [
    `${number}. ${tool}${facts === null ? "" : `  ${factsOf(facts)}`}`,
    ...(args === null || args.trim() === "" ? [] : [indent(prettyJson(args))]),
    ...(result === null ? [] : [indent(`→ ${indent(prettyJson(textOf(result)), 2).trimStart()}`)]),
  ].join("\n");
}

function factsOf({ status, durationMs, provider, attempts, record }: AgentCall): string {
  const tried = attempts > 1 ? `, ${countOf(attempts, "attempt")}` : "";
  const by = provider === null ? "" : ` by ${provider}`;
  return `${status}${by} in ${durationOf(durationMs)}${tried}${record === null ? "" : `, call ${record}`}`;
}

function textOf(content: ChatContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : pictureOf(block))).join("\n");
}

function indent(text: string, by = 3): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(by));
}
