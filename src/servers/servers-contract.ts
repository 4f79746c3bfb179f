import type { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Relay, ServerSaid } from "../model/relay.ts";
import type {
  KnownServer,
  PoolInfo,
  RefreshReport,
  ServerCheck,
  ServerDefinition,
  ServerLogLine,
} from "../model/server.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Era, Session } from "../protocol/session.ts";
import type { OfferMethod } from "./offers.ts";
import type { DirectoryOptions, ServerDirectory } from "./server-directory.ts";
import type { SessionOwner } from "./sessions.ts";
import type { Access } from "./transports/http-request.ts";

export type ServersOptions = Omit<DirectoryOptions, "create"> & {
  environment: Readonly<Record<string, string | undefined>>;
  /** Turns references to secrets into secrets, when they are needed. */
  resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
  /** Values that must not be told in any message, beside those of the definition itself. */
  secretValues(): readonly string[];
  /** How a server is told who asks. */
  access(name: string, definition: ServerDefinition, user: string | null): Access;
  isPersonal(definition: ServerDefinition): boolean;
  isOffline: boolean;
  /** What can be answered when a server asks something back. */
  capabilities?: UnknownObject;
  /** Without whoever calls, where that is less. */
  ownCapabilities?: UnknownObject | undefined;
  /** Told of what a server says by itself. */
  onSaid?(said: ServerSaid): void;
  /** When a call that runs as a background task is told to be one. */
  taskQuietMs?: number | undefined;
  emit(event: PlaneEvent): void;
  onTools(server: string, definition: ServerDefinition, tools: unknown[], era: Era): void;
  /** Stands for a server and everything that makes it what it is. */
  identify(name: string, definition: ServerDefinition): string;
  /** To be kept for the next time. */
  onKnown(known: KnownServer, server: string, definition: ServerDefinition): void;
  /** What was kept of these. */
  known(identities: readonly string[]): Promise<readonly KnownServer[]>;
};

export type Servers = Pick<ServerDirectory, "names" | "requireName" | "trouble" | "status" | "apply"> & {
  /** Starts those that are to run with the plane. */
  start(): Promise<void>;
  connect(name: string): Promise<void>;
  disconnect(name: string): Promise<void>;
  /** Tries those that are meant to be started, without keeping them. */
  probe(): Promise<void>;
  warmOne(name: string): Promise<void>;
  /** Begins to start these servers, because one of them is about to be used. */
  warm(names: readonly string[]): void;
  /** Makes the tools of these servers known; one that fails delays and fails nobody else. */
  discover(
    names?: readonly string[],
    options?: {
      waitMs?: number;
      owner?: SessionOwner;
      /** Where no names are given: of all servers only these. */
      among?: readonly string[];
      /** Told while one of them is being installed. */
      onProgress?: Relay["onProgress"];
    },
  ): Promise<void>;
  /** Would `discover` find out nothing that is not known? */
  isSettled(names: readonly string[], owner: SessionOwner): boolean;
  /** Makes the tools of one server known, or says why they cannot be. */
  discoverOne(name: string, options?: { waitMs?: number; owner?: SessionOwner }): Promise<void>;
  /** Really asks them again; without `force` those that back off are left alone. */
  refresh(names: readonly string[], options?: { force?: boolean }): Promise<RefreshReport>;
  request(
    name: string,
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    owner?: SessionOwner,
  ): Promise<unknown>;
  check(name: string, signal: AbortSignal): Promise<ServerCheck>;
  /** What a server lists beside its tools. One that is left alone until it is named lists what is known of it. */
  list(name: string, method: OfferMethod, signal: AbortSignal, isNamed: boolean): Promise<unknown[]>;
  /** The same without asking it; null where it was never asked. */
  offered(name: string, method: OfferMethod): unknown[] | null;
  /** The session that everybody shares, when it is open. */
  session(name: string): Session | null;
  /** What a person has to do before it can be used, when that is why it cannot. */
  requirement(name: string): PlaneError | null;
  logs(name: string, user: string | null): ServerLogLine[];
  followLogs(name: string, user: string | null, listener: (line: ServerLogLine) => void): () => void;
  /** The token of a user for a server is another one now. */
  forgetUser(name: string, user: string | null, isMainUser: boolean): Promise<void>;
  pool(): PoolInfo;
  clear(name?: string): Promise<number>;
  /** Ends the sessions of these owners. */
  release(belongs: (owner: SessionOwner) => boolean, reason: string, name?: string): Promise<number>;
  stop(): Promise<void>;
};
