import type { ServerInput } from "../../../generated/config/server-input.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { isObject } from "../../model/json.ts";
import {
  type Channel,
  type ChannelHandlers,
  type RequestId,
  renderMessage,
  TransportError,
} from "../../protocol/message.ts";
import { noiseText, parseMessage } from "./parse-message.ts";

/** A JSON-RPC message of MCP. */
export type MemoryMessage = {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
};

/** One connection, as the official SDK's servers take it. */
export type MemoryTransport = {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
};

/** Receives each message and replies when it likes; a request whose handler throws is answered with an error. */
export type MemoryHandler = (message: MemoryMessage, reply: (message: object) => void) => unknown;

/** A server object of the official SDK, or anything else that takes connections. */
export type MemoryServer = { connect(transport: MemoryTransport): unknown };

const scheme = "memory://";
const servers = new Map<string, MemoryServer>();

/**
 * A server within this process, as an entry of a configuration: no program is started and nothing is listened on. Messages are
 * copied as JSON on their way, as on any wire.
 *
 * @example
 * const server = new McpServer({ name: "demo", version: "1.0.0" });
 * await using plane = await createPlane({ servers: { demo: inMemory(server) } });
 */
export function inMemory(server: MemoryServer | MemoryHandler): ServerInput & { url: string } {
  const url = `${scheme}${servers.size + 1}`;
  servers.set(
    url,
    typeof server === "function" ? { connect: (transport) => attach(server, transport) } : server,
  );
  return { url };
}

function attach(handler: MemoryHandler, transport: MemoryTransport): void {
  const reply = (message: object) => void transport.send(message);
  transport.onmessage = async (message: MemoryMessage) => {
    try {
      await handler(message, reply);
    } catch (thrown) {
      const text = errorText(thrown);
      const { id, method } = message;
      if (id !== undefined && method !== undefined)
        reply({ jsonrpc: "2.0", id, error: { code: -32603, message: text } });
    }
  };
  void transport.start();
}

/** Opens a connection to a server that `inMemory` made. */
export async function openMemory(
  url: string,
  maxMessageBytes: number,
  handlers: ChannelHandlers,
): Promise<Channel> {
  const server = servers.get(url);
  if (server === undefined) {
    const reason = `no server '${url}' is in this process; make its entry with inMemory() of 'toolplane/testing'`;
    throw new TransportError(reason, { sent: false, permanent: true });
  }
  let isClosed = false;
  let isStarted = false;
  /** What arrives before the server listens. */
  const waiting: string[] = [];

  const deliver = (line: string) => {
    if (isClosed) return;
    try {
      transport.onmessage?.(JSON.parse(line) as never);
    } catch (thrown) {
      transport.onerror?.(thrown as Error);
    }
  };
  const take = (line: string) => {
    if (isClosed) return;
    const bytes = Buffer.byteLength(line);
    const message = parseMessage(line);
    if (message === undefined) handlers.onNoise?.(noiseText(line));
    else if (bytes > maxMessageBytes) handlers.onTooLarge?.(idOf(message), bytes);
    else handlers.onMessage(message);
  };
  const end = () => {
    if (isClosed) return false;
    isClosed = true;
    transport.onclose?.();
    return true;
  };
  const transport: MemoryTransport = {
    async start() {
      isStarted = true;
      for (const line of waiting.splice(0)) queueMicrotask(() => deliver(line));
    },
    async send(message) {
      const line = JSON.stringify(message);
      queueMicrotask(() => take(line));
    },
    async close() {
      if (end()) handlers.onClose(new TransportError("it closed the connection", { sent: true }));
    },
  };
  await server.connect(transport);
  return {
    pid: null,
    useProtocolVersion() {},
    send(message) {
      if (isClosed) throw new TransportError("the connection was closed", { sent: false });
      const line = renderMessage(message);
      if (isStarted) queueMicrotask(() => deliver(line));
      else waiting.push(line);
    },
    async close() {
      end();
    },
  };
}

function idOf(message: unknown): RequestId | undefined {
  if (!isObject(message) || message.method !== undefined) return undefined;
  return message.id as RequestId | undefined;
}
