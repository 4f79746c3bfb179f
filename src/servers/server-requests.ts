import { abortable } from "../lib/abortable.ts";
import { createGate, GateFull } from "../lib/gate.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { ServerDefinition } from "../model/server.ts";
import { RpcError, TransportError } from "../protocol/message.ts";
import { paramHeaders } from "../protocol/param-headers.ts";
import type { AnswerRequest } from "../protocol/questions-from-peer.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Session } from "../protocol/session.ts";
import { createTaskCalls } from "../protocol/tasks/call-with-task.ts";
import { offersTasks } from "../protocol/tasks/task-call.ts";
import type { Connection, Live } from "./connection.ts";
import { withoutSecrets } from "./failures.ts";
import { tellWhileInstalling } from "./installer.ts";
import { createLivenessCheck } from "./liveness.ts";

export type RequestsOptions = SenderOptions & {
  definition: Pick<ServerDefinition, "maxConcurrency" | "maxQueue">;
  answering(caller: AnswerRequest | undefined): AnswerRequest;
  /** Throws where a process that is new does not list its tools. */
  settleListing(connection: Connection, live: Live): Promise<void>;
  hide(text: string): string;
};

export type Requests = {
  send(
    connection: Connection,
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    by?: string | null,
  ): Promise<unknown>;
  /** Those that run and those that wait to be sent. */
  pending(): number;
};

/** What one server is asked, and how much of it at once. */
export function createRequests(options: RequestsOptions): Requests {
  const { name } = options;
  const { maxConcurrency, maxQueue } = options.definition;
  const gate = createGate(maxConcurrency, maxQueue);

  function enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    try {
      return gate.enter(signal);
    } catch (thrown) {
      if (!(thrown instanceof GateFull)) throw thrown;
      const limits = `${maxConcurrency} requests run and ${maxQueue} wait ('maxConcurrency', 'maxQueue')`;
      throw new PlaneError("BUSY", `Server '${name}' is busy: ${limits}.`, {
        data: { server: name, sent: false, retryAt: null },
      });
    }
  }

  const sendIn = createRequestSender(options);
  const checkLiveness = createLivenessCheck();

  /** A session that never answered anything is not worth being opened once more. */
  function explain(thrown: unknown, live: Live): unknown {
    const told = withoutSecrets(thrown, options.hide);
    const isWasted =
      told instanceof TransportError && told.status === 404 && live.answered === 0 && !live.hasListed;
    return isWasted ? new TransportError(told.message, { ...told, permanent: true }) : told;
  }

  function open(connection: Connection, { signal, onProgress }: RequestOptions): Promise<Live> {
    const opened = abortable(connection.ensure(), signal);
    if (onProgress === undefined) return opened;
    const since = () => connection.facts().installingSince;
    return tellWhileInstalling(opened, { server: () => name, since, onProgress });
  }

  return {
    async send(connection, method, params, requestOptions, by = null) {
      const { signal } = requestOptions;
      // Whoever waits for a turn uses it already.
      connection.enter();
      try {
        const turn = enter(signal);
        if (turn) await turn;
      } catch (thrown) {
        connection.leave();
        throw thrown;
      }
      try {
        const live = connection.live() ?? (await open(connection, requestOptions));
        if (method === "tools/call") {
          if (live.owesListing) await abortable(options.settleListing(connection, live), signal);
          requestOptions.beforeSend?.();
        }
        const onRequest = options.answering(requestOptions.onRequest);
        const startedAt = performance.now();
        try {
          const asked = { ...requestOptions, onRequest, by };
          const result = await sendIn(connection, live, method, params, asked);
          connection.worked(live);
          return result;
        } catch (thrown) {
          if (signal?.aborted) checkLiveness(connection, live, startedAt);
          throw explain(thrown, live);
        }
      } finally {
        gate.leave();
        connection.leave();
      }
    },
    pending: () => gate.inside() + gate.waiting(),
  };
}

/** A call that has become a task is waited for so long before anybody is told. */
const quietMs = 10_000;

export type SenderOptions = {
  name: string;
  /** When a call that runs as a task is told to be one. */
  taskQuietMs?: number | undefined;
  /** A tool as the server lists it. */
  toolOf(name: unknown): UnknownObject | undefined;
};

export type SendRequest = (
  connection: Connection,
  live: Live,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
) => Promise<unknown>;

/** Sends requests in an open session, or throws why it cannot, and calls of tools as tasks where a tool is made for that. */
export function createRequestSender({ name, taskQuietMs = quietMs, toolOf }: SenderOptions): SendRequest {
  const callWithTask = createTaskCalls(taskQuietMs);
  return (connection, { session, channel }, method, params, options) => {
    if (session.era === "legacy" && options.continuation?.requestState !== undefined)
      throw new RpcError(-32602, "requestState is none that was given out for this request.");
    if (method !== "tools/call") return session.request(method, params, options);
    const tool = toolOf(params.name) ?? {};
    const support = isObject(tool.execution) ? tool.execution.taskSupport : undefined;
    if (support === "required" && session.era === "legacy" && !offersTasks(session)) {
      throw noTasks(name, String(params.name));
    }
    const isRemote = channel.pid === null;
    const mirrors = session.era === "modern" && isRemote;
    const headers = mirrors ? paramHeaders(tool.inputSchema, params.arguments) : undefined;
    return callWithTask({
      session,
      params,
      support,
      options: headers ? { ...options, headers } : options,
      // What a process of ours did is lost with it.
      reopen: isRemote ? () => reopen(connection) : undefined,
    });
  };
}

/** What somebody has closed stays closed; what was lost may come back. */
async function reopen(connection: Connection): Promise<Session> {
  const live = connection.live();
  if (live) return live.session;
  const { state, error } = connection.facts();
  if (state === "disconnected" && error === null) {
    throw new TransportError("the connection was closed", { sent: true, permanent: true });
  }
  return (await connection.ensure()).session;
}

function noTasks(server: string, tool: string): PlaneError {
  const text = `Tool '${tool}' of server '${server}' only runs as a background task, and the server does not offer tasks ('tasks.requests.tools.call' is not among its capabilities). Use a version of the server that does.`;
  return new PlaneError("PROVIDER_FAILED", text, { data: { server, tool, sent: false } });
}
