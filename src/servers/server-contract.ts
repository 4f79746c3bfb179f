import type { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerCheck, ServerDefinition, ServerLogLine, ServerStatus } from "../model/server.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Session } from "../protocol/session.ts";
import type { OfferMethod } from "./offers.ts";
import type { SenderOptions } from "./send-request.ts";
import type { CatalogueOptions, Remembered } from "./server-catalogue.ts";
import type { OpenerOptions } from "./session-opener.ts";
import type { SessionOwner } from "./sessions.ts";

export type ServerOptions = Pick<
  OpenerOptions,
  | "environment"
  | "access"
  | "capabilities"
  | "ownCapabilities"
  | "emit"
  | "recalled"
  | "guard"
  | "turn"
  | "onSaid"
> &
  Pick<CatalogueOptions, "onTools" | "onKnown"> &
  Pick<SenderOptions, "taskQuietMs"> & {
    name: string;
    definition: ServerDefinition;
    /** Turns references to secrets into secrets, when they are needed. */
    resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
    secretValues(): readonly string[];
    /** Does every user speak to it in their own name? */
    isPersonal(): boolean;
    /** Nothing is started or asked; what is known from before has to do. */
    isOffline: boolean;
    /** What ran under this name before has stopped. */
    after?: Promise<void> | undefined;
  };

export type Server = {
  definition: ServerDefinition;
  /** Its tools are known: it has listed them, now or in an earlier life. */
  isKnown(): boolean;
  /** Takes over what was remembered. */
  recall(known: Remembered): void;
  /** Connects it and keeps it connected. */
  connect(): Promise<void>;
  /** Opens its session, because it is about to be used. */
  warm(): Promise<void>;
  /** Makes its tools known, asking again only when the last listing is too old. */
  discover(owner: SessionOwner): Promise<void>;
  /** Would `discover` find out nothing that is not known? */
  isSettled(owner: SessionOwner): boolean;
  /** Really asks it for its tools. */
  refresh(): Promise<void>;
  /** Ends its sessions; it stays away until somebody connects it. */
  disconnect(): Promise<void>;
  /** Ends its sessions and forgets its listing; tells how many sessions were open. */
  clear(): Promise<number>;
  /** Ends the sessions that were opened in this user's name. */
  forgetUser(user: string | null, isMainUser: boolean): Promise<void>;
  /** Is it running, or meant to? */
  isWanted(): boolean;
  release(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number>;
  /** Throws at once while it is away. */
  request(
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    owner: SessionOwner,
  ): Promise<unknown>;
  /** What it lists beside its tools, as far as it is known; null where it was never asked. */
  offered(method: OfferMethod): unknown[] | null;
  /** The same, asking it where it was never asked, or runs and was asked too long ago. */
  list(method: OfferMethod, signal: AbortSignal): Promise<unknown[]>;
  /** Is it there? Asked with a ping, or with a listing where there is none. */
  check(signal: AbortSignal): Promise<ServerCheck>;
  session(): Session | null;
  /** What a person has to do before it can be used, when that is why it cannot. */
  requirement(): PlaneError | null;
  /** Since when it is being installed; null when it is not. */
  installingSince(): number | null;
  status(): Omit<ServerStatus, "name" | "tools" | "rejected">;
  sessionOwners(): SessionOwner[];
  /** What it said in the name of everybody or of this user. */
  logs(user: string | null): ServerLogLine[];
  /** The same from now on, line by line, until the returned function is called. */
  followLogs(user: string | null, listener: (line: ServerLogLine) => void): () => void;
  stop(): Promise<void>;
};
