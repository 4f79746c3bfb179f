import { randomBytes } from "node:crypto";
import { stableJson } from "../../lib/json/stable-json.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { missingCapability } from "./envelope.ts";
import { type Answer, failure, objectIn, type Request, type RequestContext, type Responder } from "./request.ts";
import { completed } from "./wire.ts";

/** Distinguishes our handles from servers' states. */
const prefix = "toolplane.";
const aliveMs = 300_000;
const maxPerCaller = 64;

type Question = { asked: { method: string; params: UnknownObject }; answer(result: UnknownObject): void };

type Parked = {
  request: Request;
  ended: AbortController;
  done: Promise<Answer>;
  questions: Map<string, Question>;
  asked: number;
  /** The request that waits for it now. */
  context: RequestContext | null;
  wake(): void;
};

type Waiting = Map<string, { parked: Parked; owner: string; key: string; timer: NodeJS.Timeout }>;
export type ParkedRequests = ReturnType<typeof createParkedRequests>;

/**
 * A modern server cannot ask: it answers with its question, and the client returns with the answer. A legacy server's
 * request runs on meanwhile, under a handle that only the same caller can use once.
 */
export function createParkedRequests() {
  const waiting: Waiting = new Map();
  return {
    /** Begins a request that may have to be parked, or continues one under its handle. */
    async answer(request: Request, context: RequestContext, respond: Responder): Promise<Answer> {
      const { requestState } = request.params;
      if (typeof requestState !== "string" || !requestState.startsWith(prefix))
        return attend(waiting, begin(request, context, respond), context);
      const { parked, owner, key } = waiting.get(requestState) ?? {};
      if (!parked || owner !== ownerOf(context) || key !== keyOf(request))
        return failure(-32602, "requestState is not known here, or its time is over. Make the request anew.");
      forget(waiting, requestState);
      const given = objectIn(request.params, "inputResponses");
      for (const [name, question] of [...parked.questions]) {
        const answered = Object.hasOwn(given, name) ? given[name] : undefined;
        if (isObject(answered)) question.answer(answered);
      }
      return attend(waiting, parked, context);
    },
    size: () => waiting.size,
    close(): void {
      for (const handle of [...waiting.keys()]) forget(waiting, handle, "the plane is stopping");
    },
  };
}

function begin(request: Request, context: RequestContext, respond: Responder): Parked {
  const { promise: done, resolve, reject } = Promise.withResolvers<Answer>();
  const ended = new AbortController();
  const parked: Parked = { request, ended, done, questions: new Map(), asked: 0, context, wake: () => undefined };
  const inside: RequestContext = {
    ...context,
    signal: ended.signal,
    notify: (method, params) => parked.context?.notify(method, params),
    ask: (method, params, signal) => askIn(parked, method, params, signal),
    lacks(required) {
      resolve({ error: missingCapability(required) });
      ended.abort(new Error("the client cannot be asked that"));
    },
  };
  respond(request, inside).then(resolve, reject);
  return parked;
}

/** With a reason, its request is given up too. */
function forget(waiting: Waiting, handle: string, reason?: string): void {
  const found = waiting.get(handle);
  waiting.delete(handle);
  clearTimeout(found?.timer);
  if (reason !== undefined) found?.parked.ended.abort(new Error(reason));
}

function park(waiting: Waiting, parked: Parked, context: RequestContext): Answer {
  const owner = ownerOf(context);
  const mine = [...waiting].filter(([, other]) => other.owner === owner);
  for (const [handle] of mine.slice(0, Math.max(0, mine.length - maxPerCaller + 1)))
    forget(waiting, handle, "too many of this caller's requests wait for an answer");
  const requestState = `${prefix}${randomBytes(24).toString("base64url")}`;
  const timer = setTimeout(() => forget(waiting, requestState, "it was not answered in time"), aliveMs).unref();
  waiting.set(requestState, { parked, owner, key: keyOf(parked.request), timer });
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
  return answer ?? park(waiting, parked, context);
}

function askIn(parked: Parked, method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
  const key = `question-${++parked.asked}`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const settle = () => {
      parked.questions.delete(key);
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      settle();
      reject(signal.reason);
    };
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

function keyOf({ method, params }: Request): string {
  return JSON.stringify([method, params.name ?? params.uri, params.arguments ?? {}]);
}
