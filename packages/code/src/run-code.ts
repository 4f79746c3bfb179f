import { createSemaphore } from "@toolplane/core/lib/async/semaphore";
import { TimeLimiter } from "@toolplane/core/lib/async/time-limit";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { hashText } from "@toolplane/core/lib/json/stable-json";
import { compareText } from "@toolplane/core/lib/text/wording";
import type { CodeCall, RunCodeOptions } from "@toolplane/core/model/agent/code-run";
import type { Outcome } from "@toolplane/core/model/calls/call";
import type { Relay } from "@toolplane/core/model/calls/provider";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import { isObject, type Json } from "@toolplane/core/model/json";
import type { Plane, PlaneCallOptions } from "@toolplane/core/model/plane";
import { ownerOf, type Principal } from "@toolplane/core/model/principal";
import { defaultTimeoutMs } from "@toolplane/core/model/servers/server";
import { type Blobs, createBlobs } from "./blobs.ts";
import { codeLimits } from "./limits.ts";
import type { ProgramTools } from "./program-tools.ts";
import {
  answerOf,
  createReplayLog,
  failureJson,
  type RecordedCalls,
  type WaitingRun,
} from "./recorded-calls.ts";
import type { ProgramResult, Sandbox } from "./sandbox.ts";

const maxConcurrentCalls = 16;
/** Characters of all answers that one program gets. */
const maxAnswers = 64 * 1024 * 1024;

type RunCodePorts = {
  plane(): Pick<Plane, "call" | "approvals">;
  sandbox: Sandbox;
  tools: ProgramTools;
  recorded: RecordedCalls;
};

/** How a program ended, before it is put into words. */
export type EndedRun = {
  result: ProgramResult;
  logs: string[];
  calls: CodeCall[];
  waiting: { id: string; tool: string; plan?: string }[];
  /** What its value refers to. */
  blobs: Blobs;
  /** Calls that it had not waited for. */
  unawaited: number;
  /** The limit, not the caller, ended it. */
  isPastTimeout: boolean;
  timeoutMs: number;
};

type Running = {
  run: WaitingRun;
  options: RunCodeOptions;
  principal: Principal;
  limiter: TimeLimiter;
  calls: CodeCall[];
  waiting: Map<string, EndedRun["waiting"][number]>;
  memory: ReturnType<typeof createReplayLog>;
  blobs: Blobs;
  /** Tells the caller what happens, where it wants to know. */
  tell(message: string): void;
  isOver: boolean;
  answered: number;
  /** Characters of pictures, sounds and files in arguments. */
  sentMedia: number;
};

/** One program, from its first line to its last call. */
export async function runCode(
  run: WaitingRun,
  principal: Principal,
  options: RunCodeOptions,
  signal: AbortSignal,
  ports: RunCodePorts,
): Promise<EndedRun> {
  const { timeoutMs = defaultTimeoutMs, only = () => true } = options;
  const limiter = new TimeLimiter(timeoutMs, {
    capMs: timeoutMs || Number.POSITIVE_INFINITY,
    caller: signal,
  });
  const logs: string[] = [];
  const state: Running = {
    run,
    options,
    principal,
    limiter,
    calls: [],
    waiting: new Map(),
    isOver: false,
    answered: 0,
    sentMedia: 0,
    memory: createReplayLog(run.recorded),
    blobs: createBlobs(),
    tell: progressOf(options),
  };
  const inFlight = new Set<Promise<unknown>>();
  const request = createRequests(state, ports);
  try {
    const result = await ports.sandbox.run({
      source: run.source,
      startedAt: run.startedAt,
      seeds: seedsOf(run.id),
      store: run.store,
      limits: codeLimits,
      owner: ownerOf(principal),
      signal: limiter.signal,
      log(level, text) {
        const line = level === "warn" || level === "error" ? `${level}: ${text}` : text;
        logs.push(line);
        state.tell(line);
      },
      names: (json) =>
        JSON.stringify(ports.tools.names(JSON.parse(json) as string[], principal, only)),
      request(kind, json) {
        const answering = request(kind, json).finally(() => inFlight.delete(answering));
        inFlight.add(answering);
        return answering;
      },
    });
    state.isOver = true;
    if (!result.ok)
      result.error.message += ports.tools.suggestionForGlobal(result.error, principal, only);
    // A call that was not waited for has begun all the same.
    await Promise.allSettled(inFlight);
    if (state.waiting.size > 0) run.recorded = state.memory.all();
    const calls = state.calls.toSorted(byTime);
    const waiting = [...state.waiting.values()];
    return {
      result,
      logs,
      calls,
      waiting,
      blobs: state.blobs,
      unawaited: result.unawaited,
      isPastTimeout: limiter.isExpired,
      timeoutMs,
    };
  } finally {
    limiter.clear();
  }
}

/** Times as `toISOString` writes them sort as texts. */
function byTime(a: CodeCall, b: CodeCall): number {
  return compareText(a.at, b.at);
}

/** Answers what a program asks for. Never rejects; null where a person is asked first. */
function createRequests(state: Running, ports: RunCodePorts) {
  const { memory, options, principal, limiter } = state;
  const callTool = createCallTool(state, ports);
  const semaphore = createSemaphore(maxConcurrentCalls, Number.POSITIVE_INFINITY);
  let callCount = 0;

  async function call(path: string[], args: Json, key: string): Promise<string | null> {
    const recordedCall = memory.before(key);
    if (recordedCall) return replay(recordedCall, path.join("."));
    const media = state.blobs.addedTo(args);
    state.sentMedia += media;
    if (media > codeLimits.mediaCharacters || state.sentMedia > codeLimits.sentMediaCharacters)
      return failureJson(path.join("."), "PAYLOAD_TOO_LARGE", tooMuchMedia);
    callCount += 1;
    if (callCount > codeLimits.calls)
      return failureJson(path.join("."), "BUDGET_EXCEEDED", tooManyCalls);
    const entered = semaphore.acquire(limiter.signal);
    if (entered) await entered;
    try {
      if (state.isOver) return failureJson(path.join("."), "CANCELLED", "The program had ended.");
      const outcome = await callTool(path, state.blobs.reveal(args));
      return keep(key, outcome, path, args);
    } finally {
      semaphore.release();
    }
  }

  function keep(
    key: string,
    outcome: Outcome & { at: string },
    path: readonly string[],
    args: unknown,
  ): string | null {
    const { id, tool, status, durationMs } = outcome.call;
    const codeCall: CodeCall = { id, tool, status, at: outcome.at, durationMs };
    state.calls.push(codeCall);
    const approvalId = outcome.approval?.id ?? outcome.plan?.change;
    if (approvalId !== undefined) {
      const plan = outcome.plan && { plan: outcome.plan.id };
      memory.keep(key, { call: codeCall, held: approvalId, ...plan });
      state.waiting.set(approvalId, { id: approvalId, tool, ...plan });
      return null;
    }
    const json = explained(outcome, path, args);
    state.answered += json.length;
    const answerJson =
      state.answered > maxAnswers ? failureJson(tool, "PAYLOAD_TOO_LARGE", tooMuchResult) : json;
    memory.keep(key, { call: codeCall, json: answerJson });
    return answerJson;
  }

  /** Two mistakes have a remedy that only a program can use. */
  function explained(outcome: Outcome, path: readonly string[], args: unknown): string {
    const code = outcome.error?.code;
    if (code === "TOOL_NOT_FOUND") return unknownTool(path);
    if (code !== "INVALID_ARGUMENTS" || isObject(args)) return answerOf(outcome);
    return failureJson(outcome.call.tool, code, ports.tools.argumentsHint(path, principal));
  }

  function unknownTool(path: readonly string[]): string {
    const name = path.join(".");
    const suggestion = ports.tools.suggestionFor(path, principal, options.only ?? (() => true));
    return failureJson(name, "TOOL_NOT_FOUND", `No tool '${name}'. ${suggestion}`);
  }

  /** Without a call: its answer is known, or a person has it. */
  async function replay(
    { call: earlierCall, json, held: approvalId = "", plan }: WaitingRun["recorded"][string],
    path: string,
  ) {
    const tool = earlierCall?.tool ?? path;
    if (earlierCall) state.calls.push({ ...earlierCall, replayed: true });
    if (json !== undefined) return json;
    const answer = await ports.recorded.answer(approvalId);
    if (answer !== null) return answer;
    const { status, answer: decision } = await ports
      .plane()
      .approvals.get(approvalId, { principal });
    if (status === "pending" || status === "approved" || status === "running") {
      state.waiting.set(approvalId, { id: approvalId, tool, ...withoutUndefined({ plan }) });
      return null;
    }
    if (status === "interrupted" || status === "done" || status === "failed")
      return failureJson(
        tool,
        "OUTCOME_UNKNOWN",
        `It is not known how '${tool}' ended. Look before you call it again.`,
      );
    const why = decision?.reason ? `: ${decision.reason}` : "";
    return failureJson(
      tool,
      "APPROVAL_DENIED",
      `'${tool}' was not run: approval '${approvalId}' is ${status}${why}.`,
    );
  }

  async function search(query: string, limit: unknown, key: string): Promise<string> {
    const recordedSearch = memory.before(key)?.json;
    if (recordedSearch !== undefined) return recordedSearch;
    const isLimit = typeof limit === "number" && Number.isInteger(limit) && limit > 0;
    const size = isLimit ? Math.min(limit, 20) : undefined;
    const { only, face } = options;
    const { tools } = await ports.tools.search(
      query,
      principal,
      withoutUndefined({ limit: size, only, face }),
    );
    const json = JSON.stringify({ value: tools });
    memory.keep(key, { call: null, json });
    return json;
  }

  return async (kind: string, text: string): Promise<string | null> => {
    try {
      const { path, arguments: args, query, limit } = JSON.parse(text) as Record<string, unknown>;
      const key = memory.key(kind, text);
      if (kind === "search") return await search(String(query), limit, key);
      const answer = await call((path as unknown[]).map(String), args as Json, key);
      if (answer === null) return null;
      return state.blobs.hide(answer);
    } catch (thrown) {
      const { code, message } = limiter.isCancelled ? cancelled : toPlaneError(thrown);
      return failureJson("", code, message);
    }
  };
}

/** Steps of the run, whichever of its calls makes them. */
function progressOf({ relay }: RunCodeOptions): (message: string) => void {
  let step = 0;
  return (message) => relay?.onProgress?.({ progress: ++step, total: null, message });
}

/** A run that goes on later has the same id, and so the same numbers. */
const seedsOf = (id: string): number[] =>
  (hashText(id).slice(0, 32).match(/.{8}/g) ?? []).map((part) => parseInt(part, 16));

const cancelled = new PlaneError("CANCELLED", "The run ended.");
const tooManyCalls = `A program may make ${codeLimits.calls} calls. Return what there is, and go on in another.`;
const tooMuchMedia =
  "The arguments have more than 16 MB of pictures, sounds and files, or those of the whole program more than 64 MB. Send each once.";
const tooMuchResult =
  "The results of this program are larger than 64 MB. Ask for less, or go on in another.";

/** What is the same for all calls of a program is made once. */
function createCallTool(
  { run, options, principal, limiter, tell }: Running,
  { plane, tools }: RunCodePorts,
) {
  const {
    only,
    isSeen,
    consent,
    compliance,
    state,
    toolGroups,
    face,
    typed,
    approvalWaitMs: maxApprovalWaitMs,
  } = options;
  const mode = run.readOnly ? ("review" as const) : options.mode;
  const conversation = run.conversation ?? undefined;
  const relay = relayOfCalls(options.relay, limiter);
  const listens = options.relay?.onProgress !== undefined;
  const callContext = { consent, compliance, state, toolGroups, face, typed, conversation, mode };
  const usualOptions: PlaneCallOptions = {
    ...(withoutUndefined(callContext) as PlaneCallOptions),
    principal,
    run: run.id,
    signal: limiter.signal,
    maxResultBytes: 0,
    ...(options.askHere && { askHere: outsideTheLimit(options.askHere, limiter) }),
  };
  const askForAccount = outsideTheLimit(
    options.askForAccount ?? (async (failed) => failed),
    limiter,
  );
  return async (path: string[], args: unknown): Promise<Outcome & { at: string }> => {
    const named = tools.find(path, principal);
    const { asked: calledTool, tool } = named instanceof Promise ? await named : named;
    if (only && !(tool && only(tool)))
      throw new PlaneError(
        "TOOL_NOT_FOUND",
        `No tool '${path.join(".")}' here. ${tools.suggestionFor(path, principal, only)}`,
      );
    const isUnseen = isSeen !== undefined && !(tool && isSeen(tool));
    const startedAt = new Date().toISOString();
    const name = path.join(".");
    const callRelay: Relay = { ...relay };
    if (listens)
      callRelay.onProgress = ({ progress, total, message }) =>
        tell(`${name}: ${message ?? (total === null ? progress : `${progress} of ${total}`)}`);
    const callOptions: PlaneCallOptions = { ...usualOptions, relay: callRelay };
    // A person is waited for as long as time is left to go on without them.
    if (maxApprovalWaitMs !== undefined)
      callOptions.approvalWaitMs = Math.floor(Math.min(maxApprovalWaitMs, limiter.leftMs() * 0.8));
    if (isUnseen) callOptions.unseen = true;
    const call = () => plane().call(calledTool, args, callOptions);
    const outcome = await call();
    const answeredOutcome = outcome.ok ? outcome : await askForAccount(outcome);
    return { ...(answeredOutcome ?? (await call())), at: startedAt };
  };
}

/** What the calls of a program say to its caller; their progress is counted together, because the caller asked for one request. */
function relayOfCalls(relay: Relay | undefined, limiter: TimeLimiter): Relay {
  if (relay === undefined) return {};
  // A relay may have them from its class, so they are named one by one.
  const { client, meta, tokens } = relay;
  return {
    ...withoutUndefined({ client, meta, tokens }),
    ...(relay.onLog && { onLog: (message) => relay.onLog?.(message) }),
    ...(relay.onQuestion && {
      onQuestion: outsideTheLimit(
        (...args) => relay.onQuestion?.(...args) ?? Promise.resolve(null),
        limiter,
      ),
    }),
  };
}

/** The time that a person takes is not the program's. */
function outsideTheLimit<Args extends unknown[], Answer>(
  askPerson: (...asked: Args) => Promise<Answer>,
  limiter: TimeLimiter,
): (...asked: Args) => Promise<Answer> {
  return async (...args) => {
    const goOn = limiter.pause();
    try {
      return await askPerson(...args);
    } finally {
      goOn();
    }
  };
}
