import { createSemaphore, SemaphoreFull } from "../lib/async/semaphore.ts";
import { abortable } from "../lib/async/signals.ts";
import { steadyNow, wallTime } from "../lib/async/steady-time.ts";
import { errorText } from "../lib/text/error-text.ts";
import { sentence } from "../lib/text/wording.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { ServerCheck, ServerDefinition } from "../model/servers/server.ts";
import { extensionsIn, metaFor, sharedExtensions } from "../protocol/extensions.ts";
import { paramHeaders } from "../protocol/http-headers.ts";
import { type AnswerRequest, RpcError, TransportError } from "../protocol/message.ts";
import type { RequestOptions, Session } from "../protocol/session.ts";
import { GivenUp } from "../protocol/strays.ts";
import { type CallWithTask, createTaskCalls } from "../protocol/tasks/call-with-task.ts";
import { extendsToTasks, offersTasks } from "../protocol/tasks/task.ts";
import type { Live, ServerConnection } from "./connection.ts";
import { type DirectPorts, DirectRequest } from "./direct-request.ts";
import { DirectTaskRequest } from "./direct-task-request.ts";
import { neededEra, type SharedEra } from "./eras/client-era.ts";
import { notSent, withoutSecrets } from "./failures.ts";
import { reportInstalling } from "./installer.ts";
import { startText } from "./open-attempt.ts";
import type { ServerCatalogue } from "./server-catalogue.ts";
import { maxSessions, type ServerSessions, type SessionOwner } from "./sessions.ts";

const defaultTaskQuietMs = 10_000;
/** More than this waits for no server that has stopped reading. */
const maxBacklogBytes = 16 * 1024 * 1024;

export type RequestsOptions = {
  name: string;
  definition: Pick<ServerDefinition, "maxConcurrency" | "maxQueue">;
  taskQuietMs?: number | undefined;
  sessions: ServerSessions;
  /** The lists that this user sees. */
  catalogueOf(user: string | null): Pick<ServerCatalogue, "list" | "listOver" | "toolOf">;
  answering(caller: AnswerRequest | undefined): AnswerRequest;
  hide(text: string): string;
  requireAvailable(): void;
  isAvailable(): boolean;
  speaksBoth(): boolean;
  /** Of a process that all callers share; null where a session of each era may stand beside the other. */
  sharedEra(): SharedEra | null;
};

/** In the owner's session, with a concurrency limit and a queue. */
export function createServerRequests(options: RequestsOptions) {
  const { name, definition, sessions } = options;
  const semaphore = createSemaphore(definition.maxConcurrency, definition.maxQueue);
  const { taskQuietMs = defaultTaskQuietMs } = options;
  const callWithTask = createTaskCalls(taskQuietMs);
  const checkLiveness = createLivenessCheck();
  const directPorts: DirectPorts = { answering: options.answering, ended, taskQuietMs, reopen };
  let direct = 0;

  function connectionOf(owner: SessionOwner): ServerConnection {
    const connection = sessions.of(owner);
    if (connection) return connection;
    throw busy(name, `all ${maxSessions} sessions of its users and conversations are in use`);
  }

  /** Of a server that speaks both, a client of the older era that can be asked gets a session of that era. */
  function inEraOf(owner: SessionOwner, { asClient }: RequestOptions): SessionOwner {
    const isBeside = options.sharedEra() === null && neededEra(asClient) === "legacy";
    return isBeside && options.speaksBoth() ? { ...owner, era: "legacy" } : owner;
  }

  /** A server of the older era that heard of fewer extensions than it shares with this client is opened again beside. */
  function ownerFor(owner: SessionOwner, { asClient }: RequestOptions): SessionOwner {
    if (asClient?.capabilities.extensions === undefined) return owner;
    const session = sessions.find(owner)?.live()?.session;
    if (session?.told === undefined) return owner;
    const { told: declaredExtensions, capabilities } = session;
    const shared = sharedExtensions(
      extensionsIn(capabilities),
      extensionsIn(asClient.capabilities),
    );
    const missing = shared.filter((name) => !Object.hasOwn(declaredExtensions, name));
    return missing.length === 0 ? owner : { ...owner, extensions: missing.sort().join() };
  }

  async function ask(
    connection: ServerConnection,
    ...[method, callerParams, requestOptions]: RequestArguments
  ): Promise<unknown> {
    const { signal } = requestOptions;
    const live = connection.live() ?? (await open(name, connection, requestOptions));
    refuseBacklog(live);
    const params = withSharedMeta(callerParams, live, requestOptions);
    if (method.startsWith("notifications/")) return notify(live, method, params, requestOptions);
    if (method === "tools/call") {
      if (live.owesListing)
        await abortable(
          settleListing(options, connection, live, requestOptions.by ?? null),
          signal,
        );
      requestOptions.beforeSend?.();
    }
    const answeringOptions = {
      ...requestOptions,
      onRequest: options.answering(requestOptions.onRequest),
    };
    const startedAt = performance.now();
    try {
      const result = await (method === "tools/call"
        ? callTool({ connection, live, params, options: answeringOptions }, options, callWithTask)
        : live.session.request(method, params, checkContinuation(live.session, answeringOptions)));
      live.answered += 1;
      return result;
    } catch (thrown) {
      if (signal?.aborted) checkLiveness(connection, live, startedAt);
      throw explain(thrown, live, options.hide);
    }
  }

  /** Arguments stay in memory until the server takes them, so a full pipe takes no more. */
  function refuseBacklog(live: Live | null): void {
    const backlog = live?.channel.backlog ?? 0;
    if (backlog <= maxBacklogBytes) return;
    throw busy(
      name,
      `it has not read ${Math.round(backlog / 1024 / 1024)} MiB that were sent to it`,
    );
  }

  /** Throws when the queue is full. */
  function acquireSlot(signal: AbortSignal | undefined): Promise<void> | undefined {
    try {
      return semaphore.acquire(signal);
    } catch (thrown) {
      if (!(thrown instanceof SemaphoreFull)) throw thrown;
      const { maxConcurrency, maxQueue } = definition;
      throw busy(
        name,
        `${maxConcurrency} requests run and ${maxQueue} wait ('maxConcurrency', 'maxQueue')`,
      );
    }
  }

  async function sendOver(
    connection: ServerConnection,
    ...request: RequestArguments
  ): Promise<unknown> {
    // A waiting request uses the session already.
    connection.enter();
    let hasSlot = false;
    try {
      refuseBacklog(connection.live());
      const slot = acquireSlot(request[2].signal);
      if (slot) await slot;
      hasSlot = true;
      // What was cancelled while it waited is not sent.
      request[2].signal?.throwIfAborted();
      return await ask(connection, ...request);
    } finally {
      if (hasSlot) semaphore.release();
      connection.leave();
    }
  }

  /** Null where something has to be waited for first: a session, a slot, a listing. So is a tool that is begun as a task. */
  function sendDirect(
    connection: ServerConnection,
    params: UnknownObject,
    requestOptions: RequestOptions,
  ): DirectRequest | null {
    const live = connection.live();
    if (live === null || live.owesListing || (live.channel.backlog ?? 0) > maxBacklogBytes)
      return null;
    if (requestOptions.cancellation === undefined || requestOptions.cancellation.isCancelled)
      return null;
    const { session, channel } = live;
    const isModern = session.era === "modern";
    const tool = options.catalogueOf(requestOptions.by ?? null).toolOf(params.name);
    if (!isModern && tool?.execution !== undefined) return null;
    checkContinuation(session, requestOptions);
    if (!semaphore.tryAcquire()) return null;
    try {
      requestOptions.beforeSend?.();
    } catch (thrown) {
      semaphore.release();
      throw thrown;
    }
    connection.enter();
    const isRemote = channel.pid === null;
    const headers =
      isModern && isRemote ? paramHeaders(tool?.inputSchema, params.arguments) : undefined;
    const RequestClass = isModern && extendsToTasks(session) ? DirectTaskRequest : DirectRequest;
    const request = new RequestClass(requestOptions, headers, connection, live, directPorts);
    direct += 1;
    request.send(withSharedMeta(params, live, requestOptions));
    return request;
  }

  /** What is thrown of a direct request that failed. */
  function ended(
    { connection, live, startedAt, isCancelled }: DirectRequest,
    thrown: unknown,
  ): unknown {
    semaphore.release();
    connection.leave();
    if (thrown === undefined) {
      live.answered += 1;
      return undefined;
    }
    if (isCancelled) checkLiveness(connection, live, startedAt);
    return explain(thrown, live, options.hide);
  }

  return {
    /** Throws at once while the server must not be asked. */
    send(
      method: string,
      params: UnknownObject,
      requestOptions: RequestOptions,
      owner: SessionOwner,
    ): Promise<unknown> {
      options.requireAvailable();
      const settling = options.sharedEra()?.settleFor(requestOptions.asClient);
      if (settling !== undefined) {
        const plain = plainOptions(requestOptions, owner);
        return abortable(settling, plain.signal).then(() =>
          sendOver(connectionOf(ownerFor(owner, plain)), method, params, plain),
        );
      }
      const connection = connectionOf(ownerFor(inEraOf(owner, requestOptions), requestOptions));
      const request =
        method === "tools/call" ? sendDirect(connection, params, requestOptions) : null;
      if (request !== null) return request.result;
      return sendOver(connection, method, params, plainOptions(requestOptions, owner));
    },
    connectionOf,
    /** How many calls were sent at once, on an open session. */
    direct: () => direct,
    pending: () => semaphore.active() + semaphore.waiting(),
  };
}

/** What is spread and kept: options may be an object with getters. */
function plainOptions(requestOptions: RequestOptions, { user }: SessionOwner): RequestOptions {
  return {
    signal: requestOptions.signal,
    headers: requestOptions.headers,
    beforeSend: requestOptions.beforeSend && (() => requestOptions.beforeSend?.()),
    mayRepeat: requestOptions.mayRepeat,
    onWrite: requestOptions.onWrite && (() => requestOptions.onWrite?.()),
    onProgress: requestOptions.onProgress,
    onRequest: requestOptions.onRequest,
    onTask: requestOptions.onTask,
    task: requestOptions.task,
    onLog: requestOptions.onLog,
    hidden: requestOptions.hidden,
    by: user,
    asClient: requestOptions.asClient,
    samples: requestOptions.samples,
    continuation: requestOptions.continuation,
  };
}

/** Keys of `_meta` that belong to an extension are for servers that declare it. */
function withSharedMeta(
  params: UnknownObject,
  { session }: Live,
  { asClient }: RequestOptions,
): UnknownObject {
  if (params._meta === undefined || asClient === undefined) return params;
  return metaFor(params, extensionsIn(session.capabilities), extensionsIn(asClient.capabilities));
}

/** Nothing answers it. */
function notify(
  { peer, session }: Live,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
): UnknownObject {
  peer.notify(
    method,
    session.address?.(params, { asClient: options.asClient, continuation: {} }) ?? params,
  );
  return {};
}

type RequestArguments = [method: string, params: UnknownObject, options: RequestOptions];

function busy(server: string, reason: string): PlaneError {
  return notSent("BUSY", server, `Server '${server}' is busy: ${reason}.`);
}

function open(
  name: string,
  connection: ServerConnection,
  { signal, onProgress }: RequestOptions,
): Promise<Live> {
  const opened = abortable(connection.ensure(), signal).catch((thrown) => {
    const starting = signal?.aborted ? connection.starting() : null;
    if (starting === null) throw thrown;
    const { phase, since } = starting;
    throw new GivenUp(thrown, `its server is not ready: ${startText(phase, wallTime(since))}`);
  });
  if (onProgress === undefined) return opened;
  const since = () => connection.facts().installingSince;
  return reportInstalling(opened, { server: () => name, since, onProgress });
}

/** A new process may have other tools, so it lists before the first call. */
async function settleListing(
  { name, sessions, catalogueOf, hide }: RequestsOptions,
  connection: ServerConnection,
  live: Live,
  user: string | null,
): Promise<void> {
  const catalogue = catalogueOf(user);
  try {
    if (connection === sessions.main) await catalogue.list({ over: live.session });
    else await catalogue.listOver(live.session);
    live.owesListing = false;
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const reason = sentence(hide(errorText(thrown)));
    const text = `Server '${name}' was started again and has not listed its tools: ${reason}`;
    const isLost = thrown instanceof TransportError;
    const data = { server: name, sent: false, ...(isLost ? {} : { retryAt: null }) };
    throw new PlaneError("SERVER_UNAVAILABLE", text, { data, cause: thrown });
  }
}

type ToolCall = {
  connection: ServerConnection;
  live: Live;
  params: UnknownObject;
  options: RequestOptions;
};

/** As a background task where tool and server support that. */
function callTool(
  { connection, live: { session, channel }, params, options }: ToolCall,
  { name, catalogueOf }: RequestsOptions,
  callWithTask: CallWithTask,
): Promise<unknown> {
  checkContinuation(session, options);
  const tool = catalogueOf(options.by ?? null).toolOf(params.name) ?? {};
  const support = isObject(tool.execution) ? tool.execution.taskSupport : undefined;
  const isModern = session.era === "modern";
  if (support === "required" && !isModern && !offersTasks(session))
    throw noTasks(name, String(params.name));
  const isRemote = channel.pid === null;
  const headers =
    isModern && isRemote ? paramHeaders(tool.inputSchema, params.arguments) : undefined;
  const withHeaders = headers ? { ...options, headers } : options;
  const mayBeTask = isModern
    ? extendsToTasks(session)
    : support !== undefined && offersTasks(session);
  if (!mayBeTask) return session.request("tools/call", params, withHeaders);
  // The task of a child process is lost with it.
  const reopenSession = isRemote ? () => reopen(connection) : undefined;
  return callWithTask({ session, params, support, options: withHeaders, reopen: reopenSession });
}

function checkContinuation({ era }: Session, options: RequestOptions): RequestOptions {
  if (era === "legacy" && options.continuation?.requestState !== undefined)
    throw new RpcError(-32602, "requestState was not issued for this request.");
  return options;
}

/** A session closed on purpose stays closed. */
async function reopen(connection: ServerConnection): Promise<Session> {
  const live = connection.live();
  if (live) return live.session;
  const { state, error } = connection.facts();
  if (state === "disconnected" && error === null)
    throw new TransportError("the connection was closed", { sent: true, permanent: true });
  return (await connection.ensure()).session;
}

function noTasks(server: string, tool: string): PlaneError {
  const text = `Tool '${tool}' of server '${server}' only runs as a background task, and the server does not offer tasks ('tasks.requests.tools.call' is not among its capabilities). Use a version of the server that does.`;
  return new PlaneError("PROVIDER_FAILED", text, { data: { server, tool, sent: false } });
}

/** Hides secrets. A session that never answered is not reopened after a 404. */
function explain(thrown: unknown, live: Live, hide: (text: string) => string): unknown {
  const safe = withoutSecrets(thrown, hide);
  const isUseless =
    safe instanceof TransportError && safe.status === 404 && live.answered === 0 && !live.hasListed;
  return isUseless ? new TransportError(safe.message, { ...safe, permanent: true }) : safe;
}

/** A listing where there is no ping. */
export async function probeSession(
  { era, request }: Session,
  signal: AbortSignal,
): Promise<ServerCheck> {
  const startedAt = performance.now();
  const checked = (method: ServerCheck["how"]) => ({
    how: method,
    ms: Math.round(performance.now() - startedAt),
  });
  if (era === "legacy") {
    try {
      await request("ping", {}, { signal });
      return checked("ping");
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
    }
  }
  await request("tools/list", {}, { signal });
  return checked("list");
}

const answerWithinMs = 5_000;
/** A message that takes longer to arrive, of a request that was given up, does not end. */
const endWithinMs = 2_000;

/** After an aborted request: a busy server may be slow; a silent one is replaced, and so is one in the middle of a message. */
function createLivenessCheck(): (
  connection: ServerConnection,
  live: Live,
  startedAt: number,
) => void {
  const checking = new WeakSet<Live>();
  return (connection, live, startedAt) => {
    const oldest = live.peer.oldestPendingAt();
    if (checking.has(live) || connection.live() !== live || (oldest !== null && oldest < startedAt))
      return;
    const stopWatching = watchMessage(live, () =>
      connection.lose(live, "it stopped answering: the message that it began does not end"),
    );
    if (connection.live() !== live) return;
    checking.add(live);
    const heardBefore = live.peer.heard();
    const limit = AbortSignal.timeout(answerWithinMs);
    probeSession(live.session, limit)
      .catch(() => {
        if (limit.aborted && live.peer.heard() === heardBefore)
          connection.lose(
            live,
            `it stopped answering: no reply to a liveness check within ${answerWithinMs / 1000} s`,
          );
      })
      .finally(() => {
        checking.delete(live);
        stopWatching();
      });
  };
}

/** Nothing can be answered before the end of the message that is on its way. */
function watchMessage({ channel }: Live, onStuck: () => void): () => void {
  const since = channel.unfinishedSince ?? null;
  if (since === null) return () => undefined;
  const remainingMs = since + endWithinMs - steadyNow();
  if (remainingMs <= 0) {
    onStuck();
    return () => undefined;
  }
  const check = () => {
    if (channel.unfinishedSince === since) onStuck();
  };
  const timer = setTimeout(check, remainingMs).unref();
  return () => clearTimeout(timer);
}
