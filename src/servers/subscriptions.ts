import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";
import type { ServerDirectory } from "./server-directory.ts";
import type { SessionOwner } from "./sessions.ts";

type Subscription = {
  server: string;
  uri: string;
  owner: SessionOwner;
  subscribers: number;
  ended: AbortController;
  /** The server's answer; all subscribers wait for the same one. */
  begun?: Promise<void>;
};

export type Subscriptions = {
  /** Resolves with a function that ends the subscription. */
  add(server: string, uri: string, owner: SessionOwner): Promise<() => void>;
  /** Subscribes again after a reconnect. */
  renew(server: string): void;
  stop(): void;
};

/** Subscriptions to resources. However many subscribers there are, the server is asked once. */
export function createSubscriptions(
  session: (server: string) => Session | null,
  request: ServerDirectory["request"],
): Subscriptions {
  const subscriptions = new Map<string, Subscription>();

  async function begin({ server, uri, owner, ended }: Subscription): Promise<void> {
    const { signal } = ended;
    try {
      await request(server, "resources/subscribe", { uri }, { signal }, owner);
    } catch (thrown) {
      // The later revision has one long request instead.
      const isGone = thrown instanceof RpcError && thrown.code === -32601;
      if (!isGone || session(server)?.era !== "modern") throw thrown;
      listen(server, uri, signal);
    }
  }

  function listen(server: string, uri: string, signal: AbortSignal): void {
    const params = { notifications: { resourceSubscriptions: [uri] } };
    session(server)
      ?.request("subscriptions/listen", params, { signal })
      .catch(() => undefined);
  }

  function end(key: string, subscription: Subscription): void {
    subscription.subscribers -= 1;
    if (subscription.subscribers > 0) return;
    subscriptions.delete(key);
    subscription.ended.abort();
    const { server, uri, owner } = subscription;
    if (session(server)?.era !== "legacy") return;
    request(server, "resources/unsubscribe", { uri }, {}, owner).catch(() => undefined);
  }

  return {
    async add(server, uri, owner) {
      const key = JSON.stringify([server, uri, owner.user]);
      const subscription: Subscription = subscriptions.get(key) ?? {
        server,
        uri,
        owner,
        subscribers: 0,
        ended: new AbortController(),
      };
      subscriptions.set(key, subscription);
      subscription.subscribers += 1;
      subscription.begun ??= begin(subscription);
      try {
        await subscription.begun;
      } catch (thrown) {
        // The next subscriber asks again.
        if (subscriptions.get(key) === subscription) subscriptions.delete(key);
        throw thrown;
      }
      let isOver = false;
      return () => {
        if (!isOver) end(key, subscription);
        isOver = true;
      };
    },
    renew(server) {
      for (const subscription of subscriptions.values())
        if (subscription.server === server) begin(subscription).catch(() => undefined);
    },
    stop() {
      for (const { ended } of subscriptions.values()) ended.abort();
      subscriptions.clear();
    },
  };
}
