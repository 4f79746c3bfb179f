import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";
import type { Servers } from "./servers-contract.ts";
import type { SessionOwner } from "./sessions.ts";

type Watch = {
  server: string;
  uri: string;
  owner: SessionOwner;
  watchers: number;
  ended: AbortController;
  /** Whether the server agrees; all that watch wait for the same answer. */
  begun?: Promise<void>;
};

export type Watches = {
  /** Resolves when the server has agreed, with what ends it. */
  add(server: string, uri: string, owner: SessionOwner): Promise<() => void>;
  /** The server is there again and has forgotten everything. */
  renew(server: string): void;
  stop(): void;
};

/** Resources whose changes somebody wants to hear of. However many want it, the server is asked once. */
export function createWatches(
  session: (server: string) => Session | null,
  request: Servers["request"],
): Watches {
  const watches = new Map<string, Watch>();

  async function begin({ server, uri, owner, ended }: Watch): Promise<void> {
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

  function end(key: string, watch: Watch): void {
    watch.watchers -= 1;
    if (watch.watchers > 0) return;
    watches.delete(key);
    watch.ended.abort();
    const { server, uri, owner } = watch;
    if (session(server)?.era !== "legacy") return;
    request(server, "resources/unsubscribe", { uri }, {}, owner).catch(() => undefined);
  }

  return {
    async add(server, uri, owner) {
      const key = JSON.stringify([server, uri, owner.user]);
      const watch: Watch = watches.get(key) ?? {
        server,
        uri,
        owner,
        watchers: 0,
        ended: new AbortController(),
      };
      watches.set(key, watch);
      watch.watchers += 1;
      watch.begun ??= begin(watch);
      try {
        await watch.begun;
      } catch (thrown) {
        // The next one that wants to watch asks again.
        if (watches.get(key) === watch) watches.delete(key);
        throw thrown;
      }
      let isOver = false;
      return () => {
        if (!isOver) end(key, watch);
        isOver = true;
      };
    },
    renew(server) {
      for (const watch of watches.values()) if (watch.server === server) begin(watch).catch(() => undefined);
    },
    stop() {
      for (const { ended } of watches.values()) ended.abort();
      watches.clear();
    },
  };
}
