import { sameJson } from "../../lib/json/plain-data.ts";
import { createLru } from "../../lib/lru.ts";
import {
  everyTool,
  type HookEvent,
  type HookRun,
  type HookSettings,
  hookEvents,
  type LibraryHooks,
} from "../../model/access/hook.ts";
import type { Executed, Injected, Requested, Verdict } from "../../model/calls/call.ts";
import { normalizeResult, type ToolResult } from "../../model/calls/result.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import { type Asked, type AskHooks, askInTurn, type Judged } from "./ask-in-turn.ts";
import { judge, type OnTheWay, withVerdict } from "./before-call.ts";
import { commandHook, functionHook, type Hook } from "./hook.ts";
import { toolFacts } from "./tool-facts.ts";

/** What hooks make of a result. What the tool really said is kept beside it, for its health and the record. */
export async function review(call: Executed, askHooks: AskHooks): Promise<Executed> {
  const { result, attempts } = call.executed;
  const success = result.isError !== true;
  const payload: JsonObject = {
    ...toolFacts(call, call.approval),
    success,
    content: result.content as Json,
    ...(result.structuredContent === undefined ? {} : { structured_content: result.structuredContent }),
    is_error: !success,
    duration_ms: attempts.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
  try {
    const judged = await askHooks("PostToolUse", { payload, change: changeResult, mayAsk: false });
    if (judged.decision === "deny") return replaced(call, withheld(call, judged.reason ?? "a hook says so"), judged.by);
    const isSame = judged.payload === payload || sameJson(judged.payload, payload);
    return isSame ? call : replaced(call, toResult(result, payload, judged), judged.by);
  } catch {
    // Nobody has looked at it, so nobody gets it.
    return replaced(call, withheld(call, "the hooks were not asked to the end"), null);
  }
}

function replaced(call: Executed, result: ToolResult, by: string | null): Executed {
  const { executed } = call;
  const warnings = by === null ? executed.warnings : [...executed.warnings, `Hook '${by}' changed the result.`];
  return { ...call, executed: { ...executed, result, warnings, said: executed.result } };
}

function withheld({ tool }: Executed, reason: string): ToolResult {
  const text = `'${tool.name}' ran, but its result was held back: ${reason}.`;
  return { content: [{ type: "text", text }], isError: true };
}

/** Where the content is new, nothing of the old result is left that could say what was taken out. */
function toResult(result: ToolResult, before: JsonObject, { payload }: Judged): ToolResult {
  const { content, structured_content: structuredContent, success } = payload;
  const isNew = !sameJson(content, before.content) || !sameJson(structuredContent, before.structured_content);
  if (!isNew) return { ...result, isError: success !== true };
  return normalizeResult({
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: success !== true,
  }).result;
}

const changeResult: Asked["change"] = (payload, changes) => {
  const { content, structured_content, success, is_error } = changes;
  if (content !== undefined && typeof content !== "string" && !isBlocks(content))
    return { failed: "its 'payload.content' is neither text nor a list of content blocks" };
  if ([success, is_error].some((flag) => flag !== undefined && typeof flag !== "boolean"))
    return { failed: "its 'payload.success' is not true or false" };
  const succeeds = newSuccess(payload.success === true, success, is_error);
  const { structured_content: old, ...facts } = payload;
  // Whoever takes something out of the content has not looked at what says the same once more.
  const isStale =
    content !== undefined && !sameJson(content, payload.content) && sameJson(structured_content ?? old, old);
  const structured = isStale ? null : structured_content === undefined ? old : structured_content;
  return {
    payload: {
      ...facts,
      ...(content === undefined ? {} : { content }),
      ...(structured === undefined || structured === null ? {} : { structured_content: structured }),
      success: succeeds,
      is_error: !succeeds,
    },
  };
};

/** Whoever passes on what they were given and changes one of the two means that one. */
function newSuccess(now: boolean, success: Json | undefined, isError: Json | undefined): boolean {
  if (typeof success === "boolean" && success !== now) return success;
  return typeof isError === "boolean" ? !isError : now;
}

function isBlocks(content: Json): boolean {
  return Array.isArray(content) && content.every((block) => isObject(block) && typeof block.type === "string");
}

/** Of more than these the longest known are forgotten first, and would be asked about again. */
const minSessions = 10_000;

/** A hook sees that a session begins or ends and has nothing to change. */
const changeNothing: Asked["change"] = (payload) => ({ payload });

/** Conversations that hooks were asked about. */
export function createSessions() {
  const begun = createLru<Promise<Judged>>(minSessions);
  const keyOf = ({ user }: Principal, conversation: string) => JSON.stringify([user, conversation]);

  /** Why the conversation of this call may not begin; null when it may, has begun, or there is none. */
  async function refusal(call: Injected, askHooks: AskHooks): Promise<Verdict | null> {
    const { conversation } = call.options;
    if (conversation === undefined) return null;
    const key = keyOf(call.principal, conversation);
    const others = begun.get(key);
    const payload = { face: call.face };
    const asked = others ?? askHooks("SessionStart", { payload, change: changeNothing, mayAsk: false });
    begun.set(key, asked);
    const judged = await asked.catch((thrown) => {
      if (begun.get(key) === asked) begun.delete(key);
      // That another caller gave up is nothing to this one.
      if (others) return null;
      throw thrown;
    });
    if (judged === null) return refusal(call, askHooks);
    if (judged.decision !== "deny") return null;
    begun.delete(key);
    return { verdict: "deny", origin: `hook:${judged.by}`, reason: judged.reason ?? "a hook says so" };
  }

  return {
    refusal,
    async end(principal: Principal, conversation: string, askHooks: AskHooks): Promise<void> {
      begun.delete(keyOf(principal, conversation));
      await askHooks("SessionEnd", { payload: {}, change: changeNothing, mayAsk: false });
    },
  };
}

export type HookParts = HookSources & {
  settings(): HookSettings;
  emit(event: PlaneEvent): void;
};

/** Whom a hook is asked about. */
type About = { principal: Principal; session: string; tool: string; signal?: AbortSignal | undefined };

/** The word of the operator, and of the program that made the plane, on calls and their results. */
export function createHooks({ settings, emit, ...sources }: HookParts) {
  const known = new WeakMap<HookSettings, Promise<FindHooks>>();
  const sessions = createSessions();

  function found(): Promise<FindHooks> {
    const current = settings();
    const finding = known.get(current) ?? createFindHooks(current, sources);
    known.set(current, finding);
    return finding;
  }

  function asker({ principal, session, tool, signal }: About, onRun: (run: HookRun) => void): AskHooks {
    return async (event, { payload, ...how }) =>
      askInTurn((await found())(event, event.startsWith("Session") ? "" : tool), {
        ...how,
        call: {
          hook_event_name: event,
          session_id: session,
          user_email: principal.user,
          compliance_level: principal.compliance,
          payload,
        },
        showsDetail: mayDo(principal, "admin"),
        signal,
        onRun,
      });
  }

  function askerFor(call: Injected, signal: AbortSignal | undefined, runs: HookRun[]): AskHooks {
    const tool = call.tool.name;
    const session = call.options.conversation ?? call.id;
    return asker({ principal: call.principal, session, tool, signal }, (run) => {
      runs.push(run);
      const { event, name, decision } = run;
      emit({ type: "hook.decided", callId: call.id, tool, event, name, decision });
    });
  }

  return {
    async before(call: Injected, path: OnTheWay, signal?: AbortSignal): Promise<Injected> {
      const runs: HookRun[] = [];
      const ask = askerFor(call, signal, runs);
      try {
        const refusal = await sessions.refusal(call, ask);
        return withRuns(refusal ? withVerdict(call, refusal) : await judge(call, path, ask), runs);
      } catch (thrown) {
        throw signal?.aborted ? givenUp(call) : thrown;
      }
    },
    async after(call: Executed, signal?: AbortSignal): Promise<Executed> {
      const runs: HookRun[] = [];
      return withRuns(await review(call, askerFor(call, signal, runs)), runs);
    },
    /** Only told: a conversation that is over is over. */
    async ended(conversation: string, principal: Principal): Promise<void> {
      const about = { principal, session: conversation, tool: "" };
      await sessions.end(
        principal,
        conversation,
        asker(about, () => undefined),
      );
    },
  };
}

function withRuns<T extends Requested>(call: T, runs: HookRun[]): T {
  return runs.length === 0 ? call : { ...call, hooks: [...(call.hooks ?? []), ...runs] };
}

function givenUp({ tool: { name } }: Injected): PlaneError {
  const message = `The call of '${name}' was cancelled while its hooks were asked. It was not run.`;
  return new PlaneError("CANCELLED", message, { data: { tool: name } });
}

type HookSources = {
  /** The file that names a hook of the configuration. */
  fileOf(event: HookEvent, at: number): string | undefined;
  functions: LibraryHooks;
  projectDirectory: string;
  environment: Readonly<Record<string, string | undefined>>;
};

/** The hooks of an event that are there for a tool; a session has none, which is an empty name. */
type FindHooks = (event: HookEvent, tool: string) => Hook[];

/** First the configured commands, then the functions. The engine is large, and not needed where all are for every tool. */
async function createFindHooks(settings: HookSettings, sources: HookSources): Promise<FindHooks> {
  const hooks = allHooks(settings, sources);
  const patterns = [...new Set(hooks.map(({ matcher }) => matcher))].filter((one) => one !== everyTool);
  if (patterns.length === 0) return (event) => hooks.filter((hook) => hook.event === event);
  const { createPatternSet } = await import("../../lib/text/linear-pattern.ts");
  const matchingIn = createPatternSet(patterns);
  return (event, tool) => {
    const matching = new Set([everyTool, ...matchingIn(tool).map((at) => patterns[at])]);
    return hooks.filter((hook) => hook.event === event && matching.has(hook.matcher));
  };
}

function allHooks(settings: HookSettings, { fileOf, functions, projectDirectory, environment }: HookSources): Hook[] {
  return hookEvents.flatMap((event) => [
    ...settings[event].map((hook, at) =>
      commandHook(event, hook, { file: fileOf(event, at), projectDirectory, environment }),
    ),
    ...(functions[event] ?? []).map((hook, at) => functionHook(event, hook, at)),
  ]);
}
