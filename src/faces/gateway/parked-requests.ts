import { randomBytes } from "node:crypto";
import { ownField } from "../../lib/json/plain-data.ts";
import { stableJson } from "../../lib/json/stable-json.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { missingCapability } from "./envelope.ts";
import { CancellableRequest } from "./exchange.ts";
import {
  failure,
  objectParam,
  type Request,
  type RequestContext,
  type Responder,
  type RpcAnswer,
} from "./request.ts";
import { completed } from "./wire.ts";

/** Distinguishes our handles from servers' states. */
const prefix = "toolplane.";
const aliveMs = 300_000;
const maxPerCaller = 64;

type Question = {
  request: { method: string; params: UnknownObject };
  answer(result: UnknownObject): void;
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
    answer(request: Request, context: RequestContext, respond: Responder): Promise<RpcAnswer> {
      const { requestState } = request.params;
      if (typeof requestState !== "string" || !requestState.startsWith(prefix))
        return new Parked(request, context, waiting).begin(respond);
      const { parked, owner, key } = waiting.get(requestState) ?? {};
      if (!parked || owner !== ownerOf(context) || key !== keyOf(request))
        return Promise.resolve(
          failure(
            -32602,
            "requestState is not known here, or its time is over. Make the request again.",
          ),
        );
      forget(waiting, requestState);
      return parked.goOn(context, objectParam(request.params, "inputResponses"));
    },
    size: () => waiting.size,
    close(): void {
      for (const handle of [...waiting.keys()]) forget(waiting, handle, "the plane is stopping");
    },
  };
}

/** A request while it runs, for whichever of its client's requests waits for it. Most ask nothing and are never parked. */
class Parked extends CancellableRequest implements RequestContext {
  readonly request: Request;
  readonly era = "modern";
  readonly questions = new Map<string, Question>();
  readonly #first: RequestContext;
  readonly #waiting: Waiting;
  /** The request that waits for it now. */
  #context: RequestContext | null = null;
  #reply: PromiseWithResolvers<RpcAnswer> | null = null;
  /** What it ended with while no request waited for it. */
  #ended: { answer: RpcAnswer } | { thrown: unknown } | null = null;
  #asked = 0;

  constructor(request: Request, context: RequestContext, waiting: Waiting) {
    super();
    this.request = request;
    this.#first = context;
    this.#waiting = waiting;
  }

  get principal() {
    return this.#first.principal;
  }

  get conversation() {
    return this.#first.conversation;
  }

  get view() {
    return this.#first.view;
  }

  get client() {
    return this.#first.client;
  }

  get tools() {
    return this.#first.tools;
  }

  get logLevel() {
    return this.#first.logLevel;
  }

  notify(method: string, params: UnknownObject): void {
    this.#context?.notify(method, params);
  }

  lacks(required: UnknownObject): void {
    this.#end({ answer: { error: missingCapability(required) } });
    this.cancel(new Error("the client cannot be asked that"));
  }

  begin(respond: Responder): Promise<RpcAnswer> {
    const reply = this.#attend(this.#first);
    respond(this.request, this).then(
      (answer) => this.#end({ answer }),
      (thrown) => this.#end({ thrown }),
    );
    return reply;
  }

  goOn(context: RequestContext, responses: UnknownObject): Promise<RpcAnswer> {
    for (const [name, question] of [...this.questions]) {
      const response = ownField(responses, name);
      if (isObject(response)) question.answer(response);
    }
    return this.#attend(context);
  }

  ask(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
    const key = `question-${++this.#asked}`;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const settle = () => {
        this.questions.delete(key);
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
      this.questions.set(key, { request: { method, params }, answer });
      this.#wake();
    });
  }

  /** Until it is done or asks something. */
  #attend(context: RequestContext): Promise<RpcAnswer> {
    const reply = Promise.withResolvers<RpcAnswer>();
    this.#context = context;
    this.#reply = reply;
    this.follow(context.cancellation ?? context.signal);
    if (this.#ended) this.#end(this.#ended);
    else if (this.questions.size > 0) this.#wake();
    return reply.promise;
  }

  /** A turn later, so that questions asked together leave together. */
  #wake(): void {
    const reply = this.#reply;
    if (reply === null) return;
    setImmediate(() => {
      if (this.#reply !== reply || this.questions.size === 0) return;
      const context = this.#leave();
      reply.resolve(park(this.#waiting, this, context));
    });
  }

  #end(ended: { answer: RpcAnswer } | { thrown: unknown }): void {
    this.#ended ??= ended;
    const reply = this.#reply;
    if (reply === null) return;
    const context = this.#leave();
    context.receipt = this.receipt;
    if ("answer" in this.#ended) reply.resolve(this.#ended.answer);
    else reply.reject(this.#ended.thrown);
  }

  /** No request of its client comes for the answer. */
  forget(reason: string): void {
    this.cancel(new Error(reason));
    void this.receipt?.().catch(() => undefined);
  }

  #leave(): RequestContext {
    const context = this.#context as RequestContext;
    this.unfollow();
    this.#context = null;
    this.#reply = null;
    return context;
  }
}

/** With a reason, its request is given up too. */
function forget(waiting: Waiting, handle: string, reason?: string): void {
  const waitingRequest = waiting.get(handle);
  waiting.delete(handle);
  clearTimeout(waitingRequest?.timer);
  if (reason !== undefined) waitingRequest?.parked.forget(reason);
}

function park(waiting: Waiting, parked: Parked, context: RequestContext): RpcAnswer {
  const owner = ownerOf(context);
  const ofOwner = [...waiting].filter(([, waitingRequest]) => waitingRequest.owner === owner);
  for (const [handle] of ofOwner.slice(0, Math.max(0, ofOwner.length - maxPerCaller + 1)))
    forget(waiting, handle, "too many of this caller's requests wait for an answer");
  const requestState = `${prefix}${randomBytes(24).toString("base64url")}`;
  const timer = setTimeout(
    () => forget(waiting, requestState, "it was not answered in time"),
    aliveMs,
  ).unref();
  waiting.set(requestState, { parked, owner, key: keyOf(parked.request), timer });
  const inputRequests = Object.fromEntries(
    [...parked.questions].map(([key, { request }]) => [key, request]),
  );
  return { result: completed({ resultType: "input_required", inputRequests, requestState }) };
}

function ownerOf({ principal, view }: RequestContext): string {
  return stableJson([principal, view]);
}

function keyOf({ method, params }: Request): string {
  return JSON.stringify([method, params.name ?? params.uri, params.arguments ?? {}]);
}
