import type { Json, JsonObject } from "../json.ts";
import type { ConfigProblem } from "./config.ts";

/** Where a value of the configuration comes from. */
export type Origin = { file: string; line: number | null; path: string };

export type Explanation = { key: string; value: Json; origin: Origin };

export type ConfigCheck = { ok: boolean; files: string[]; problems: ConfigProblem[] };

/** A reference of a client and what stands in its place. */
export type TranslatedReference = { server: string; from: string; to: string };

/** A variable that has to be set, because only the client knew the value. */
export type NeededVariable = {
  name: string;
  servers: string[];
  description: string | null;
  isSecret: boolean;
  isSet: boolean;
};

export type ImportReport = {
  found: { client: string; path: string; servers: string[] }[];
  imported: string[];
  skipped: { name: string; reason: string }[];
  /** Servers that got another name, because theirs was taken by a different server. */
  renamed: { name: string; client: string; from: string }[];
  translated: TranslatedReference[];
  variables: NeededVariable[];
  /** Servers whose entry holds a secret in clear. */
  holdSecrets: string[];
  /** The file the servers were written to; null after a dry run. */
  path: string | null;
};

export type ClientScope = "user" | "project";

export type ConnectOptions = {
  /** Left out: the project's file in a project with a configuration, else the user's. */
  scope?: ClientScope;
  /** Leave the client's servers where they are. */
  keep?: boolean;
  dryRun?: boolean;
  /** The configuration that takes the servers. */
  file?: string;
};

export type ClientConnection = {
  client: string;
  title: string;
  scope: ClientScope;
  /** The client's file. */
  path: string;
  isDryRun: boolean;
  /** False when everything was so already. */
  isChanged: boolean;
  backup: string | null;
  /** Our entry. */
  server: JsonObject;
  /** The files that the gateway reads. */
  config: string[];
  /** The configuration that takes the servers; null when none is moved. */
  into: string | null;
  /** `isNew` is false for a server that the configuration had already. */
  moved: { name: string; as: string; isNew: boolean }[];
  kept: { name: string; reason: string }[];
  translated: TranslatedReference[];
  variables: NeededVariable[];
  /** Moved servers whose entry holds a secret in clear. */
  holdSecrets: string[];
  /** Servers of the client in other places, which it still starts itself; `scope` is null where we do not write. */
  elsewhere: { path: string; scope: ClientScope | null; servers: string[] }[];
  /** The configuration that the client was connected to before. */
  replaces: string[] | null;
  /** Servers that were moved before, into a configuration that the client does not use any more. */
  leftBehind: { name: string; path: string }[];
  /** The client uses the configuration of this directory in every project. */
  isForEveryProject: boolean;
};

export type DisconnectOptions = {
  scope?: ClientScope;
  /** Take the moved servers out of our configuration as well. */
  remove?: boolean;
};

export type ClientDisconnection = {
  client: string;
  title: string;
  scope: ClientScope;
  path: string;
  /** The file is as it was before, or later changes stayed in it, or it was made for us and is gone. */
  outcome: "restored" | "merged" | "deleted";
  /** Servers that are back in the client's file. */
  returned: string[];
  /** Servers of the backup that are not in the file. */
  missing: { name: string; reason: string }[];
  /** The backup that was kept, because something is only there. */
  backup: string | null;
  /** Servers that our configuration still has. */
  stays: { name: string; path: string }[];
  removed: { name: string; path: string }[];
  /** Other files of the client that still start Toolplane. */
  alsoConnected: string[];
};

export type ClientStatus = {
  client: string;
  title: string;
  isInstalled: boolean;
  connected: { scope: ClientScope; path: string; config: string[] }[];
  /** Its files that are there, with the servers in them. */
  files: { scope: ClientScope; path: string; servers: string[] }[];
};

export type InitOptions = {
  file: string | undefined;
  force: boolean;
  /** Servers to start with, in the native form. */
  servers: Readonly<Record<string, JsonObject>>;
};

/** Everything that can be done to the configuration itself. */
export interface Setup {
  check(): Promise<ConfigCheck>;
  /** The normal form with secrets masked. */
  show(): Promise<JsonObject>;
  /** One value, or everything below a key, with file and line. */
  explain(key: string): Promise<Explanation[]>;
  schema(): JsonObject;
  /** What a manifest file says, in whatever format. */
  readManifest(file: string): Promise<unknown>;
  init(options: InitOptions): Promise<{ path: string }>;
  addServer(name: string, definition: JsonObject, file?: string): Promise<{ path: string }>;
  /** Adds a server or replaces the one of that name, where it is defined. An entry that is not valid changes nothing. */
  putServer(name: string, definition: JsonObject): Promise<{ path: string }>;
  removeServer(name: string, file?: string): Promise<{ path: string }>;
  /** The clients whose configuration we can read and write. */
  clients(): Promise<ClientStatus[]>;
  importClients(clients: readonly string[], options: ImportOptions): Promise<ImportReport>;
  connectClient(client: string, options?: ConnectOptions): Promise<ClientConnection>;
  disconnectClient(client: string, options?: DisconnectOptions): Promise<ClientDisconnection>;
}

export type ImportOptions = { dryRun: boolean; file?: string };

export type DoctorCheck = { name: string; ok: boolean; detail: string; fix: string | null };
export type DoctorReport = { servers: { name: string; ok: boolean; checks: DoctorCheck[] }[] };
