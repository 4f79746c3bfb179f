import type { Connection } from "./connection-contract.ts";

/** Who a session belongs to, where they are not shared. */
export type SessionOwner = { user: string | null; conversation: string | null };

export const nobodysSession: SessionOwner = { user: null, conversation: null };

export type Sessions = {
  /** The session of everybody, through which the server is also asked what it offers. */
  main: Connection;
  of(owner: SessionOwner): Connection;
  all(): { owner: SessionOwner; connection: Connection }[];
  /** Ends those of these owners and tells how many were open. */
  release(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number>;
  close(reason: string): Promise<number>;
  /** Somebody's own session is over and need not be remembered. */
  drop(owner: SessionOwner): void;
};

/** One session for all, or one for each user or conversation, as the server's configuration asks. */
export function createSessions(
  sharing: () => "shared" | "principal" | "conversation",
  create: (owner: SessionOwner) => Connection,
): Sessions {
  const main = create(nobodysSession);
  const own = new Map<string, { owner: SessionOwner; connection: Connection }>();

  function narrow({ user, conversation }: SessionOwner): SessionOwner {
    const by = sharing();
    if (by === "shared") return nobodysSession;
    return { user, conversation: by === "conversation" ? conversation : null };
  }

  async function end(keys: string[], reason: string): Promise<number> {
    const ended = keys.map((key) => {
      const connection = own.get(key)?.connection;
      own.delete(key);
      const wasOpen = connection?.live() ? 1 : 0;
      return (connection?.close(reason) ?? Promise.resolve()).then(() => wasOpen);
    });
    return (await Promise.all(ended)).reduce<number>((sum, open) => sum + open, 0);
  }

  return {
    main,
    of(given) {
      const owner = narrow(given);
      if (owner.user === null && owner.conversation === null) return main;
      const key = JSON.stringify(owner);
      const found = own.get(key) ?? { owner, connection: create(owner) };
      own.set(key, found);
      return found.connection;
    },
    all: () => [{ owner: nobodysSession, connection: main }, ...own.values()],
    release(belongs, reason) {
      const keys = [...own].filter(([, { owner }]) => belongs(owner)).map(([key]) => key);
      return end(keys, reason);
    },
    drop: (owner) => void own.delete(JSON.stringify(owner)),
    async close(reason) {
      const wasOpen = main.live() ? 1 : 0;
      const [others] = await Promise.all([end([...own.keys()], reason), main.close(reason)]);
      return wasOpen + others;
    },
  };
}
