import { version } from "../../lib/version.ts";
import type { Outcome } from "../../model/call.ts";
import { errorTable, toPlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane, ToolListing } from "../../model/plane.ts";
import { legacyVersions } from "../../protocol/session.ts";

/** What is not known by then is told with a notification. */
const patienceMs = 1_000;

type Id = string | number;
type Answer = { result: UnknownObject } | { error: { code: number; message: string; data?: unknown } };

/** The MCP server's side of one connection: what a client asks, answered by the plane. */
export function createGateway(plane: Plane, send: (message: object) => void) {
  const running = new Map<Id, { controller: AbortController; done: Promise<void> }>();
  let isReady = false;
  const leave = plane.on("registry.changed", () => {
    // Nothing may come before the answer to the handshake.
    if (isReady) send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  });

  async function answer(method: string, params: UnknownObject, signal: AbortSignal): Promise<Answer> {
    if (method === "initialize") return { result: initialize(params) };
    if (method === "ping") return { result: {} };
    if (method === "tools/list")
      return { result: { tools: (await plane.tools({ patienceMs })).map(renderTool) } };
    if (method === "tools/call") return callTool(params, signal);
    return { error: { code: -32601, message: `Method not found: ${method}` } };
  }

  async function callTool(params: UnknownObject, signal: AbortSignal): Promise<Answer> {
    if (typeof params.name !== "string")
      return { error: { code: -32602, message: "'name' must be a text." } };
    return renderOutcome(await plane.call(params.name, params.arguments, { face: "mcp", signal }));
  }

  function takeRequest(id: Id, method: string, params: UnknownObject): void {
    const controller = new AbortController();
    const reply = (body: Answer) => {
      // Nobody waits for the answer to what was cancelled.
      if (!controller.signal.aborted) send({ jsonrpc: "2.0", id, ...body });
    };
    const done = answer(method, params, controller.signal)
      .catch((thrown): Answer => ({ error: { code: -32603, message: toPlaneError(thrown).message } }))
      .then(reply)
      .finally(() => running.delete(id));
    running.set(id, { controller, done });
  }

  return {
    receive(message: unknown): void {
      if (!isObject(message) || typeof message.method !== "string") return;
      const params = isObject(message.params) ? message.params : {};
      const { id } = message;
      if (typeof id === "string" || typeof id === "number") takeRequest(id, message.method, params);
      else if (message.method === "notifications/initialized") isReady = true;
      else if (message.method === "notifications/cancelled")
        running.get(params.requestId as Id)?.controller.abort();
    },
    async close(): Promise<void> {
      leave();
      const left = [...running.values()];
      for (const { controller } of left) controller.abort();
      await Promise.allSettled(left.map(({ done }) => done));
    },
  };
}

function initialize({ protocolVersion }: UnknownObject): UnknownObject {
  const known = legacyVersions.find((candidate) => candidate === protocolVersion);
  return {
    protocolVersion: known ?? legacyVersions[0],
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "toolplane", version },
  };
}

function renderTool({
  modelName,
  title,
  description,
  parameters,
  outputSchema,
  annotations,
}: ToolListing): UnknownObject {
  return {
    name: modelName,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: parameters,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** A result is passed on as it is. What the plane refused is a result too, for the model to read; a wrong name is not. */
function renderOutcome({ result, error }: Outcome): Answer {
  if (result) return { result };
  if (error === undefined) return { result: { content: [] } };
  const { code, message, data } = error;
  if (code === "TOOL_NOT_FOUND" || code === "TOOL_AMBIGUOUS") {
    return { error: { code: errorTable[code].rpc, message: `Unknown tool: ${message}`, data } };
  }
  return { result: { content: [{ type: "text", text: `${message} [${code}]` }], isError: true } };
}
