import { WebSocket } from "ws";
import {
  type Channel,
  type ChannelHandlers,
  type OutgoingMessage,
  type SendOptions,
  TransportError,
} from "../../protocol/message.ts";
import type { HttpOptions } from "./http-request.ts";
import { noiseText, parseMessage } from "./noise.ts";
import { createOpening } from "./opening.ts";
import { openSocket } from "./websocket-opening.ts";

const defaultPingMs = 15_000;
const goodbyeMs = 1_000;

export type WebSocketOptions = HttpOptions & { pingMs?: number };

/** One socket for everything; every text frame is a message. */
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
    opened.on("message", (data) => takeFrame(String(data)));
    opened.on("error", (error) => lose(frameFailure(error, options.maxMessageBytes)));
    opened.on("close", (code, reason) => lose(closeReason(code, String(reason))));
    pings = keepAlive(opened, options.pingMs ?? defaultPingMs, () => lose("it stopped answering pings"));
    opening.opened(opened);
  }

  function takeFrame(text: string): void {
    if (opening.isOver()) return;
    const message = parseMessage(text);
    if (message === undefined) handlers.onNoise?.(noiseText(text));
    else handlers.onMessage(message);
  }

  async function send(message: OutgoingMessage, { signal }: SendOptions = {}): Promise<void> {
    const found = opening.use(signal);
    // Waiting for what is there would let a later message overtake this one.
    const open = found instanceof WebSocket ? found : await found;
    if (open.readyState !== WebSocket.OPEN)
      throw new TransportError("the connection is being closed", { sent: false });
    await new Promise<void>((resolve, reject) => {
      open.send(JSON.stringify(message), (error) => {
        if (error)
          reject(new TransportError(`sending failed: ${error.message}`, { sent: true, cause: error }));
        else resolve();
      });
    });
  }

  async function close(): Promise<void> {
    opening.ended();
    clearInterval(pings);
    if (socket?.readyState === WebSocket.OPEN) await sayGoodbye(socket);
    socket?.terminate();
  }

  openSocket(options, (created) => {
    socket = created;
    if (opening.isOver()) created.terminate();
  }).then(take, opening.failed);
  return { pid: null, send, close, useProtocolVersion() {} };
}

/** A peer that does not answer before it is asked again is gone, whatever its socket says. */
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

function sayGoodbye(socket: WebSocket): Promise<void> {
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
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
    return `it sent a message above the limit of ${limitBytes} bytes ('maxMessageBytes'), so the connection was closed with code 1009`;
  }
  if (error.code?.startsWith("WS_ERR")) {
    return `it broke the WebSocket protocol, so the connection was closed: ${error.message}`;
  }
  return `the connection was cut: ${error.message}`;
}

function closeReason(code: number, reason: string): string {
  if (code === 1006) return "the connection was cut (code 1006)";
  const said = noiseText(reason);
  return `it closed the connection with code ${code}${said === "" ? "" : `: ${said}`}`;
}
