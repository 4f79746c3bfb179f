import { sliceText } from "@toolplane/core/lib/text/cut-text";
import { isObject } from "@toolplane/core/model/json";
import type { OfferedTool } from "./run-calls.ts";

/** How a question is split before it is answered. */
const splits = ["plan-then-execute", "supervisor"] as const;
type Split = (typeof splits)[number];

/** Asks the model beside the conversation; null where it has no answer. Without tools it can only reply. */
export type AskAside = (text: string, withTools: boolean) => Promise<string | null>;

type Part = { goal: string; toolHint: string; dependsOn: number[] };
type FinishedPart = Part & { result: string | null };

/** More are left to the answer itself. */
const maxParts = 10;
const maxResult = 20_000;

/**
 * What the model reads before it answers: the results of the parts of its question. Null where it answers at once.
 * A plan is worked on step by step, and each step knows what came before; a supervisor's parts all at once.
 */
export async function splitQuestion(
  style: string,
  question: string,
  tools: readonly OfferedTool[],
  ask: AskAside,
): Promise<string | null> {
  const split =
    style === "auto"
      ? chosenBy(await ask(routingPrompt(question), false))
      : splits.find((name) => name === style);
  if (split === undefined) return null;
  const parts = readParts(await ask(splitPrompts[split](question, tools), false));
  if (parts.length === 0) return null;
  const finishedParts: FinishedPart[] = [];
  const work = async (part: Part): Promise<FinishedPart> => {
    const neededParts = part.dependsOn.flatMap((index) => finishedParts[index] ?? []);
    const result = await ask(partPrompt(question, part, neededParts), true);
    return { ...part, result: result === null ? null : sliceText(result, 0, maxResult) };
  };
  if (split === "supervisor")
    finishedParts.push(...(await Promise.all(parts.map((part) => work(part)))));
  else for (const part of parts) finishedParts.push(await work(part));
  return `These parts have been worked on:\n\n${describeParts(finishedParts)}\n\nNow answer the question with them: ${question}`;
}

function routingPrompt(question: string): string {
  return [
    "Choose how this question is worked on; do not answer it.",
    `Question: ${question}`,
    "react: one line of thought with tools. plan-then-execute: steps that build on each other. supervisor: independent parts at the same time.",
    'Reply with one JSON object and nothing else: {"task_type": "…", "pattern": "react" | "plan-then-execute" | "supervisor"}',
  ].join("\n");
}

/** What is not understood is worked on in one line. */
function chosenBy(reply: string | null): Split | undefined {
  const choice = readJson(reply, "{", "}");
  if (isObject(choice)) return splits.find((name) => name === choice.pattern);
  return undefined;
}

const splitPrompts: Record<Split, (question: string, tools: readonly OfferedTool[]) => string> = {
  "plan-then-execute": (question, tools) =>
    [
      "Make a plan for this question; do not answer it yet.",
      ...questionLines(question, tools),
      'Reply with one JSON list of steps and nothing else. Each step: {"goal": "what it finds out or does", "tool_hint": "the name of a tool, or empty", "depends_on": [numbers of earlier steps it needs, the first is 0]}',
    ].join("\n"),
  supervisor: (question, tools) =>
    [
      "Split this question into parts that others work on at the same time; do not answer it.",
      ...questionLines(question, tools),
      'Reply with one JSON list of parts and nothing else. Each part stands for itself: {"goal": "what to find out or do", "tool_hint": "the name of a tool, or empty"}',
    ].join("\n"),
};

function questionLines(question: string, tools: readonly OfferedTool[]): string[] {
  const lines = tools.map(
    ({ name, description }) => `- ${name}: ${sliceText(description, 0, 200)}`,
  );
  if (lines.length === 0) return [`Question: ${question}`];
  return [`Question: ${question}`, "Tools:", ...lines];
}

export function readParts(reply: string | null): Part[] {
  const listed = readJson(reply, "[", "]");
  const parts = (Array.isArray(listed) ? listed : []).filter(isObject).slice(0, maxParts);
  return parts.flatMap(({ goal, tool_hint, depends_on }, index) => {
    if (typeof goal !== "string" || goal.trim() === "") return [];
    const indices = Array.isArray(depends_on)
      ? depends_on.map(Number)
      : Array.from({ length: index }, (_, n) => n);
    const dependsOn = indices.filter(
      (dependency) => Number.isInteger(dependency) && dependency >= 0 && dependency < index,
    );
    return [
      { goal: goal.trim(), toolHint: typeof tool_hint === "string" ? tool_hint : "", dependsOn },
    ];
  });
}

/** From the first of one to the last of the other. */
function readJson(reply: string | null, open: string, close: string): unknown {
  const text = reply ?? "";
  try {
    return JSON.parse(
      text.slice(Math.max(0, text.indexOf(open)), text.lastIndexOf(close) + 1) || "null",
    );
  } catch {
    return null;
  }
}

function partPrompt(
  question: string,
  { goal, toolHint }: Part,
  earlierParts: readonly FinishedPart[],
): string {
  const lines = [`You work on one part of a larger question: ${question}`];
  if (earlierParts.length > 0)
    lines.push(`What is known so far:\n\n${describeParts(earlierParts)}`);
  lines.push(`Your part: ${goal}`);
  if (toolHint !== "") lines.push(`The tool '${toolHint}' may help.`);
  lines.push("Reply with the result of this part alone.");
  return lines.join("\n\n");
}

function describeParts(parts: readonly FinishedPart[]): string {
  return parts
    .map(
      ({ goal, result }, index) =>
        `${index + 1}. ${goal}\n${result ?? "Failed: there is no result."}`,
    )
    .join("\n\n");
}
