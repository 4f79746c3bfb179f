import { createThrottle, type Throttle } from "../lib/async/throttle.ts";
import { sizeOf } from "../lib/json/json-text.ts";
import { createShortLivedMap } from "../lib/short-lived-map.ts";
import { isObject, objectOrEmpty, stringOrNull, type UnknownObject } from "../model/json.ts";
import {
  type AnswerRequest,
  type Channel,
  invalidAnswer,
  type OutgoingMessage,
  type RequestId,
  RpcError,
  TransportError,
} from "./message.ts";
import { toRpcError } from "./page-address.ts";
import type { Progress, RequestOptions } from "./session.ts";
import { changesMethod, describeStray, echoError, GivenUp, isEcho } from "./strays.ts";
import { createOpenTasks } from "./tasks/task.ts";

const failed = new RpcError(-32603, "it could not be answered");

/** Requests of the other side, answered by the request that caused them. `send` never rejects. */
function createPeerRequests(
  answererOf: (params: UnknownObject, relatesTo: RequestId | undefined) => AnswerRequest,
  send: (message: OutgoingMessage) => Promise<void>,
) {
  const controllers = new Map<RequestId, AbortController>();
  return {
    async take(
      id: RequestId,
      method: string,
      rawParams: unknown,
      relatesTo: RequestId | undefined,
    ): Promise<void> {
      if (method === "ping") return send({ jsonrpc: "2.0", id, result: {} });
      const params = objectOrEmpty(rawParams);
      const controller = new AbortController();
      controllers.set(id, controller);
      try {
        const result = await answererOf(params, relatesTo)(method, params, controller.signal);
        // A cancelled request gets no answer.
        if (!controller.signal.aborted) await send({ jsonrpc: "2.0", id, result });
      } catch (thrown) {
        if (controller.signal.aborted) return;
        const { code, message } = thrown instanceof RpcError ? thrown : failed;
        await send({ jsonrpc: "2.0", id, error: { code, message } });
      } finally {
        controllers.delete(id);
      }
    },
    cancel: (id: RequestId) => controllers.get(id)?.abort(),
    cancelAll(): void {
      for (const controller of controllers.values()) controller.abort();
    },
  };
}

export function parseProgress({ progress, total, message }: UnknownObject): Progress {
  return {
    progress: typeof progress === "number" ? progress : 0,
    total: typeof total === "number" ? total : null,
    message: stringOrNull(message),
  };
}

type Listener = Pick<RequestOptions, "onLog" | "by">;

/**
 * Goes to the named cause, or to those who wait where they are one person. Between two people it goes to neither. True
 * when it has an addressee.
 */
export function deliverLog(
  message: UnknownObject,
  cause: Listener | undefined,
  waiting: Iterable<Listener>,
): boolean {
  if (cause?.onLog) {
    cause.onLog(message);
    return true;
  }
  const [firstListener, ...otherListeners] = [...waiting].filter(
    ({ onLog }) => onLog !== undefined,
  );
  if (firstListener && otherListeners.every(({ by }) => by === firstListener.by))
    firstListener.onLog?.(message);
  return firstListener !== undefined;
}

/** Requests of ours that wait for their answer. */
export type WaitingRequests = {
  get(id: RequestId): Pick<Pending, "method" | "sentAt" | "options"> | undefined;
  values(): Iterable<Pick<Pending, "options">>;
};

/** Hears every message of a session; `take` is null while none is wanted. */
export type MessageTap = {
  take:
    | ((session: object, isSent: boolean, message: UnknownObject, waiting: WaitingRequests) => void)
    | null;
};

const unrecorded = { by: { take: null } as MessageTap, session: {} };

export type PeerHandlers = {
  recorded?: { by: MessageTap; session: object } | undefined;
  /** `isHeard` when its addressee has it already. */
  onNotification(method: string, params: UnknownObject, isHeard: boolean): void;
  /** For requests that belong to none of ours, or to an unknown one. */
  onRequest: AnswerRequest;
  /** A message that is neither an answer to us nor a request, in words. */
  onStray(what: string): void;
};

/** Of an answer: others get a turn between reading it and passing it on. */
const longLength = 256 * 1024;

/** Gets the answer: a promise, or a call that needs none. */
export type Waiter = { resolve(result: unknown): void; reject(reason: unknown): void };

type Pending = {
  id: RequestId;
  method: string;
  sentAt: number;
  waiter: Waiter;
  options: RequestOptions;
  onAbort: (() => void) | undefined;
  progress?: Throttle<Progress>;
  /** An answer to no request that came meanwhile. */
  stray?: string;
};

const maxProgressPerSecond = 10;
/** Of one connection, that are remembered. */
const maxCancelled = 100;

function throttleFor(options: RequestOptions): Throttle<Progress> {
  return createThrottle(maxProgressPerSecond, 1_000, (progress) => options.onProgress?.(progress));
}

export type Peer = {
  request(method: string, params?: UnknownObject, options?: RequestOptions): Promise<unknown>;
  /** As `request`, without a promise and a signal: the waiter is called once. */
  post(method: string, params: UnknownObject, options: RequestOptions, waiter: Waiter): RequestId;
  cancel(id: RequestId, reason: unknown): void;
  notify(method: string, params?: UnknownObject): void;
  receive(message: unknown, relatesTo?: RequestId): void;
  fail(reason: Error, id?: RequestId): void;
  /** Also cancels them at the other side. */
  cancelAll(reason: Error): void;
  /** Null when none waits. */
  oldestPendingAt(): number | null;
  heard(): number;
  pending(): number;
  /** Resolves once nothing is pending. */
  settled(): Promise<void>;
};

/** One side of a JSON-RPC connection. */
export function createPeer(channel: () => Channel, handlers: PeerHandlers): Peer {
  const outgoing = createOutgoing(channel, handlers.recorded ?? unrecorded);
  const { pending, request, post, sendQuietly, settle, cancel } = outgoing;
  const { receive, heard, questions } = createIncoming(outgoing, handlers);
  return {
    request,
    post,
    cancel,
    notify: (method, params = {}) => void sendQuietly({ jsonrpc: "2.0", method, params }),
    receive,
    fail(reason, id) {
      if (id !== undefined) return settle(id)?.waiter.reject(reason);
      for (const pendingRequest of pending.values())
        settle(pendingRequest.id)?.waiter.reject(reason);
      questions.cancelAll();
    },
    cancelAll(reason) {
      for (const { id } of pending.values()) cancel(id, reason);
    },
    // In the order of sending. The stream of changes waits for ever, and for nothing.
    oldestPendingAt: () =>
      pending.values().find(({ method }) => method !== changesMethod)?.sentAt ?? null,
    heard,
    pending: () => pending.size(),
    settled: outgoing.settled,
  };
}

type Outgoing = ReturnType<typeof createOutgoing>;

/** Our requests, until they are settled. */
function createOutgoing(
  channel: () => Channel,
  { by: tap, session }: NonNullable<PeerHandlers["recorded"]>,
) {
  const pending = createShortLivedMap<Pending>();
  /** Their answers may be on the way, and mean nothing any more. */
  const cancelled = new Set<RequestId>();
  let lastId = 0;
  let whenSettled: PromiseWithResolvers<void> | null = null;

  async function sendQuietly(message: OutgoingMessage): Promise<void> {
    if (tap.take !== null) tap.take(session, true, message, pending);
    try {
      await channel().send(message);
    } catch {
      // A lost connection is noticed elsewhere.
    }
  }

  function settle(id: RequestId): Pending | undefined {
    const pendingRequest = pending.get(id);
    if (pendingRequest === undefined) return undefined;
    pending.delete(id);
    if (pendingRequest.onAbort)
      pendingRequest.options.signal?.removeEventListener("abort", pendingRequest.onAbort);
    pendingRequest.progress?.flush();
    if (whenSettled !== null && pending.size() === 0) whenSettled.resolve();
    return pendingRequest;
  }

  async function settled(): Promise<void> {
    if (pending.size() === 0) return;
    whenSettled ??= Promise.withResolvers<void>();
    await whenSettled.promise;
  }

  function cancel(id: RequestId, reason: unknown): void {
    const pendingRequest = settle(id);
    if (pendingRequest === undefined) return;
    cancelled.add(id);
    for (const oldest of cancelled) if (cancelled.size > maxCancelled) cancelled.delete(oldest);
    // The handshake must not be cancelled, and of a ping there is nothing to cancel.
    const isCancelled = pendingRequest.method !== "initialize" && pendingRequest.method !== "ping";
    if (isCancelled && !channel().cancelsByClosing) {
      void sendQuietly({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: id },
      });
    }
    const { stray } = pendingRequest;
    pendingRequest.waiter.reject(stray === undefined ? reason : new GivenUp(reason, stray));
  }

  function request(
    method: string,
    params: UnknownObject = {},
    options: RequestOptions = {},
  ): Promise<unknown> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    const waiter = Promise.withResolvers<unknown>();
    const id = post(method, params, options, waiter);
    const { signal } = options;
    const pendingRequest = pending.get(id);
    if (signal && pendingRequest) {
      const onAbort = () => cancel(id, signal.reason);
      pendingRequest.onAbort = onAbort;
      signal.addEventListener("abort", onAbort);
    }
    return waiter.promise;
  }

  function post(
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    waiter: Waiter,
  ): RequestId {
    const id = ++lastId;
    pending.set(id, { id, method, sentAt: performance.now(), waiter, options, onAbort: undefined });
    const message = {
      jsonrpc: "2.0" as const,
      id,
      method,
      params: withMarks(id, method, params, options),
    };
    if (tap.take !== null) tap.take(session, true, message, pending);
    try {
      const openChannel = channel();
      if (!openChannel.tellsOfWrites) options.onWrite?.();
      const delivered = openChannel.send(message, options);
      delivered?.catch((thrown) => settle(id)?.waiter.reject(thrown));
    } catch (thrown) {
      settle(id)?.waiter.reject(thrown);
    }
    return id;
  }

  return {
    pending,
    cancelled,
    lastId: () => lastId,
    sendQuietly,
    settle,
    settled,
    cancel,
    request,
    post,
    by: tap,
    session,
  };
}

/** Answers, notifications and requests of the other side. */
function createIncoming(outgoing: Outgoing, handlers: PeerHandlers) {
  const { pending, cancelled, settle, sendQuietly, by: tap, session } = outgoing;
  const tasks = createOpenTasks<RequestOptions>();
  const taskProgress = new WeakMap<RequestOptions, Throttle<Progress>>();
  const owners = createRequestOwners();
  const questions = createPeerRequests(answererOf, sendQuietly);
  let heard = 0;

  /** The true answer may still come; where it does not, its caller reads what came instead. */
  function takeStray(id: unknown): void {
    if (cancelled.delete(id as RequestId)) return;
    const description = describeStray(id, outgoing.lastId());
    if (description !== null)
      for (const pendingRequest of pending.values()) pendingRequest.stray ??= description;
    handlers.onStray(description ?? "an answer that came twice, or too late");
  }

  function takeAnswer(message: UnknownObject): void {
    const pendingRequest = settle(message.id as RequestId);
    if (pendingRequest === undefined) return takeStray(message.id);
    if (isObject(message.error)) {
      const { code, message: text, data } = message.error;
      return pendingRequest.waiter.reject(
        toRpcError(Number(code), stringOrNull(text) ?? "unknown error", data),
      );
    }
    if (!("result" in message))
      return pendingRequest.waiter.reject(
        invalidAnswer("its answer has neither a result nor an error"),
      );
    tasks.keep(message.result, message.id as RequestId, pendingRequest.options);
    const { result } = message;
    // To read it took its time; what is done with it takes as long again.
    if (isObject(result) && (sizeOf(result) ?? 0) > longLength)
      setImmediate(() => pendingRequest.waiter.resolve(result));
    else pendingRequest.waiter.resolve(result);
  }

  const waitingOptions = () => pending.values().map(({ options }) => options);

  function takeNotification(
    method: string,
    params: UnknownObject,
    relatesTo: RequestId | undefined,
  ): void {
    if (method === "notifications/progress") {
      progressOf(requestOf(params.progressToken))?.push(parseProgress(params));
    } else if (method === "notifications/cancelled") {
      questions.cancel(params.requestId as RequestId);
    } else if (method === "notifications/tasks/status" || method === "notifications/tasks") {
      tasks.takeStatus(params);
    } else {
      const isLog = method === "notifications/message";
      const isHeard =
        isLog && deliverLog(params, pending.get(relatesTo)?.options, waitingOptions());
      handlers.onNotification(method, params, isHeard);
    }
  }

  function progressOf(token: number | undefined): Throttle<Progress> | undefined {
    const pendingRequest = pending.get(token);
    if (pendingRequest) {
      pendingRequest.progress ??= throttleFor(pendingRequest.options);
      return pendingRequest.progress;
    }
    const options = tasks.byToken(token);
    if (options === undefined) return undefined;
    const throttle = taskProgress.get(options) ?? throttleFor(options);
    if (!taskProgress.has(options))
      options.task?.over.addEventListener("abort", throttle.flush, { once: true });
    taskProgress.set(options, throttle);
    return throttle;
  }

  /** Who answers a question: the owner of the request that it names by task, stream or token, or else the only owner. */
  function answererOf(params: UnknownObject, relatesTo: RequestId | undefined): AnswerRequest {
    const meta = objectOrEmpty(params._meta);
    // Servers send back what `withMarks` wrote into the request.
    const callId = typeof meta.tool_call_id === "string" ? Number(meta.tool_call_id) : undefined;
    const namedId = relatesTo ?? requestOf(meta.progressToken) ?? callId;
    const request = tasks.namedIn(meta) ?? pending.get(namedId)?.options ?? tasks.byToken(namedId);
    // A token that is none of ours is the server's own, for progress on its question.
    const namesRequest = request !== undefined || relatesTo !== undefined || callId !== undefined;
    if (namesRequest) return owners.asking(request?.onRequest ?? handlers.onRequest);
    const openRequests = [...waitingOptions(), ...tasks.all()];
    return owners.asking(owners.onlyOwner(openRequests) ?? handlers.onRequest);
  }

  function receive(message: unknown, relatesTo?: RequestId): void {
    heard += 1;
    if (Array.isArray(message)) {
      for (const part of message) receive(Array.isArray(part) ? null : part, relatesTo);
      return;
    }
    // Programs print JSON of their own; only this is addressed to us.
    if (!isObject(message) || message.jsonrpc !== "2.0")
      return handlers.onStray("a message that is not JSON-RPC 2.0");
    if (tap.take !== null) tap.take(session, false, message, pending);
    const { id, method } = message;
    if (typeof method !== "string") takeAnswer(message);
    else if (isEcho(method, pending.get(id as RequestId)))
      settle(id as RequestId)?.waiter.reject(echoError());
    else if (id === undefined) takeNotification(method, objectOrEmpty(message.params), relatesTo);
    else void questions.take(id as RequestId, method, message.params, relatesTo);
  }

  return { receive, heard: () => heard, questions };
}

export const refuseRequest: AnswerRequest = async (method) => {
  throw new RpcError(-32601, `Method not found: ${method}`);
};

export function unopened(): never {
  throw new TransportError("the connection is not open", { sent: false });
}

/** Servers number their own questions, and such a token must not be one of ours. */
const tokenPrefix = "toolplane:";

function requestOf(token: unknown): number | undefined {
  if (typeof token !== "string" || !token.startsWith(tokenPrefix)) return undefined;
  return Number(token.slice(tokenPrefix.length));
}

/** Lets the other side name the request it means. */
function withMarks(
  id: number,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
): UnknownObject {
  const { onProgress, onRequest } = options;
  const asksBack = onRequest !== undefined && method === "tools/call";
  if (!onProgress && !asksBack) return params;
  const _meta: UnknownObject = { ...(params._meta as object) };
  if (onProgress) _meta.progressToken = `${tokenPrefix}${id}`;
  if (asksBack) _meta.tool_call_id = String(id);
  return { ...params, _meta };
}

/**
 * Finds who caused a question. Of one person's requests those with an open question are not meant: legacy servers ask
 * one thing at a time. Between two people there is no guessing.
 */
export function createRequestOwners() {
  const askedAnswerers: AnswerRequest[] = [];
  return {
    /** Counts the answerer as asked until it has answered. */
    asking:
      (answer: AnswerRequest): AnswerRequest =>
      (method, params, signal) => {
        const answering = answer(method, params, signal);
        askedAnswerers.push(answer);
        const done = () => void askedAnswerers.splice(askedAnswerers.indexOf(answer), 1);
        answering.then(done, done);
        return answering;
      },
    /** Undefined when the owner is uncertain. */
    onlyOwner(
      requests: readonly Pick<RequestOptions, "onRequest" | "by">[],
    ): AnswerRequest | undefined {
      const answerable = requests.filter(({ onRequest }) => onRequest !== undefined);
      const answerers = [...new Set(answerable.map(({ onRequest }) => onRequest as AnswerRequest))];
      if (answerers.length < 2) return answerers[0];
      const isOnePerson = answerable.every(
        ({ by }) => by !== undefined && by === answerable[0]?.by,
      );
      if (!isOnePerson) return undefined;
      const unasked = answerers.filter((answer) => !askedAnswerers.includes(answer));
      return unasked.length === 1 ? unasked[0] : undefined;
    },
  };
}
