import type { CodeParts } from "@toolplane/core/agent";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { nounFor, rounded } from "@toolplane/core/lib/text/wording";
import type {
  CodeOutcome,
  ProgramError,
  RunCodeOptions,
} from "@toolplane/core/model/agent/code-run";
import type { AgentRun } from "@toolplane/core/model/agent/run-schema";
import type { Outcome } from "@toolplane/core/model/calls/call";
import { type ErrorCode, errorTable, PlaneError, reportError } from "@toolplane/core/model/errors";
import { type Json, textOrJson } from "@toolplane/core/model/json";
import { ownerOf, type Principal } from "@toolplane/core/model/principal";
import type { Blobs } from "./blobs.ts";
import type { KeptValues } from "./kept-values.ts";
import { codeLimits } from "./limits.ts";
import type { RecordedCalls, WaitingRun } from "./recorded-calls.ts";
import type { EndedRun } from "./run-code.ts";

type EndFacts = {
  principal: Principal;
  run: WaitingRun;
  options: RunCodeOptions;
  startedAt: number;
};
type RefusedWrites = { writes: { line: number; name: string }[] };

/** A program asks no model. */
const noUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
/** A run that waits for a person is kept up to this size of its recorded calls. */
const maxKeptCharacters = 8 * 1024 * 1024;

/** How a program ended, in words and on record. */
export function createEndings({ keepRun }: Pick<CodeParts, "keepRun">, values: KeptValues) {
  return {
    async outcomeOf(
      ended: EndedRun | RefusedWrites,
      endFacts: EndFacts,
      recorded: RecordedCalls,
    ): Promise<CodeOutcome> {
      const { run, startedAt, principal } = endFacts;
      const base = { run: run.id, durationMs: rounded(performance.now() - startedAt) };
      if ("writes" in ended) {
        const error = refusal(run, ended.writes);
        return withText({ ...base, ok: false, value: null, logs: [], calls: [], error });
      }
      const { result, logs, calls, waiting, blobs, unawaited } = ended;
      const waits = !result.ok && result.end === "idle" && waiting.length > 0;
      const isKept = waits && JSON.stringify(run.recorded).length <= maxKeptCharacters;
      if (isKept) await recorded.keep(run);
      const readResult = result.ok ? readValue(result.json, blobs) : undefined;
      if (result.ok && result.store !== run.store)
        await values.keep(run.conversation, principal, result.store);
      const planeError = waits ? waitsFor(waiting, run, isKept) : errorOf(ended, readResult);
      const error = planeError && { ...reportError(planeError), ...lineIn(planeError) };
      const visibleValue = readResult?.value ?? null;
      const blocks = blobs.blocksIn(visibleValue);
      const outcomeFields = {
        ...base,
        ok: error === null,
        value: visibleValue,
        logs,
        calls,
        error,
      };
      const outcome = {
        ...withText(
          {
            ...outcomeFields,
            ...withoutUndefined({ waiting: waiting.length > 0 ? waiting : undefined }),
          },
          { unawaited, source: run.source },
        ),
        value: blobs.reveal(visibleValue),
        ...withoutUndefined({ blocks: blocks.length > 0 ? blocks : undefined }),
      };
      // A run that waits goes on record when it is over.
      if (!waits) await keepRun(toRun(outcome, run, principal, endFacts));
      return outcome;
    },
    /** The outcome of a program that the path of calls did not let begin. */
    refusedBy({ error }: Outcome, run: string): CodeOutcome {
      if (error?.category === "validation")
        throw new PlaneError(error.code, error.message, { data: error.data });
      const base = { ok: false, run, value: null, logs: [], calls: [], durationMs: 0 };
      return withText({
        ...base,
        error: error ?? reportError(new PlaneError("INTERNAL", "The program did not run.")),
      });
    },
  };
}

const megabytesOf = (characters: number) => Math.round(characters / 1024 / 1024);

/** Counts the size of a value before building it: one picture may stand in a thousand places. */
function readValue(json: string, blobs: Blobs): { value: Json; error?: PlaneError } {
  const { valueCharacters, mediaCharacters } = codeLimits;
  if (json.length > valueCharacters) {
    const sizes = `${megabytesOf(json.length)} MB, and ${megabytesOf(valueCharacters)} MB are given`;
    return tooLarge(`The program returned ${sizes}. Return less.`);
  }
  const value = JSON.parse(json) as Json;
  const media = blobs.addedTo(value);
  if (media <= mediaCharacters) return { value };
  const sizes = `${megabytesOf(media)} MB of pictures, sounds and files, and ${megabytesOf(mediaCharacters)} MB are given`;
  return tooLarge(`The program returned ${sizes}. Return each once.`);
}

function tooLarge(message: string): { value: null; error: PlaneError } {
  return { value: null, error: new PlaneError("PAYLOAD_TOO_LARGE", message) };
}

function refusal(
  { source }: WaitingRun,
  writes: RefusedWrites["writes"],
): NonNullable<CodeOutcome["error"]> {
  const { line, name } = writes[0] as RefusedWrites["writes"][number];
  const text = source.split("\n")[line - 1]?.trim() ?? "";
  const message = `This run only reads, and '${name}' is not known to only read (line ${line}: ${text}). Nothing was called.`;
  return {
    ...reportError(new PlaneError("FORBIDDEN", message, { data: { tool: name } })),
    line,
    text,
  };
}

function waitsFor(waiting: EndedRun["waiting"], { id }: WaitingRun, isKept: boolean): PlaneError {
  const [first] = waiting;
  const names = waiting.map(
    ({ id: approvalId, tool, plan }) =>
      `'${approvalId}' (${tool}${plan ? `, in plan '${plan}'` : ""})`,
  );
  const nextStep = isKept
    ? `Once answered, go on with resume '${id}'; no call is made again.`
    : "Its calls are too large to keep, so it cannot go on.";
  const code = waiting.every(({ plan }) => plan !== undefined)
    ? "PLAN_QUEUED"
    : "APPROVAL_REQUIRED";
  return new PlaneError(
    code,
    `The program waits for a person's yes to ${names.join(", ")}. ${nextStep}`,
    {
      data: {
        approvalId: first?.id,
        run: id,
        ...withoutUndefined({ planId: first?.plan || undefined }),
      },
    },
  );
}

const isCode = (code: string | undefined): code is ErrorCode =>
  code !== undefined && Object.hasOwn(errorTable, code);

function errorOf(ended: EndedRun, readResult: { error?: PlaneError } | undefined) {
  if (readResult?.error) return readResult.error;
  const { result } = ended;
  return result.ok ? null : failureOf(result, ended);
}

function failureOf(
  { error, end }: Extract<EndedRun["result"], { ok: false }>,
  { isPastTimeout, timeoutMs }: EndedRun,
): PlaneError {
  const { name, message, line, text, code, tool } = error;
  if (isPastTimeout)
    return new PlaneError(
      "TIMEOUT",
      `The program took longer than ${timeoutMs / 1000} s. Do less, or give it more.`,
    );
  if (end === "aborted") return new PlaneError("CANCELLED", "The run was cancelled.");
  if (end === "cpuTime") return new PlaneError("TIMEOUT", message);
  const lineText = line === undefined ? "" : ` (line ${line}: ${text})`;
  const position = line === undefined ? {} : { line, text };
  const data = { name, ...position, ...withoutUndefined({ tool: tool || undefined }) };
  return new PlaneError(isCode(code) ? code : "PROGRAM_FAILED", `${name}: ${message}${lineText}`, {
    data,
  });
}

function lineIn({ data }: PlaneError): Pick<ProgramError, "line" | "text"> {
  const { line, text } = data;
  if (typeof line === "number") return { line, text: String(text) };
  return {};
}

/** Does a program declare a `main`? Models forget to call it. */
const hasMain = /\b(?:function\s+main\s*\(|(?:const|let|var)\s+main\s*=)/;

function withText(
  outcome: Omit<CodeOutcome, "text">,
  { unawaited = 0, source = "" } = {},
): CodeOutcome {
  const { value, error, logs, calls } = outcome;
  const logLines = logs.length === 0 ? [] : ["Logs:", ...logs];
  if (error)
    return {
      ...outcome,
      text: [`Error: ${error.message} [${error.code}]`, ...logLines].join("\n"),
    };
  const lines: string[] = [];
  if (value !== null) lines.push(textOrJson(value));
  else if (logs.length === 0 && unawaited === 0) {
    const isMainIdle = calls.length === 0 && hasMain.test(source);
    const remedy = isMainIdle
      ? "Its 'main' was not called: end with 'return await main();'."
      : "Give its value with return.";
    lines.push(`The program returned nothing. ${remedy}`);
  }
  if (unawaited > 0) {
    const pronoun = nounFor(unawaited, "it", "them");
    lines.push(
      `The program ended before ${unawaited} of its calls did. Put 'await' before ${pronoun}.`,
    );
  }
  return { ...outcome, text: [...lines, ...logLines].join("\n") };
}

/** As runs of agents are kept: the program is the question, its value the answer. */
function toRun(
  outcome: CodeOutcome,
  run: WaitingRun,
  principal: Principal,
  { options }: EndFacts,
): AgentRun {
  const { ok, value, error, calls, durationMs, logs, waiting } = outcome;
  const startedAt = new Date(Date.now() - durationMs).toISOString();
  const agentCalls = calls.map(({ id, tool, status, at: begunAt, durationMs: ms, replayed }) => ({
    id,
    tool,
    record: id,
    status: replayed ? "repeated" : status,
    at: begunAt,
    durationMs: ms,
    provider: null,
    attempts: replayed ? 0 : 1,
  }));
  const step = {
    turn: 1,
    at: startedAt,
    modelMs: 0,
    usage: noUsage,
    offered: 0,
    refused: false,
    calls: agentCalls,
  };
  const counters = {
    totalToolCalls: agentCalls.length,
    totalToolCallTurns: 1,
    totalGenerations: 1,
    generationsWithTools: 1,
  };
  const codes: Partial<Record<ErrorCode, AgentRun["outcome"]>> = {
    TIMEOUT: "budget",
    CANCELLED: "cancelled",
  };
  return {
    id: run.id,
    at: startedAt,
    durationMs,
    user: principal.user,
    owner: ownerOf(principal),
    question: run.source,
    style: "code",
    model: "program",
    toolset: null,
    conversation: options.conversation ?? run.id,
    outcome: ok ? "completed" : (codes[error?.code ?? "INTERNAL"] ?? "failed"),
    error,
    answer: ok ? textOrJson(value) : null,
    ...withoutUndefined({ waiting: waiting?.map(({ id, tool }) => ({ id, tool })) }),
    reasoning: null,
    turns: 1,
    usage: noUsage,
    counters,
    steps: [step],
    trace: "all_messages",
    messages: [
      { role: "user", content: run.source },
      ...(logs.length === 0 ? [] : [{ role: "assistant" as const, content: logs.join("\n") }]),
    ],
  };
}
