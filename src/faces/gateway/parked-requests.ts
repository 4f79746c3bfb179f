import { randomBytes } from "node:crypto";
import { stableJson } from "../../lib/json/stable-json.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { missingCapability } from "./envelope.ts";
import { type Answer, failure, type RequestContext } from "./request.ts";
import { completed } from "./wire.ts";

/** Distinguishes our handles from servers' states. */
const prefix = "toolplane.";
const aliveMs = 300_000;
const maxPerCaller = 64;

type Question = { asked: { method: string; params: UnknownObject }; answer(result: UnknownObject): void };

type Parked = {
  owner: string;
  request: string;
  ended: AbortController;
  done: Promise<Answer>;
  questions: Map<string, Question>;
  asked: number;
  /** The request that waits for it now. */
  context: RequestContext | null;
  wake(): void;
};

type Waiting = Map<string, { parked: Parked; timer: NodeJS.Timeout }>;
export type ParkedRequests = ReturnType<typeof createParkedRequests>;

/**
 * A modern server cannot ask: it answers with its question, and the client returns with the answer. A legacy server's
 * request runs on meanwhile, under a handle that only the same caller can use once.
 */
export function createParkedRequests() {
  const waiting: Waiting = new Map();
  return {
    /** Runs a request that may have to be parked. */
    begin(
      context: RequestContext,
      request: string,
      run: (context: RequestContext) => Promise<Answer>,
    ): Promise<Answer> {
      return attend(waiting, begin(context, request, run), context);
    },
    /** Null when this is no handle of ours. */
    async resume(context: RequestContext, request: string, params: UnknownObject): Promise<Answer | null> {
      const { requestState, inputResponses } = params;
      if (typeof requestState !== "string" || !requestState.startsWith(prefix)) return null;
      const { parked } = waiting.get(requestState) ?? {};
      if (!parked || parked.owner !== ownerOf(context) || parked.request !== request)
        return failure(-32602, "requestState is not known here, or its time is over. Make the request anew.");
      forget(waiting, requestState);
      const given = isObject(inputResponses) ? inputResponses : {};
      for (const [key, question] of [...parked.questions]) {
        const answered = Object.hasOwn(given, key) ? given[key] : undefined;
        if (isObject(answered)) question.answer(answered);
      }
      return attend(waiting, parked, context);
    },
    size: () => waiting.size,
    close(): void {
      for (const handle of [...waiting.keys()])
        forget(waiting, handle)?.ended.abort(new Error("the plane is stopping"));
    },
  };
}

function begin(context: RequestContext, request: string, run: (context: RequestContext) => Promise<Answer>): Parked {
  const lacked = Promise.withResolvers<Answer>();
  const parked: Parked = {
    owner: ownerOf(context),
    request,
    ended: new AbortController(),
    done: lacked.promise,
    questions: new Map(),
    asked: 0,
    context,
    wake: () => undefined,
  };
  const lacks = (required: UnknownObject) => {
    lacked.resolve({ error: missingCapability(required) });
    parked.ended.abort(new Error("the client cannot be asked that"));
  };
  const inside: RequestContext = {
    ...context,
    signal: parked.ended.signal,
    notify: (method, params) => parked.context?.notify(method, params),
    ask: (method, params, signal) => askIn(parked, method, params, signal),
    lacks,
  };
  run(inside).then(lacked.resolve, lacked.reject);
  return parked;
}

function forget(waiting: Waiting, handle: string): Parked | undefined {
  const found = waiting.get(handle);
  if (!found) return undefined;
  clearTimeout(found.timer);
  waiting.delete(handle);
  return found.parked;
}

function park(waiting: Waiting, parked: Parked): Answer {
  const mine = [...waiting].filter(([, other]) => other.parked.owner === parked.owner);
  for (const [handle] of mine.slice(0, Math.max(0, mine.length - maxPerCaller + 1)))
    forget(waiting, handle)?.ended.abort(new Error("too many of this caller's requests wait for an answer"));
  const requestState = `${prefix}${randomBytes(24).toString("base64url")}`;
  const giveUp = () => forget(waiting, requestState)?.ended.abort(new Error("it was not answered in time"));
  waiting.set(requestState, { parked, timer: setTimeout(giveUp, aliveMs).unref() });
  const inputRequests = Object.fromEntries([...parked.questions].map(([key, { asked }]) => [key, asked]));
  return { result: completed({ resultType: "input_required", inputRequests, requestState }) };
}

/** Until it is done or asks something. */
async function attend(waiting: Waiting, parked: Parked, context: RequestContext): Promise<Answer> {
  const { signal } = context;
  const onAbort = () => parked.ended.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  parked.context = context;
  const asked = new Promise<null>((resolve) => {
    // A turn later, so that questions asked together leave together.
    parked.wake = () => void setImmediate(() => parked.questions.size > 0 && resolve(null));
    if (parked.questions.size > 0) parked.wake();
  });
  const answer = await Promise.race([parked.done, asked]);
  signal.removeEventListener("abort", onAbort);
  parked.context = null;
  parked.wake = () => undefined;
  return answer ?? park(waiting, parked);
}

function askIn(parked: Parked, method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
  parked.asked += 1;
  const key = `question-${parked.asked}`;
  return new Promise((resolve, reject) => {
    const settle = () => {
      parked.questions.delete(key);
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      settle();
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const answer = (result: UnknownObject) => {
      settle();
      resolve(result);
    };
    parked.questions.set(key, { asked: { method, params }, answer });
    parked.wake();
  });
}

function ownerOf({ principal, view }: RequestContext): string {
  return stableJson([principal, view]);
}
