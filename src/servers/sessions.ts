import type { Connection } from "./connection.ts";

/** Beside the shared one. Each may be a process, and any new conversation asks for one. */
export const maxSessions = 64;

/** Where sessions are not shared. */
export type SessionOwner = { user: string | null; conversation: string | null };

export const sharedOwner: SessionOwner = { user: null, conversation: null };

export type Sessions = {
  /** Also used for listing. */
  main: Connection;
  /** Undefined where all are in use. */
  of(owner: SessionOwner): Connection | undefined;
  /** Without making one. */
  find(owner: SessionOwner): Connection | undefined;
  all(): { owner: SessionOwner; connection: Connection }[];
  /** Returns how many were open. */
  release(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number>;
  close(reason: string): Promise<number>;
  drop(owner: SessionOwner): void;
};

/** One for all, or one for each user or conversation, as configured. */
export function createSessions(
  sharing: () => "shared" | "principal" | "conversation",
  create: (owner: SessionOwner) => Connection,
): Sessions {
  const main = create(sharedOwner);
  const own = new Map<string, { owner: SessionOwner; connection: Connection }>();

  function narrow({ user, conversation }: SessionOwner): SessionOwner {
    const by = sharing();
    if (by === "shared") return sharedOwner;
    return { user, conversation: by === "conversation" ? conversation : null };
  }

  /** Waited for when all are closed. */
  const leaving = new Set<Promise<void>>();
  function forget(key: string, reason: string): void {
    const left = own
      .get(key)
      ?.connection.close(reason)
      .finally(() => leaving.delete(left as Promise<void>));
    if (left) leaving.add(left);
    own.delete(key);
  }

  /** Failed ones go first, then the least recently used; none in use. */
  function hasRoom(): boolean {
    const spare = [...own].filter(([, { connection }]) => !connection.isInUse());
    for (const [key, { connection }] of spare)
      if (connection.live() === null && !isBackingOff(connection)) forget(key, "could not be opened");
    if (own.size < maxSessions) return true;
    const idle = spare.find(([key]) => own.has(key));
    if (idle) forget(idle[0], "others are used");
    return idle !== undefined;
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
      const known = own.get(key);
      if (!known && !hasRoom()) return undefined;
      const found = known ?? { owner, connection: create(owner) };
      // A map keeps its order: the last used stands last.
      own.delete(key);
      own.set(key, found);
      return found.connection;
    },
    find(given) {
      const owner = narrow(given);
      if (owner.user === null && owner.conversation === null) return main;
      return own.get(JSON.stringify(owner))?.connection;
    },
    all: () => [{ owner: sharedOwner, connection: main }, ...own.values()],
    release(belongs, reason) {
      const keys = [...own].filter(([, { owner }]) => belongs(owner)).map(([key]) => key);
      return end(keys, reason);
    },
    drop: (owner) => forget(JSON.stringify(owner), "idle"),
    async close(reason) {
      const wasOpen = main.live() ? 1 : 0;
      const [others] = await Promise.all([end([...own.keys()], reason), main.close(reason), ...leaving]);
      return wasOpen + others;
    },
  };
}

/** A sooner try would start a process for each call. */
function isBackingOff(connection: Connection): boolean {
  const { cooldownUntil } = connection.facts();
  return cooldownUntil !== null && Date.now() < cooldownUntil;
}
