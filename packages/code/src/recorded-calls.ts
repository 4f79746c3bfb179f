import { hashText } from "@toolplane/core/lib/json/stable-json";
import type { CodeCall } from "@toolplane/core/model/agent/code-run";
import type { Outcome } from "@toolplane/core/model/calls/call";
import { resultText, type ToolResult } from "@toolplane/core/model/calls/result";
import { messageForModel } from "@toolplane/core/model/errors";
import type { ErrorReport } from "@toolplane/core/model/errors-schema";
import type { JsonObject } from "@toolplane/core/model/json";
import type { Store } from "@toolplane/core/model/store";

/** An answer that the program got, or what it waits for. */
export type Recorded = { call: CodeCall | null; json?: string; held?: string; plan?: string };

/** A run that waits for people: all that is needed to take the same way again. */
export type WaitingRun = {
  id: string;
  owner: string;
  source: string;
  startedAt: number;
  store: string;
  readOnly: boolean;
  conversation: string | null;
  recorded: Record<string, Recorded>;
};

/** As long as people may take to answer. */
const keepMs = 7 * 86_400_000;
/** Characters of one answer that the sandbox takes. */
const maxAnswer = 16 * 1024 * 1024;
const runKey = (id: string) => `code:${id}`;
const answerKey = (approval: string) => `code-answer:${approval}`;

export type RecordedCalls = ReturnType<typeof createRecordedCalls>;

/** What outlives a run that waits: its calls. */
export function createRecordedCalls(store: () => Promise<Store>) {
  const put = async (key: string, value: JsonObject | null) =>
    (await store()).changeShared(key, keepMs, () => ({ value, answer: null }));
  return {
    keep: (run: WaitingRun) => put(runKey(run.id), run as unknown as JsonObject),
    /** Only one continues it: who takes it has it. */
    async take(id: string, owner: string): Promise<WaitingRun | null> {
      return (await store()).changeShared(runKey(id), keepMs, (value) => {
        const run = value as WaitingRun | null;
        const isTheirs = run?.owner === owner;
        return { value: isTheirs ? null : value, answer: isTheirs ? run : null };
      });
    },
    keepAnswer: (approval: string, outcome: Outcome) =>
      put(answerKey(approval), { json: answerOf(outcome) }),
    async answer(approval: string): Promise<string | null> {
      const value = await (await store()).sharedValue(answerKey(approval));
      if (value === null) return null;
      return String(value.json);
    },
  };
}

/** Calls by tool, arguments and how often they were made: the same way gives the same keys. Hashed where they are kept. */
export function createReplayLog(earlierCalls: WaitingRun["recorded"]) {
  const times = new Map<string, number>();
  const madeCalls = new Map<string, Recorded>();
  const isResumed = Object.keys(earlierCalls).length > 0;
  return {
    key(kind: string, json: string): string {
      const base = `${kind} ${json}`;
      const time = (times.get(base) ?? 0) + 1;
      times.set(base, time);
      return `${time} ${base}`;
    },
    before: (key: string): Recorded | undefined =>
      isResumed ? earlierCalls[hashText(key)] : undefined,
    keep: (key: string, recorded: Recorded): void => void madeCalls.set(key, recorded),
    all(): WaitingRun["recorded"] {
      if (madeCalls.size === 0) return earlierCalls;
      const hashed = [...madeCalls].map(([key, call]) => [hashText(key), call]);
      return { ...earlierCalls, ...Object.fromEntries(hashed) };
    },
  };
}

/** What a program gets for a call: `{ value }`, or `{ error }` for a ToolError. */
export function answerOf(outcome: Outcome): string {
  const { result, error, call } = outcome;
  const json = error
    ? toolErrorJson(outcome, error)
    : `{"value":${programJson(result as ToolResult)}}`;
  if (json.length <= maxAnswer) return json;
  return failureJson(call.tool, "PAYLOAD_TOO_LARGE", tooLarge(json.length));
}

function toolErrorJson({ result, call }: Outcome, error: ErrorReport): string {
  return JSON.stringify({
    error: {
      code: error.code,
      tool: call.tool,
      content: result?.content ?? [],
      message: result ? resultText(result) || error.message : messageForModel(error),
      structuredContent: result?.structuredContent,
    },
  });
}

export function failureJson(tool: string, code: string, message: string): string {
  return JSON.stringify({ error: { code, tool, message, content: [] } });
}

const tooLarge = (length: number) =>
  `The result has ${Math.round(length / 1024 / 1024)} MB, and a program takes 16 MB. Ask for less of it.`;

/** Structured content as it is; texts as what they are written in; anything else as its blocks. */
function programJson({ content, structuredContent }: ToolResult): string {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  const blocks = content ?? [];
  if (blocks.some(({ type, text }) => type !== "text" || typeof text !== "string"))
    return JSON.stringify(blocks);
  const texts = blocks.map(({ text }) => String(text));
  if (texts.length === 1) {
    const [text = ""] = texts;
    const value = parsed(text);
    if (value === text) return JSON.stringify(text);
    return text;
  }
  const values = texts.map(parsed);
  const isList =
    values.length > 0 && values.every((value) => typeof value === "object" && value !== null);
  return JSON.stringify(isList ? values : texts.join("\n"));
}

/** A number that would lose digits stays a text. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}
