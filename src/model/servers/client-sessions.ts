import type { AsClient } from "../calls/provider.ts";
import type { UnknownObject } from "../json.ts";

/** A legacy client's session, with what another plane needs to continue it. */
export type StoredSession = {
  owner: string;
  version: string;
  client: AsClient;
  /** The client's view of the plane. */
  view: UnknownObject;
  /** Resources, as the client names them. */
  watched: string[];
  /** Keys of loaded tools, where the client has its own list. */
  loaded?: string[];
};

type SessionNews = { id: string; what: "changed" | "mail" };

/** Sessions that all planes on one store share. */
export type SessionStore = {
  /** Does it outlive this process? */
  outlivesUs: boolean;
  /** Without a reachable store it is valid here only. */
  keep(id: string, session: StoredSession): Promise<void>;
  /** Null when it is unknown, ended, or was idle too long. */
  find(id: string): Promise<StoredSession | null>;
  change(id: string, change: (session: StoredSession) => StoredSession): Promise<void>;
  touch(id: string): Promise<void>;
  end(id: string): Promise<void>;
  /** False when some plane has used it since. */
  endUnused(id: string): Promise<boolean>;
  ended(ids: readonly string[]): Promise<string[]>;
  /** For the plane it is meant for. */
  leaveMail(id: string, message: UnknownObject): Promise<void>;
  mail(id: string): Promise<UnknownObject[]>;
  onNews(listener: (news: SessionNews) => void): () => void;
  /** Removes expired sessions; one plane does it. */
  tidy(): Promise<void>;
};

/** An unused session ends after this. */
export const sessionIdleMs = 30 * 60_000;
/** How often its use is noted. */
export const sessionTouchMs = 5 * 60_000;
