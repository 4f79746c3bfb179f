import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { UnknownObject } from "../../src/model/json.ts";
import type { Channel, ChannelHandlers, TransportError } from "../../src/protocol/message.ts";
import { createPeer, type Peer, refuseRequest } from "../../src/protocol/peer.ts";

export type Connected = AsyncDisposable & {
  peer: Peer;
  channel: Channel;
  /** Every message as it arrived. */
  messages: unknown[];
  /** Resolves with the reason when the channel says that it is over. */
  closed: Promise<TransportError>;
  closings: number;
  call(tool: string, args?: UnknownObject): Promise<UnknownObject>;
  handshake(): Promise<void>;
};

/** A peer over a channel, as a connection has it, with everything that happened to look at. */
export async function connectVia(
  open: (handlers: ChannelHandlers) => Channel | Promise<Channel>,
): Promise<Connected> {
  const closed = Promise.withResolvers<TransportError>();
  const messages: unknown[] = [];
  const peer: Peer = createPeer(() => channel, {
    onNotification: () => undefined,
    onRequest: refuseRequest,
    onStray: () => undefined,
  });
  const channel: Channel = await open({
    onMessage(message) {
      messages.push(message);
      peer.receive(message);
    },
    onClose(reason) {
      connected.closings += 1;
      peer.fail(reason);
      closed.resolve(reason);
    },
  });
  const connected: Connected = {
    peer,
    channel,
    messages,
    closed: closed.promise,
    closings: 0,
    call: async (name, args = {}) =>
      (await peer.request("tools/call", { name, arguments: args })) as UnknownObject,
    async handshake() {
      const clientInfo = { name: "test", version: "1.0.0" };
      await peer.request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo,
      });
      channel.useProtocolVersion("2025-11-25");
      peer.notify("notifications/initialized");
    },
    [Symbol.asyncDispose]: () => channel.close(),
  };
  return connected;
}

/** An HTTP server for answers that no well-behaved fixture gives. */
export async function listen(
  listener: RequestListener,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
