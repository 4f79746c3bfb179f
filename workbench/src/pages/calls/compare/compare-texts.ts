import type { UnknownObject } from "../../../../../src/model/json.ts";
import type { CallAnswer } from "../../../api/queries.ts";
import { diffLines } from "../../../parts/diff-lines.ts";

type ComparedCall = Pick<
  CallAnswer,
  "status" | "provider" | "argumentsHash" | "resultHash" | "error" | "attempts"
> & {
  payload?: CallAnswer["payload"];
};

/** Unchanged lines around a change. */
const contextLines = 3;

/** What is different between two calls, as a text that `diff` would write; empty where nothing is. */
export function differenceOf(before: ComparedCall, after: ComparedCall): string {
  const oldTexts = textsOf(before);
  const newTexts = textsOf(after);
  return Object.keys({ ...oldTexts, ...newTexts })
    .flatMap((name) => {
      const lines = hunks(oldTexts[name] ?? "", newTexts[name] ?? "");
      return lines.length === 0 ? [] : [`@@ ${name} @@`, ...lines];
    })
    .join("\n");
}

function hunks(before: string, after: string): string[] {
  if (before === after) return [];
  const lines = diffLines(before, after);
  const isNear = lines.map((_, index) =>
    lines
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some(({ sign }) => sign !== " "),
  );
  const shownLines: string[] = [];
  for (const [index, { sign, text }] of lines.entries()) {
    if (isNear[index]) shownLines.push(`${sign === "−" ? "-" : sign}${text}`);
    else if (isNear[index - 1]) shownLines.push(" …");
  }
  return shownLines;
}

/** Hashes tell that something differs where the values are not kept. */
function textsOf({
  payload,
  status,
  provider,
  argumentsHash,
  resultHash,
  error,
  attempts,
}: ComparedCall): Record<string, string> {
  const values: Record<string, string> = payload
    ? { arguments: pretty(payload.arguments), result: resultText(payload.result) }
    : { "hash of the arguments": argumentsHash ?? "", "hash of the result": resultHash ?? "" };
  return {
    status,
    error: error ? `${error.code}: ${error.message}` : "",
    ...values,
    provider: provider ?? "",
    attempts: String(attempts.length),
  };
}

function pretty(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Block by block; JSON inside a text is laid out as JSON, so that no difference is one long escaped line. */
function resultText(result: unknown): string {
  if (typeof result !== "object" || result === null || !("content" in result))
    return pretty(result);
  const { content, structuredContent, ...otherFields } = result as {
    content: UnknownObject[];
    structuredContent?: unknown;
  };
  const blocks = content.map((block) =>
    typeof block.text === "string" ? layOutJson(block.text) : pretty(block),
  );

  const otherText = Object.keys(otherFields).length === 0 ? "" : pretty(otherFields);
  return [...new Set([...blocks, pretty(structuredContent), otherText])]
    .filter((text) => text !== "")
    .join("\n");
}

function layOutJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

const maxSummary = 160;

/** What a call was given, on one line. */
export function argumentsText({
  payload,
  argumentNames,
}: Pick<CallAnswer, "argumentNames"> & Pick<ComparedCall, "payload">) {
  const text = payload ? JSON.stringify(payload.arguments) : argumentNames.join(", ");
  return text.length <= maxSummary ? text : `${text.slice(0, maxSummary)}…`;
}
