import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { UnknownObject } from "../model/json.ts";
import { completion, completionChunks } from "./completion-wire.ts";
import { nextReply, type Script, type ScriptedReply } from "./scripted-model.ts";

/** A request as it arrived. */
export type RecordedRequest = { path: string; headers: IncomingHttpHeaders; body: UnknownObject };

export type ScriptedModelEndpoint = AsyncDisposable & {
  /** Base address, ending in /v1. */
  url: string;
  port: number;
  /** What it was asked, in order. */
  requests: RecordedRequest[];
  close(): Promise<void>;
};

type EndpointOptions = {
  responses: Script<UnknownObject>;
  port?: number;
  onRequest?(request: RecordedRequest): void;
};

/**
 * A model that follows a script, behind a real chat-completions endpoint on this machine: for a program that takes the address
 * of a model.
 */
export async function startScriptedModel(options: EndpointOptions): Promise<ScriptedModelEndpoint> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    void handle(request, response, options, requests).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { responses, onRequest }: EndpointOptions,
  requests: RecordedRequest[],
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  if (path === "/v1/models")
    return sendJson(response, 200, { object: "list", data: [{ id: "scripted" }] });
  if (request.method !== "POST" || path !== "/v1/chat/completions")
    return sendJson(response, 404, { error: { message: `No such path: ${path}` } });
  const body = JSON.parse(await text(request)) as UnknownObject;
  const recordedRequest = { path, headers: request.headers, body };
  requests.push(recordedRequest);
  onRequest?.(recordedRequest);
  await answer(response, nextReply(responses, body, requests.length - 1), body);
}

async function answer(
  response: ServerResponse,
  reply: ScriptedReply,
  body: UnknownObject,
): Promise<void> {
  if (reply.delay !== undefined) await delay(reply.delay);
  if (reply.kind === "error") {
    const error = { message: reply.message, type: "scripted_error", code: reply.status };
    return sendJson(response, reply.status, { error }, reply.headers);
  }
  if (body.stream !== true) return answerAtOnce(response, reply, body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of completionChunks(reply, body))
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  if (reply.kind === "hang") return;
  if (reply.kind !== "broken") response.end("data: [DONE]\n\n");
  else response.write('data: {"choices":[{"del', () => response.destroy());
}

function answerAtOnce(response: ServerResponse, reply: ScriptedReply, body: UnknownObject): void {
  if (reply.kind === "hang") return;
  const completed = completion(reply, body);
  if (reply.kind !== "broken") return sendJson(response, 200, completed);
  const line = JSON.stringify(completed);
  response.writeHead(200, { "content-type": "application/json", "content-length": line.length });
  response.write(line.slice(0, line.length / 2), () => response.destroy());
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));
}
