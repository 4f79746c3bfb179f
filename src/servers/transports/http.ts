import http from "node:http";
import https from "node:https";
import { isObject } from "../../model/json.ts";
import {
  type Channel,
  type ChannelHandlers,
  type OutgoingMessage,
  type RequestId,
  type SendOptions,
  TransportError,
} from "../../protocol/message.ts";
import { createSseParser } from "../../protocol/sse-parser.ts";
import { connectFailure, isPassing, originOf, refusal } from "./http-failure.ts";

const bodyLimitBytes = 64 * 1024 * 1024;
const goodbyeMs = 1_000;

export type HttpOptions = { url: string; headers: Readonly<Record<string, string>> };

/** Streamable HTTP: every message is one POST; the answer is JSON or an event stream. */
export function openHttp(options: HttpOptions, handlers: ChannelHandlers): Channel {
  const url = new URL(options.url);
  const client = url.protocol === "https:" ? https : http;
  const agent = new client.Agent({ keepAlive: true });
  let sessionId: string | undefined;
  let protocolVersion: string | undefined;
  let open = true;

  const requestHeaders = (): Record<string, string> => ({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...options.headers,
    ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
    ...(protocolVersion === undefined ? {} : { "mcp-protocol-version": protocolVersion }),
  });

  const endSession = (reason: string) => {
    if (!open) return;
    open = false;
    handlers.onClose(new TransportError(reason, { sent: true }));
  };

  function send(message: OutgoingMessage, { signal }: SendOptions = {}): Promise<void> {
    if (!open) return Promise.reject(new TransportError("the session has ended", { sent: false }));
    const body = JSON.stringify(message);
    const answerId = "id" in message && "method" in message ? message.id : undefined;
    const hadSession = sessionId !== undefined;
    return new Promise((resolve, reject) => {
      let reached = false;
      const fail = (why: string, sent: boolean, permanent = false, cause?: unknown) =>
        reject(new TransportError(why, { sent, permanent, cause }));
      const headers = { ...requestHeaders(), "content-length": Buffer.byteLength(body) };
      const request = client.request(url, { method: "POST", agent, headers, ...(signal ? { signal } : {}) });
      request.on("socket", (socket) => {
        const ready = url.protocol === "https:" ? "secureConnect" : "connect";
        if (socket.connecting) socket.once(ready, () => (reached = true));
        else reached = true;
      });
      request.on("error", (error) => fail(connectFailure(error, url), reached, false, error));
      request.on("response", (response) => {
        const session = response.headers["mcp-session-id"];
        if (typeof session === "string") sessionId = session;
        takeResponse(response, { answerId, hadSession, fail, resolve });
      });
      request.end(body);
    });
  }

  type Exchange = {
    answerId: RequestId | undefined;
    hadSession: boolean;
    fail(why: string, sent: boolean, permanent?: boolean): void;
    resolve(): void;
  };

  function takeResponse(response: http.IncomingMessage, exchange: Exchange): void {
    const status = response.statusCode ?? 0;
    const type = response.headers["content-type"] ?? "";
    if (status === 404 && exchange.hadSession) {
      response.resume();
      exchange.fail("the server has forgotten the session", false);
      // After this request has failed for itself: the others may have been seen, this one was not.
      setImmediate(() => endSession("the server has forgotten the session"));
      return;
    }
    if (status >= 300 && status < 400) {
      response.resume();
      return exchange.fail(
        `it redirects to ${originOf(response.headers.location, url)}; set 'url' to that`,
        false,
      );
    }
    if (status >= 400) return takeRefusal(response, status, exchange);
    if (type.includes("text/event-stream")) return takeStream(response, exchange);
    readBody(response, exchange, (text) => {
      if (text.trim() !== "") takeJson(text, exchange);
      else if (exchange.answerId !== undefined) exchange.fail(`it answered ${status} without a body`, true);
      exchange.resolve();
    });
  }

  function takeRefusal(response: http.IncomingMessage, status: number, exchange: Exchange): void {
    readBody(response, exchange, (text) => {
      const message = parse(text);
      const isRpc =
        typeof message === "object" && message !== null && "jsonrpc" in message && "id" in message;
      if (isRpc && message.id !== null) handlers.onMessage(message);
      exchange.fail(refusal(status), status >= 500, !isPassing(status));
    });
  }

  function takeStream(response: http.IncomingMessage, exchange: Exchange): void {
    let unfinished = 0;
    const parser = createSseParser((data) => {
      unfinished = 0;
      const message = parse(data);
      if (message !== undefined) handlers.onMessage(message);
      if (isObject(message) && message.id === exchange.answerId && message.method === undefined)
        exchange.resolve();
    });
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      unfinished += text.length;
      if (unfinished > bodyLimitBytes) response.destroy(new Error("event above 64 MiB"));
      else parser(text);
    });
    const ended = () => exchange.fail("the stream ended without a response", true);
    response.on("end", ended);
    response.on("error", ended);
  }

  function takeJson(text: string, exchange: Exchange): void {
    const message = parse(text);
    if (message === undefined) exchange.fail("its answer is not JSON", true);
    else handlers.onMessage(message);
  }

  function useProtocolVersion(version: string): void {
    protocolVersion = version;
  }

  async function close(): Promise<void> {
    const session = sessionId;
    open = false;
    if (session !== undefined) await sayGoodbye();
    agent.destroy();
  }

  function sayGoodbye(): Promise<void> {
    return new Promise((resolve) => {
      const signal = AbortSignal.timeout(goodbyeMs);
      const request = client.request(url, { method: "DELETE", agent, headers: requestHeaders(), signal });
      request.on("response", (response) => response.resume().on("end", resolve));
      request.on("error", () => resolve());
      request.end();
    });
  }

  return { pid: null, send, close, useProtocolVersion };
}

function readBody(
  response: http.IncomingMessage,
  exchange: { fail(why: string, sent: boolean): void },
  done: (text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > bodyLimitBytes) response.destroy(new Error("answer above 64 MiB"));
    else chunks.push(chunk);
  });
  response.on("end", () => done(Buffer.concat(chunks).toString("utf8")));
  response.on("error", (error) => exchange.fail(`the answer broke off: ${error.message}`, true));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
