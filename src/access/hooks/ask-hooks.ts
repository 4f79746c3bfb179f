import { abortable } from "../../lib/async/signals.ts";
import { TimeLimiter } from "../../lib/async/time-limit.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { redact } from "../../lib/text/redact.ts";
import type { HookCall, HookDecision, HookEvent } from "../../model/access/hook.ts";
import { hookDecisions } from "../../model/access/hook.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { HookRun, Verdict } from "../../model/calls/call-schema.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Hook, HookReply } from "./hook.ts";

const maxReasonLength = 500;
/** A longer text is cut before it is searched for secrets. */
const maxReadLength = 4_000;

export type HookRequest = {
  call: HookCall;
  showsDetail: boolean;
  change(payload: JsonObject, changes: JsonObject): { payload: JsonObject } | { failed: string };
  mayAsk: boolean;
  signal: AbortSignal | undefined;
  onRun(run: HookRun): void;
};

export type HookJudgement = {
  decision: HookDecision;
  by: string;
  reason: string | null;
  payload: JsonObject;
};

export type RunHooks = (
  event: HookEvent,
  question: Pick<HookRequest, "change" | "mayAsk"> & { payload: JsonObject },
) => Promise<HookJudgement>;

/** What a hook learns about a call. Injected arguments are not among them. */
export function toolFacts({ id, tool, input }: Injected, { verdict }: Verdict): JsonObject {
  const { name, id: toolId, metadata } = tool;
  const about = { tool_name: name, server: toolId.server, tool_call_id: id };
  return { ...about, arguments: input.arguments, verdict, side_effects: metadata.side_effects };
}

/** In order: each hook sees the payload as those before it left it, and a deny ends it. */
export async function runInTurn(
  hooks: readonly Hook[],
  request: HookRequest,
): Promise<HookJudgement> {
  let judged: HookJudgement = {
    decision: "continue",
    by: "",
    reason: null,
    payload: request.call.payload,
  };
  for (const hook of hooks) {
    const startedAt = performance.now();
    const reply = applied(judged.payload, await ask(hook, judged.payload, request), request);
    const { decision, reason, payload, failed } = settled(hook, reply, request.showsDetail);
    const ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
    const run: HookRun = { event: hook.event, name: hook.name, decision, reason, ms };
    if (failed) run.failed = failed;
    request.onRun(run);
    const isStricter = hookDecisions.indexOf(decision) > hookDecisions.indexOf(judged.decision);
    const counts = isStricter || (decision === "modify" && judged.decision === "modify");
    const leading = counts
      ? { decision, by: hook.name, reason: sentenceOf(hook, reason, failed) }
      : judged;
    judged = { ...leading, payload: payload ?? judged.payload };
    if (decision === "deny") break;
  }
  return judged;
}

async function ask(
  hook: Hook,
  payload: JsonObject,
  { call, signal }: HookRequest,
): Promise<HookReply> {
  const limiter = new TimeLimiter(hook.timeoutMs, { capMs: hook.timeoutMs, caller: signal });
  try {
    return await abortable(hook.ask({ ...call, payload }, limiter.signal), limiter.signal);
  } catch (thrown) {
    if (limiter.isExpired)
      return { failed: `it took longer than ${hook.timeoutMs / 1000} s, its 'timeout_ms'` };
    if (limiter.isCancelled) throw thrown;
    return {
      failed: "it threw an error",
      detail: thrown instanceof Error ? thrown.message : String(thrown),
    };
  } finally {
    limiter.clear();
  }
}

function applied(
  payload: JsonObject,
  reply: HookReply,
  { change, mayAsk }: HookRequest,
): HookReply {
  if ("failed" in reply) return reply;
  const asksByPayload =
    mayAsk && reply.decision === "modify" && reply.payload?.needs_approval === true;
  const decision = asksByPayload ? "require_approval" : reply.decision;
  if (decision === "require_approval" && !mayAsk)
    return { failed: "it asks for approval, which this event cannot" };
  if (reply.payload === null || (decision !== "modify" && decision !== "require_approval"))
    return { ...reply, payload: null };
  const changed = change(payload, reply.payload);
  if ("failed" in changed) return changed;
  return { ...reply, decision, payload: changed.payload };
}

type Settled = Pick<HookRun, "decision" | "reason" | "failed"> & { payload: JsonObject | null };

function settled({ onError }: Hook, reply: HookReply, showsDetail: boolean): Settled {
  if (!("failed" in reply)) return { ...reply, reason: readable(reply.reason) };
  const detail = showsDetail ? readable(reply.detail ?? "") : null;
  return {
    decision: onError === "deny" ? "deny" : "continue",
    reason: detail === null ? reply.failed : `${reply.failed}: ${detail}`,
    payload: null,
    failed: true,
  };
}

function sentenceOf(
  { name, event }: Hook,
  reason: string | null,
  failed: true | undefined,
): string {
  if (failed)
    return `hook '${name}' (${event}) failed: ${reason}; correct it, or change its 'on_error'`;
  const saying = reason === null ? "says so" : `says: ${reason}`;
  return `hook '${name}' (${event}) ${saying}`;
}

/** Foreign text that may be shown, without its full stop; null when there is none. */
function readable(text: string): string | null {
  const safe = redact(plainText(text.slice(0, maxReadLength)))
    .trim()
    .slice(0, maxReasonLength);
  return safe.replace(/(?<![.\s])[.\s]+$/, "") || null;
}
