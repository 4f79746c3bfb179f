import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { RpcError, TransportError } from "../protocol/message.ts";
import { paramHeaders } from "../protocol/param-headers.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Session } from "../protocol/session.ts";
import { createTaskCalls } from "../protocol/tasks/call-with-task.ts";
import { offersTasks } from "../protocol/tasks/task-call.ts";
import type { Connection, Live } from "./connection-contract.ts";

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
