import { sameJson, withoutUndefined } from "../../lib/json/plain-data.ts";
import { createLru } from "../../lib/lru.ts";
import type {
  GuardPrompt,
  HookEvent,
  HookSettings,
  LibraryHooks,
} from "../../model/access/hook.ts";
import { anyToolMatcher, hookEvents } from "../../model/access/hook.ts";
import type { Executed, Injected, Requested } from "../../model/calls/call.ts";
import type { HookRun, Verdict } from "../../model/calls/call-schema.ts";
import { normalizeResult, type ToolResult } from "../../model/calls/result.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { type Face, mayDo, type Principal } from "../../model/principal.ts";
import {
  type HookJudgement,
  type HookRequest,
  type RunHooks,
  runInTurn,
  toolFacts,
} from "./ask-hooks.ts";
import { type HookContext, judge, withVerdict } from "./before-call.ts";
import { type CommandPlace, commandHook, functionHook, type Hook } from "./hook.ts";

const minSessions = 10_000;

type HookSources = Pick<CommandPlace, "projectDirectory" | "requireFiles" | "environment"> & {
  fileOf(event: HookEvent, index: number): string | undefined;
  functions: LibraryHooks;
};

export type HookPorts = HookSources & {
  settings(): HookSettings;
  emit(event: PlaneEvent): void;
};

type AskerContext = {
  principal: Principal;
  session: string;
  tool: string;
  signal?: AbortSignal | undefined;
  onRun?(run: HookRun): void;
};

export function createHooks({ settings, emit, ...sources }: HookPorts) {
  const findersBySettings = new WeakMap<HookSettings, Promise<FindHooks>>();
  const sessions = createHookSessions();

  function currentFinder(): Promise<FindHooks> {
    const currentSettings = settings();
    const finder =
      findersBySettings.get(currentSettings) ?? createFindHooks(currentSettings, sources);
    findersBySettings.set(currentSettings, finder);
    return finder;
  }

  function asker({
    principal,
    session,
    tool,
    signal,
    onRun = () => undefined,
  }: AskerContext): RunHooks {
    const about = {
      session_id: session,
      user_email: principal.user,
      compliance_level: principal.compliance,
    };
    const showsDetail = mayDo(principal, "admin");
    return async (event, { payload, ...how }) => {
      const hooks = (await currentFinder())(event, event.startsWith("Session") ? "" : tool);
      const call = { hook_event_name: event, ...about, payload };
      return runInTurn(hooks, { ...how, call, showsDetail, signal, onRun });
    };
  }

  function askerFor(
    { id, tool, principal, options }: Injected,
    signal: AbortSignal | undefined,
    runs: HookRun[],
  ) {
    function onRun(run: HookRun) {
      runs.push(run);
      const { event, name, decision } = run;
      emit({ type: "hook.decided", callId: id, tool: tool.name, event, name, decision });
    }

    return asker({
      principal,
      session: options.conversation ?? id,
      tool: tool.name,
      signal,
      onRun,
    });
  }

  return {
    async before(call: Injected, path: HookContext, signal?: AbortSignal): Promise<Injected> {
      const runs: HookRun[] = [];
      const ask = askerFor(call, signal, runs);
      try {
        const refusal = await sessions.refusal(call, ask);
        return withRuns(refusal ? withVerdict(call, refusal) : await judge(call, path, ask), runs);
      } catch (thrown) {
        if (!signal?.aborted) throw thrown;
        const { name } = call.tool;
        const text = `The call of '${name}' was cancelled while its hooks were asked. It was not run.`;
        throw new PlaneError("CANCELLED", text, { data: { tool: name } });
      }
    },
    async after(call: Executed, signal?: AbortSignal): Promise<Executed> {
      const runs: HookRun[] = [];
      return withRuns(await review(call, askerFor(call, signal, runs)), runs);
    },
    /** A question may be changed; what is said to a model then is said, or not. No person is asked. */
    async guardPrompt(
      ...[event, payload, { run, model: tool, ...about }]: Parameters<GuardPrompt>
    ): Promise<JsonObject> {
      function onRun({ name, decision }: HookRun) {
        return emit({ type: "hook.decided", callId: run, tool, event, name, decision });
      }

      const ask = asker({ ...about, tool, onRun });

      function deny(reason: string, hook: string | null) {
        const text = `The model '${tool}' was not asked: ${reason}.`;
        return new PlaneError("APPROVAL_DENIED", text, { data: { model: tool, hook } });
      }

      // A conversation begins with its first question, and not with the first call.
      const { principal, session: conversation } = about;
      const refused = await sessions.beginning({ principal, conversation, face: "agent" }, ask);
      if (refused) throw deny(refused.reason, refused.origin.replace(/^hook:/, ""));
      const change = event === "UserPromptSubmit" ? changePrompt : refuseChange;
      const judged = await ask(event, { payload, change, mayAsk: false });
      if (judged.decision === "deny") throw deny(judged.reason ?? "a hook decided so", judged.by);
      return judged.payload;
    },
    async ended(conversation: string, principal: Principal): Promise<void> {
      await sessions.end(
        principal,
        conversation,
        asker({ principal, session: conversation, tool: "" }),
      );
    },
  };
}

function withRuns<T extends Requested>(call: T, runs: HookRun[]): T {
  if (runs.length === 0) return call;
  return { ...call, hooks: [...(call.hooks ?? []), ...runs] };
}

type FindHooks = (event: HookEvent, tool: string) => Hook[];

/** Commands first, then functions. The pattern engine is large, and loaded only where a hook has a pattern. */
async function createFindHooks(settings: HookSettings, sources: HookSources): Promise<FindHooks> {
  const { fileOf, functions, ...location } = sources;
  const hooks = hookEvents.flatMap((event) => [
    ...settings[event].map((hook, index) =>
      commandHook(event, hook, { ...location, file: fileOf(event, index) }),
    ),
    ...(functions[event] ?? []).map((hook, index) => functionHook(event, hook, index)),
  ]);
  const patterns = [...new Set(hooks.map(({ matcher }) => matcher))].filter(
    (pattern) => pattern !== anyToolMatcher,
  );
  if (patterns.length === 0) return (event) => hooks.filter((hook) => hook.event === event);
  const { createPatternSet } = await import("../../lib/text/linear-pattern.ts");
  const matchingIn = createPatternSet(patterns);
  return (event, tool) => {
    const matching = new Set([anyToolMatcher, ...matchingIn(tool).map((index) => patterns[index])]);
    return hooks.filter((hook) => hook.event === event && matching.has(hook.matcher));
  };
}

const changeNothing: HookRequest["change"] = (payload) => ({ payload });

const changePrompt: HookRequest["change"] = (payload, changes) => {
  const { prompt = payload.prompt, ...otherChanges } = changes;
  if (typeof prompt !== "string" || prompt.trim() === "")
    return { failed: "its 'payload.prompt' is no text" };
  const unchanged = refuseChange(payload, otherChanges);
  if ("failed" in unchanged) return unchanged;
  return { payload: { ...payload, prompt } };
};

/** What it took out would reach the model all the same. */
const refuseChange: HookRequest["change"] = (payload, changes) => {
  const changed = Object.keys(changes).find((key) => !sameJson(changes[key], payload[key]));
  if (changed === undefined) return { payload };
  return { failed: `it changes '${changed}', which this event cannot` };
};

export function createHookSessions() {
  const sessionStarts = createLru<Promise<HookJudgement>>(minSessions);
  const keyOf = ({ user }: Principal, conversation: string) => JSON.stringify([user, conversation]);

  /** Why a conversation may not begin; null when it may, or has begun. */
  async function beginning(
    about: { principal: Principal; conversation: string; face: Face },
    askHooks: RunHooks,
  ): Promise<Verdict | null> {
    const key = keyOf(about.principal, about.conversation);
    const earlier = sessionStarts.get(key);
    const payload = { face: about.face };
    const judging =
      earlier ?? askHooks("SessionStart", { payload, change: changeNothing, mayAsk: false });
    sessionStarts.set(key, judging);
    const judged = await judging.catch((thrown) => {
      if (sessionStarts.get(key) === judging) sessionStarts.delete(key);
      // Another caller who gave up must not fail this one.
      if (earlier) return null;
      throw thrown;
    });
    if (judged === null) return beginning(about, askHooks);
    if (judged.decision !== "deny") return null;
    sessionStarts.delete(key);
    return {
      verdict: "deny",
      origin: `hook:${judged.by}`,
      reason: judged.reason ?? "a hook decided so",
    };
  }

  return {
    beginning,
    /** The same for the conversation of a call; null where there is none. */
    refusal(
      { principal, face, options: { conversation } }: Injected,
      askHooks: RunHooks,
    ): Promise<Verdict | null> {
      if (conversation === undefined) return Promise.resolve(null);
      return beginning({ principal, conversation, face }, askHooks);
    },
    async end(principal: Principal, conversation: string, askHooks: RunHooks): Promise<void> {
      sessionStarts.delete(keyOf(principal, conversation));
      await askHooks("SessionEnd", { payload: {}, change: changeNothing, mayAsk: false });
    },
  };
}

/** The result as hooks leave it. The tool's own result is kept beside it, for its health and the record. */
export async function review(call: Executed, askHooks: RunHooks): Promise<Executed> {
  const { result, attempts } = call.executed;
  const success = result.isError !== true;
  const payload: JsonObject = {
    ...toolFacts(call, call.approval),
    success,
    content: result.content as Json,
    ...withoutUndefined({ structured_content: result.structuredContent }),
    is_error: !success,
    duration_ms: attempts.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
  try {
    const judged = await askHooks("PostToolUse", { payload, change: changeResult, mayAsk: false });
    if (judged.decision === "deny")
      return replaced(call, withheld(call, judged.reason ?? "a hook decided so"), judged.by);
    const isSame = judged.payload === payload || sameJson(judged.payload, payload);
    if (isSame) return call;
    return replaced(call, toResult(result, payload, judged), judged.by);
  } catch {
    // A result that was not reviewed is not handed out.
    return replaced(call, withheld(call, "the hooks were not asked to the end"), null);
  }
}

function replaced(call: Executed, result: ToolResult, by: string | null): Executed {
  const { executed } = call;
  const warnings =
    by === null ? executed.warnings : [...executed.warnings, `Hook '${by}' changed the result.`];
  return { ...call, executed: { ...executed, result, warnings, replacedResult: executed.result } };
}

function withheld({ tool }: Executed, reason: string): ToolResult {
  const text = `'${tool.name}' ran, but its result was withheld: ${reason}.`;
  return { content: [{ type: "text", text }], isError: true };
}

/** New content replaces the whole result, so that nothing old tells what was taken out. */
function toResult(result: ToolResult, before: JsonObject, { payload }: HookJudgement): ToolResult {
  const { content, structured_content: structuredContent, success } = payload;
  const isError = success !== true;
  const isNew =
    !sameJson(content, before.content) || !sameJson(structuredContent, before.structured_content);
  if (!isNew) return { ...result, isError };
  return normalizeResult({
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    ...withoutUndefined({ structuredContent }),
    isError,
  }).result;
}

const changeResult: HookRequest["change"] = (payload, changes) => {
  const { content, structured_content, success, is_error } = changes;
  if (content !== undefined && typeof content !== "string" && !isBlocks(content))
    return { failed: "its 'payload.content' is neither text nor a list of content blocks" };
  if ([success, is_error].some((flag) => flag !== undefined && typeof flag !== "boolean"))
    return { failed: "its 'payload.success' is not true or false" };
  const succeeds = newSuccess(payload.success === true, success, is_error);
  const { structured_content: old, ...facts } = payload;
  // Structured content repeats the content: what was taken out of one must not stay in the other.
  const isStale =
    content !== undefined &&
    !sameJson(content, payload.content) &&
    sameJson(structured_content ?? old, old);
  const structured = structured_content === undefined ? old : structured_content;
  const changed = withoutUndefined({
    content,
    structured_content: isStale ? undefined : (structured ?? undefined),
  });
  return {
    payload: { ...facts, ...(changed as JsonObject), success: succeeds, is_error: !succeeds },
  };
};

/** A hook that passes both flags on and changes one of them means that one. */
function newSuccess(now: boolean, success: Json | undefined, isError: Json | undefined): boolean {
  if (typeof success === "boolean" && success !== now) return success;
  return typeof isError === "boolean" ? !isError : now;
}

function isBlocks(content: Json): boolean {
  return (
    Array.isArray(content) &&
    content.every((block) => isObject(block) && typeof block.type === "string")
  );
}
