import { abortable } from "../../lib/async/signals.ts";
import { limitTime } from "../../lib/async/time-limit.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { redact } from "../../lib/text/redact.ts";
import {
  type HookCall,
  type HookDecision,
  type HookEvent,
  type HookRun,
  hookDecisions,
} from "../../model/access/hook.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Hook } from "./hook.ts";
import type { Said } from "./read-answer.ts";

const maxReason = 500;
/** More is not even looked at. */
const maxRead = 4_000;

export type Asked = {
  call: HookCall;
  /** May whoever called read what a broken hook wrote? */
  showsDetail: boolean;
  /** The payload with what a hook may change of it, or what is wrong with the change. */
  change(payload: JsonObject, changes: JsonObject): { payload: JsonObject } | { failed: string };
  /** Is there still somebody to ask? */
  mayAsk: boolean;
  signal: AbortSignal | undefined;
  onRun(run: HookRun): void;
};

/** What all of them said together: the strictest counts, with who said it. */
export type Judged = { decision: HookDecision; by: string; reason: string | null; payload: JsonObject };

/** Asks the hooks of an event that are there for the tool of a call. */
export type AskHooks = (
  event: HookEvent,
  question: Pick<Asked, "change" | "mayAsk"> & { payload: JsonObject },
) => Promise<Judged>;

/** One after the other; each sees what those before it made of the payload, and a no ends it. */
export async function askInTurn(hooks: readonly Hook[], asked: Asked): Promise<Judged> {
  let judged: Judged = { decision: "continue", by: "", reason: null, payload: asked.call.payload };
  for (const hook of hooks) {
    const from = performance.now();
    const said = applied(judged.payload, await ask(hook, judged.payload, asked), asked);
    const { decision, reason, payload, failed } = settled(hook, said, asked.showsDetail);
    const ms = Math.round((performance.now() - from) * 1000) / 1000;
    asked.onRun({ event: hook.event, name: hook.name, decision, reason, ms, ...(failed ? { failed } : {}) });
    const isStricter = hookDecisions.indexOf(decision) > hookDecisions.indexOf(judged.decision);
    const counts = isStricter || (decision === "modify" && judged.decision === "modify");
    judged = {
      ...(counts ? { decision, by: hook.name, reason: sentenceOf(hook, reason, failed) } : judged),
      payload: payload ?? judged.payload,
    };
    if (decision === "deny") break;
  }
  return judged;
}

async function ask(hook: Hook, payload: JsonObject, { call, signal }: Asked): Promise<Said> {
  const limiter = limitTime(hook.timeoutMs, hook.timeoutMs, signal);
  try {
    return await abortable(hook.ask({ ...call, payload }, limiter.signal), limiter.signal);
  } catch (thrown) {
    if (limiter.expired()) return { failed: `it took longer than ${hook.timeoutMs / 1000} s, its 'timeout_ms'` };
    if (limiter.signal.aborted) throw thrown;
    return { failed: "it threw an error", detail: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    limiter.clear();
  }
}

function applied(payload: JsonObject, said: Said, { change, mayAsk }: Asked): Said {
  if ("failed" in said) return said;
  const asksByPayload = mayAsk && said.decision === "modify" && said.payload?.needs_approval === true;
  const decision = asksByPayload ? "require_approval" : said.decision;
  if (decision === "require_approval" && !mayAsk)
    return { failed: "it asks for a person's yes, and here nobody is asked" };
  if (said.payload === null || (decision !== "modify" && decision !== "require_approval"))
    return { ...said, payload: null };
  const changed = change(payload, said.payload);
  return "failed" in changed ? changed : { ...said, decision, payload: changed.payload };
}

type Settled = Pick<HookRun, "decision" | "reason" | "failed"> & { payload: JsonObject | null };

function settled({ onError }: Hook, said: Said, showsDetail: boolean): Settled {
  if (!("failed" in said)) return { ...said, reason: readable(said.reason) };
  const detail = showsDetail ? readable(said.detail ?? "") : null;
  return {
    decision: onError === "deny" ? "deny" : "continue",
    reason: detail === null ? said.failed : `${said.failed}: ${detail}`,
    payload: null,
    failed: true,
  };
}

function sentenceOf({ name, event }: Hook, reason: string | null, failed: true | undefined): string {
  if (failed) return `hook '${name}' (${event}) failed: ${reason}; correct it, or change its 'on_error'`;
  return reason === null ? `hook '${name}' (${event}) says so` : `hook '${name}' (${event}) says: ${reason}`;
}

/** Foreign text that may be shown; null when there is none. The end of the sentence is ours. */
function readable(text: string): string | null {
  const safe = redact(plainText(text.slice(0, maxRead)))
    .trim()
    .slice(0, maxReason)
    .replace(/[.\s]+$/, "");
  return safe === "" ? null : safe;
}
