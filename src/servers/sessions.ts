import { steadyNow } from "../lib/async/steady-time.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import type { Principal } from "../model/principal.ts";
import type { ServerConnection } from "./connection.ts";

/** Beside the shared one. Each may be a process, and any new conversation asks for one. */
export const maxSessions = 64;

/**
 * With `extensions`, beside the session that was opened before a client declared them; with `era`, beside the one of the
 * later era, for clients of the older one that can be asked. `directory` is where the caller
 * works: servers that work there have a set of sessions for each (`directories/`).
 */
export type SessionOwner = {
  user: string | null;
  conversation: string | null;
  extensions?: string;
  era?: "legacy";
  directory?: string;
};

export function ownerOfCaller(
  { user, directory }: Pick<Principal, "user" | "directory">,
  conversation: string | null = null,
): SessionOwner {
  return directory === undefined ? { user, conversation } : { user, conversation, directory };
}

export const sharedOwner: SessionOwner = { user: null, conversation: null };

export function isShared({ user, conversation, extensions, era }: SessionOwner): boolean {
  const isPlain = extensions === undefined && era === undefined;
  return user === null && conversation === null && isPlain;
}

export type ServerSessions = ReturnType<typeof createServerSessions>;

type Sharing = {
  sharing(): "shared" | "principal" | "conversation";
  /** May this user have the main session, whatever the sharing? */
  isUsual?(user: string | null): boolean;
};

/** One for all, or one for each user or conversation, as configured. */
export function createServerSessions(
  { sharing, isUsual }: Sharing,
  create: (owner: SessionOwner) => ServerConnection,
) {
  const main = create(sharedOwner);
  const ownSessions = new Map<string, { owner: SessionOwner; connection: ServerConnection }>();

  function narrow({ user, conversation, extensions, era }: SessionOwner): SessionOwner {
    const sharingMode = sharing();
    const isOfAll = sharingMode === "shared" || isUsual?.(user);
    const ownConversation = sharingMode === "conversation" ? conversation : null;
    const owner = isOfAll ? sharedOwner : { user, conversation: ownConversation };
    if (extensions === undefined && era === undefined) return owner;
    return { ...owner, ...withoutUndefined({ extensions, era }) };
  }

  /** Waited for when all are closed. */
  const leaving = new Set<Promise<void>>();
  function forget(key: string, reason: string): void {
    const closed = ownSessions.get(key)?.connection.close(reason);
    ownSessions.delete(key);
    const ended = closed?.finally(() => leaving.delete(ended as Promise<void>));
    if (ended) leaving.add(ended);
  }

  /** Failed ones go first, then the least recently used; none in use. */
  function hasRoom(): boolean {
    const spare = [...ownSessions].filter(([, { connection }]) => !connection.isInUse());
    for (const [key, { connection }] of spare)
      if (connection.live() === null && !isBackingOff(connection))
        forget(key, "could not be opened");
    if (ownSessions.size < maxSessions) return true;
    const idle = spare.find(([key]) => ownSessions.has(key));
    if (idle) forget(idle[0], "others are used");
    return idle !== undefined;
  }

  async function end(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number> {
    const ending = [...ownSessions].filter(([, { owner }]) => belongs(owner));
    for (const [key] of ending) ownSessions.delete(key);
    const open = ending.filter(([, { connection }]) => connection.live()).length;
    await Promise.all(ending.map(([, { connection }]) => connection.close(reason)));
    return open;
  }

  return {
    main,
    sharing,
    /** Undefined where all are in use. */
    of(requestedOwner: SessionOwner): ServerConnection | undefined {
      const owner = narrow(requestedOwner);
      if (isShared(owner)) return main;
      const key = JSON.stringify(owner);
      const existing = ownSessions.get(key);
      if (!existing && !hasRoom()) return undefined;
      const session = existing ?? { owner, connection: create(owner) };
      // A map keeps its order: the last used stands last.
      ownSessions.delete(key);
      ownSessions.set(key, session);
      return session.connection;
    },
    find(requestedOwner: SessionOwner): ServerConnection | undefined {
      const owner = narrow(requestedOwner);
      return isShared(owner) ? main : ownSessions.get(JSON.stringify(owner))?.connection;
    },
    all: () => [{ owner: sharedOwner, connection: main }, ...ownSessions.values()],
    release: end,
    drop: (owner: SessionOwner) => forget(JSON.stringify(owner), "idle"),
    async close(reason: string): Promise<number> {
      const wasOpen = main.live() ? 1 : 0;
      const [closedCount] = await Promise.all([
        end(() => true, reason),
        main.close(reason),
        ...leaving,
      ]);
      return wasOpen + closedCount;
    },
  };
}

/** A sooner try would start a process for each call. */
function isBackingOff(connection: ServerConnection): boolean {
  const { cooldownUntil } = connection.facts();
  return cooldownUntil !== null && steadyNow() < cooldownUntil;
}
