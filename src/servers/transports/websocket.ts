import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { sizeText } from "../../lib/text/wording.ts";
import {
  type Channel,
  type ChannelHandlers,
  type OutgoingMessage,
  renderMessage,
  type SendOptions,
  TransportError,
} from "../../protocol/message.ts";
import { type HttpOptions, judgeConnection, mayAskAgain, proxyWay } from "./http-request.ts";
import { refusedToOpen, transportFailure } from "./http-response.ts";
import { createOpening } from "./opening.ts";
import { noiseText } from "./parse-message.ts";

const defaultPingMs = 15_000;
const goodbyeMs = 1_000;

export type WebSocketOptions = HttpOptions & { pingMs?: number };

/** Every text frame is a message. */
export function openWebSocket(options: WebSocketOptions, handlers: ChannelHandlers): Channel {
  const opening = createOpening<WebSocket>(handlers);
  let socket: WebSocket | undefined;
  let pings: NodeJS.Timeout | undefined;

  const lose = (reason: string) => {
    clearInterval(pings);
    socket?.terminate();
    opening.failed(new TransportError(reason, { sent: true }));
  };

  function take(opened: WebSocket): void {
    if (opening.isOver()) return opened.terminate();
    opened.on("message", (data) => opening.take(String(data)));
    opened.on("error", (error) => lose(frameFailure(error, options.maxMessageBytes)));
    opened.on("close", (code, reason) => lose(closeReason(code, String(reason))));
    pings = keepAlive(opened, options.pingMs ?? defaultPingMs, () =>
      lose("it stopped answering pings"),
    );
    opening.opened(opened);
  }

  async function send(message: OutgoingMessage, { signal }: SendOptions = {}): Promise<void> {
    const pendingSocket = opening.use(signal);
    // Awaiting an open socket would let a later message overtake this one.
    const open = pendingSocket instanceof WebSocket ? pendingSocket : await pendingSocket;
    if (open.readyState !== WebSocket.OPEN)
      throw new TransportError("the connection is being closed", { sent: false });
    await new Promise<void>((resolve, reject) => {
      open.send(renderMessage(message), (error) => {
        if (!error) return resolve();
        const reason = `sending failed: ${error.message}`;
        reject(new TransportError(reason, { sent: true, cause: error }));
      });
    });
  }

  async function close(): Promise<void> {
    opening.ended();
    clearInterval(pings);
    if (socket?.readyState === WebSocket.OPEN) await sendClose(socket);
    socket?.terminate();
  }

  openSocket(options, (created) => {
    socket = created;
    if (opening.isOver()) created.terminate();
  }).then(take, opening.failed);
  return {
    pid: null,
    send,
    close,
    useProtocolVersion() {},
    get backlog() {
      return socket?.bufferedAmount ?? 0;
    },
  };
}

/** A peer that does not answer before the next ping is gone. */
function keepAlive(socket: WebSocket, pingMs: number, onDead: () => void): NodeJS.Timeout {
  let answered = true;
  socket.on("pong", () => {
    answered = true;
  });
  return setInterval(() => {
    if (!answered) return onDead();
    answered = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, pingMs).unref();
}

function sendClose(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, goodbyeMs);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.close(1000);
  });
}

function frameFailure(error: NodeJS.ErrnoException, limitBytes: number): string {
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
    return `it sent a message above the limit of ${sizeText(limitBytes)} ('maxMessageBytes'), so the connection was closed with code 1009`;
  if (error.code?.startsWith("WS_ERR"))
    return `it broke the WebSocket protocol, so the connection was closed: ${error.message}`;
  return `the connection was cut: ${error.message}`;
}

function closeReason(code: number, reason: string): string {
  if (code === 1006) return "the connection was cut (code 1006)";
  const reasonText = noiseText(reason);
  return `it closed the connection with code ${code}${reasonText === "" ? "" : `: ${reasonText}`}`;
}

const handshakeMs = 30_000;

/** `onSocket` gets the socket while it opens, so that it can be closed. */
async function openSocket(
  options: HttpOptions,
  onSocket: (socket: WebSocket) => void,
): Promise<WebSocket> {
  const url = new URL(options.url);
  let opened = await openOnce(options, url, onSocket);
  if (!(opened instanceof WebSocket) && (await mayAskAgain(opened, options)))
    opened = await openOnce(options, url, onSocket);
  if (opened instanceof WebSocket) return opened;
  throw noSocket(opened, url);
}

/** Resolves with the answer where the server refuses the upgrade. */
async function openOnce(
  options: HttpOptions,
  url: URL,
  onSocket: (socket: WebSocket) => void,
): Promise<WebSocket | IncomingMessage> {
  const identity = options.authorize && (await options.authorize());
  return new Promise((resolve, reject) => {
    const socket = createSocket(options, url, { ...options.headers, ...identity });
    socket.on("error", (cause) =>
      reject(new TransportError(handshakeFailure(cause, url), { sent: false, cause })),
    );
    socket.once("open", () => resolve(socket));
    socket.once("unexpected-response", (request, response) => {
      resolve(response);
      request.destroy();
    });
    onSocket(socket);
  });
}

function createSocket(options: HttpOptions, url: URL, headers: Record<string, string>): WebSocket {
  const connection = judgeConnection(url);
  const proxy = proxyWay(url, connection);
  try {
    return new WebSocket(url, "mcp", {
      ...(proxy ? { agent: proxy.agent } : { lookup: connection.lookup }),
      headers,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false,
      handshakeTimeout: handshakeMs,
    });
  } catch (thrown) {
    const reason = `the connection to ${url.host} cannot be made: ${(thrown as Error).message}. Check 'url' and 'headers'`;
    throw new TransportError(reason, { sent: false, permanent: true, cause: thrown });
  }
}

function handshakeFailure(error: NodeJS.ErrnoException, url: URL): string {
  if (!/subprotocol/i.test(error.message)) return transportFailure(error, url);
  return `what listens at ${url.host} does not speak the sub-protocol 'mcp'. Check 'url'`;
}

function noSocket(response: IncomingMessage, url: URL): TransportError {
  const status = response.statusCode ?? 0;
  if (status >= 300) return refusedToOpen(response, url);
  const reason = `${url.host} is not a WebSocket server. Check 'url' and 'transport'`;
  return new TransportError(reason, { sent: false, permanent: true, status });
}
