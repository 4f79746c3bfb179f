import type { UnknownObject } from "../../src/model/json.ts";
import type { Channel, OutgoingMessage } from "../../src/protocol/message.ts";
import { createPeer, refuseRequest } from "../../src/protocol/peer.ts";

export type Sent = {
  id?: number | string;
  method?: string;
  params?: UnknownObject;
  result?: unknown;
  error?: unknown;
};

/** A peer whose channel remembers what it was given. */
export function connectPeer(
  send: (message: OutgoingMessage) => Promise<void> | void = () => undefined,
  { onRequest = refuseRequest, cancelsByClosing = false } = {},
) {
  const sent: Sent[] = [];
  const notified: string[] = [];
  const strays = { count: 0 };
  const channel: Channel = {
    pid: null,
    cancelsByClosing,
    useProtocolVersion() {},
    close: async () => undefined,
    send(message) {
      sent.push(message);
      return send(message);
    },
  };
  const peer = createPeer(() => channel, {
    onNotification: (method) => notified.push(method),
    onRequest,
    onStray() {
      strays.count += 1;
    },
  });
  const answer = (id: unknown, body: object) => peer.receive({ jsonrpc: "2.0", id, ...body });
  return { peer, sent, notified, strays, answer };
}
