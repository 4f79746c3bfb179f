import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { TransportError } from "../../protocol/message.ts";
import { connectFailure, refused } from "./http-failure.ts";
import type { HttpOptions } from "./http-request.ts";

const handshakeMs = 30_000;

/** Opens a socket that speaks MCP; `onSocket` is told it while it still opens, so that it can be ended. */
export async function openSocket(
  options: HttpOptions,
  onSocket: (socket: WebSocket) => void,
): Promise<WebSocket> {
  const url = new URL(options.url);
  const opened = await openOnce(options, url, onSocket);
  if (opened instanceof WebSocket) return opened;
  const status = opened.statusCode ?? 0;
  if (options.onRefused && (status === 401 || status === 403)) {
    const wwwAuthenticate = opened.headers["www-authenticate"] ?? null;
    if (await options.onRefused({ status, wwwAuthenticate })) {
      const again = await openOnce(options, url, onSocket);
      if (again instanceof WebSocket) return again;
      throw noSocket(again, url);
    }
  }
  throw noSocket(opened, url);
}

/** Resolves with the answer instead where the server refuses to change to another protocol. */
async function openOnce(
  options: HttpOptions,
  url: URL,
  onSocket: (socket: WebSocket) => void,
): Promise<WebSocket | IncomingMessage> {
  const identity = options.authorize && (await options.authorize());
  return new Promise((resolve, reject) => {
    const socket = createSocket(options, url, { ...options.headers, ...identity });
    socket.on("error", (error) =>
      reject(new TransportError(handshakeFailure(error, url), { sent: false, cause: error })),
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
  try {
    return new WebSocket(url, "mcp", {
      headers,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false,
      handshakeTimeout: handshakeMs,
    });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const reason = `the connection to ${url.host} cannot be made: ${why}. Check 'url' and 'headers'`;
    throw new TransportError(reason, { sent: false, permanent: true, cause: thrown });
  }
}

function handshakeFailure(error: NodeJS.ErrnoException, url: URL): string {
  if (!/subprotocol/i.test(error.message)) return connectFailure(error, url);
  return `what listens at ${url.host} does not speak the sub-protocol 'mcp'. Check 'url'`;
}

function noSocket(response: IncomingMessage, url: URL): TransportError {
  const status = response.statusCode ?? 0;
  if (status >= 300) return refused(response, url);
  const reason = `what listens at ${url.host} is no WebSocket. Check 'url' and 'transport'`;
  return new TransportError(reason, { sent: false, permanent: true, status });
}
