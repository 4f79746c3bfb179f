import type { AsClient } from "../calls/provider.ts";
import type { UnknownObject } from "../json.ts";

/** The session of a client that begins with a handshake, with all that another plane needs to go on with it. */
export type KeptSession = {
  /** Only this owner can resume it. */
  owner: string;
  version: string;
  client: AsClient;
  /** How the client wants to see the plane. */
  view: UnknownObject;
  /** Addresses of resources as the client knows them. */
  watched: string[];
  /** The tools that the client has loaded, by key, where a list of its own is kept with it. */
  loaded?: string[];
};

/** What happened to a session on another plane. */
export type SessionNews = { id: string; what: "changed" | "mail" };

/** Sessions of clients as all planes on one store know them. */
export type KeptSessions = {
  /** Does it outlive this process? */
  outlivesUs: boolean;
  /** Without a store that can be reached, the session is good here only. */
  keep(id: string, session: KeptSession): Promise<void>;
  /** Null when it never existed, has ended, or was idle too long. */
  find(id: string): Promise<KeptSession | null>;
  change(id: string, change: (session: KeptSession) => KeptSession): Promise<void>;
  /** It is in use. */
  touch(id: string): Promise<void>;
  /** Ends it on every plane. */
  end(id: string): Promise<void>;
  /** Ends it, unless some plane has used it since; false then. */
  endUnused(id: string): Promise<boolean>;
  /** Those of these that have ended elsewhere. */
  ended(ids: readonly string[]): Promise<string[]>;
  /** Leaves a message for the plane that it is meant for, which another got. */
  leaveMail(id: string, message: UnknownObject): Promise<void>;
  mail(id: string): Promise<UnknownObject[]>;
  onNews(listener: (news: SessionNews) => void): () => void;
  /** Forgets what is over; of several planes one does it. */
  tidy(): Promise<void>;
};

/** A session that is used nowhere is over after this. */
export const sessionIdleMs = 30 * 60_000;
/** So often it is noted that it is in use. */
export const sessionTouchMs = 5 * 60_000;
