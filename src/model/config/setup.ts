import type { PolicyRule } from "../access/policy.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Caller } from "../principal.ts";
import type { ServersChange } from "../servers/server.ts";
import type {
  AddedServer,
  AddHooks,
  AddOptions,
  FoundServer,
  SecretPlace,
  ServerUpdate,
  Trial,
} from "./adding.ts";
import type { ConfigProblem } from "./config.ts";

export type SettingOrigin = { file: string; line: number | null; path: string };

export type Explanation = { key: string; value: Json; origin: SettingOrigin };

type ConfigCheck = { ok: boolean; files: string[]; problems: ConfigProblem[] };

export type TranslatedReference = { server: string; from: string; to: string };

/** A variable to set: only the client knew the value. */
export type NeededVariable = {
  name: string;
  servers: string[];
  description: string | null;
  isSecret: boolean;
  isSet: boolean;
};

type Translated = {
  translated: TranslatedReference[];
  variables: NeededVariable[];
  /** Secrets that stood in clear, and where they are now; null before they are kept, and where they are not. */
  secrets: { server: string; name: string; where: string | null }[];
  /** Servers whose entry still holds one in clear. */
  holdSecrets: string[];
};

export type ImportReport = Translated & {
  found: { client: string; path: string; servers: string[] }[];
  imported: string[];
  /** What each of them starts or reaches. */
  launches: { name: string; launch: string }[];
  skipped: { name: string; reason: string }[];
  renamed: { name: string; client: string; from: string }[];
  /** Null after a dry run. */
  path: string | null;
};

export type ClientScope = "user" | "project";

export type ConnectOptions = {
  /** Default: the project's file in a project with a configuration, else the user's. */
  scope?: ClientScope;
  /** Leaves the client's servers in place. */
  keep?: boolean;
  dryRun?: boolean;
  file?: string;
  /** Where secrets are kept that stand in clear in the client's file. Default: `file`. */
  secrets?: SecretPlace;
};

type ClientFile = { client: string; title: string; scope: ClientScope; path: string };

export type ClientConnection = ClientFile &
  Translated & {
    isDryRun: boolean;
    /** False when nothing had to change. */
    isChanged: boolean;
    backup: string | null;
    server: JsonObject;
    config: string[];
    into: string | null;
    /** `isNew` is false for a server that the configuration had. */
    moved: { name: string; as: string; isNew: boolean; launch: string }[];
    kept: { name: string; reason: string }[];
    /** Servers the client still starts itself; `scope` is null where we do not write. */
    elsewhere: { path: string; scope: ClientScope | null; servers: string[] }[];
    /** The client's previous configuration. */
    replaces: string[] | null;
    /** Servers moved earlier, into a configuration that the client no longer uses. */
    leftBehind: { name: string; path: string }[];
    /** The client uses this directory's configuration in every project. */
    isForEveryProject: boolean;
  };

export type DisconnectOptions = {
  scope?: ClientScope;
  /** Also removes the moved servers from our configuration. */
  remove?: boolean;
};

export type ClientDisconnection = ClientFile & {
  /** As before, with later changes kept, or gone because it was ours. */
  outcome: "restored" | "merged" | "deleted";
  returned: string[];
  /** In the backup but not in the file. */
  missing: { name: string; reason: string }[];
  /** Path of the backup; null when everything in it is back in the file. */
  backup: string | null;
  /** Still in our configuration. */
  stays: { name: string; path: string }[];
  removed: { name: string; path: string }[];
  alsoConnected: string[];
};

export type ClientStatus = {
  client: string;
  title: string;
  isInstalled: boolean;
  connected: { scope: ClientScope; path: string; config: string[] }[];
  files: { scope: ClientScope; path: string; servers: string[] }[];
};

type InitOptions = {
  file: string | undefined;
  force: boolean;
  servers: Readonly<Record<string, JsonObject>>;
};

/** One thing that a person trusts or not. A changed one has another hash. */
export type TrustLine = {
  name: string;
  launch: string;
  hash: string;
  trusted: boolean;
  /** False where it waits for trust, or for that of another line that it needs. */
  inForce: boolean;
  /** It was trusted, and has changed since. */
  changed: boolean;
};

/** What a project's files bring, and what of the user's own would work in the project's directory. */
export type ProjectTrust = {
  directory: string;
  servers: TrustLine[];
  /** Everything else that is not only a tighter guard. */
  settings: TrustLine | null;
  /** Files whose content is a part of it: manifests, API documents, what hooks start and what `${file:…}` reads. */
  files: TrustLine[];
  /** Servers of the user's own configuration that ask to work in this directory. */
  own: TrustLine[];
};

export const noTrust = (directory: string): ProjectTrust => ({
  directory,
  servers: [],
  settings: null,
  files: [],
  own: [],
});

/** What comes with the project. */
export function projectLines({ servers, settings, files }: ProjectTrust): TrustLine[] {
  return [...servers, ...(settings === null ? [] : [settings]), ...files];
}

export function trustLinesOf(trust: ProjectTrust): TrustLine[] {
  return [...projectLines(trust), ...trust.own];
}

export type RememberedTrust = {
  directory: string;
  servers: Pick<TrustLine, "name" | "hash" | "trusted">[];
};

/** Consent to what a project's files bring. */
export type PlaneTrust = {
  /**
   * What the project's files start and refer to, line by line.
   * @example
   * console.log(await plane.trust.list());
   */
  list(): Promise<ProjectTrust>;
  /** Trusts the lines with these hashes and starts what they name. Rejects when one has changed since. */
  approve(hashes: readonly string[], caller?: Caller): Promise<ServersChange>;
  /** Forgets every answer about this project, so that nothing of it is in force. */
  revoke(caller?: Caller): Promise<ServersChange>;
  /** The caller's own servers that would work in the directory of the caller, and that no person has answered for there. */
  unanswered(caller?: Caller): { directory: string; lines: TrustLine[] };
  /** Remembers a no, so that it is not asked again. */
  decline(hashes: readonly string[], caller?: Caller): Promise<void>;
};

export type SetupTrust = {
  show(): Promise<ProjectTrust>;
  /** The lines that no person has reviewed yet. */
  unanswered(): Promise<TrustLine[]>;
  answer(lines: readonly TrustLine[], trusted: boolean): Promise<void>;
  revoke(): Promise<void>;
  list(): RememberedTrust[];
};

export type WrittenEntries = {
  servers: Record<string, JsonObject>;
  toolsets: Record<string, JsonObject>;
};

/** Servers from whatever names one, and from registries. */
export type SetupAdding = {
  /** Recognises, tries and writes. Rejects where it does not answer, unless `force` says otherwise. */
  addServers(what: readonly string[], options: AddOptions, hooks?: AddHooks): Promise<AddedServer>;
  /** `problems`: registries that could not be asked. */
  searchServers(
    query: string,
    options?: { limit?: number; offline?: boolean },
  ): Promise<{ servers: FoundServer[]; problems: string[] }>;
  /** Newer versions of what was added from a registry, and what they change. */
  updateServers(
    name: string | undefined,
    options?: { apply?: boolean; offline?: boolean },
  ): Promise<ServerUpdate[]>;
  /** Starts or reaches a server that need not be configured. */
  tryEntry(name: string, entry: JsonObject): Promise<Trial>;
};

/** One entry, seen and changed by a person who need not see its secrets. */
export type SetupEntries = {
  /** As it is written, secrets masked. */
  shownServer(name: string): Promise<JsonObject>;
  /**
   * Replaces the entry, or writes a new one. What is masked in it keeps the value that it has in `from`, else in the
   * entry itself. A trial starts or reaches it once and writes nothing.
   */
  saveServer(
    name: string,
    entry: JsonObject,
    how: { from?: string; isTrial?: boolean },
  ): Promise<Trial | null>;
};

export type WrittenRules = {
  /** Its name only. */
  file: string;
  /** Another one as soon as the rules of the file are others. */
  revision: string;
  /** As they are written. */
  rules: JsonObject[];
  /** Lines from other files and servers. */
  others: { rule: PolicyRule; file: string }[];
};

/** The rules of the policy in a file. Rules that are not understood are refused with their place. */
export type SetupRules = {
  writtenRules(): Promise<WrittenRules>;
  /** The rules that would be in force with these in the file; nothing is written. */
  tryRules(rules: readonly JsonObject[]): Promise<{ rules: PolicyRule[]; warnings: string[] }>;
  /** Comments stay with their rule. Rejects where the rules were changed since `revision`. */
  saveRules(
    rules: readonly JsonObject[],
    revision: string,
  ): Promise<WrittenRules & { warnings: string[] }>;
};

export interface Setup extends SetupAdding, SetupEntries, SetupRules {
  /** Consent to what the project's files start and read. */
  trust: SetupTrust;
  check(): Promise<ConfigCheck>;
  show(): Promise<JsonObject>;
  /** A value, or everything below a key, with file and line. */
  explain(key: string): Promise<Explanation[]>;
  schema(): JsonObject;
  readManifest(file: string): Promise<unknown>;
  init(options: InitOptions): Promise<{ path: string }>;
  addServer(name: string, definition: JsonObject, file?: string): Promise<{ path: string }>;
  /** Adds or replaces a server where it is defined. An invalid entry changes nothing. */
  putServer(name: string, definition: JsonObject): Promise<{ path: string }>;
  /** Changes an entry where it stands; other keys stay as they are. */
  editServer(name: string, change: (entry: JsonObject) => JsonObject): Promise<{ path: string }>;
  removeServer(name: string, file?: string): Promise<{ path: string }>;
  /** The servers and toolsets that stand in the files and can be edited there, as they are written. */
  written(): Promise<WrittenEntries>;
  putToolset(name: string, definition: JsonObject): Promise<{ path: string }>;
  removeToolset(name: string): Promise<{ path: string }>;
  /** Adds or replaces a model where it is defined. */
  putModel(name: string, definition: JsonObject): Promise<{ path: string }>;
  /** Writes back what this process removed last under the name, where it stood. Throws where nothing was. */
  undoRemoval(kind: keyof WrittenEntries, name: string): Promise<{ path: string }>;
  /** Clients whose configuration we can read and write. */
  clients(): Promise<ClientStatus[]>;
  importClients(clients: readonly string[], options: ImportOptions): Promise<ImportReport>;
  connectClient(client: string, options?: ConnectOptions): Promise<ClientConnection>;
  disconnectClient(client: string, options?: DisconnectOptions): Promise<ClientDisconnection>;
}

export type ImportOptions = {
  dryRun: boolean;
  file?: string;
  /** Names of clients may be files, too: for a person at this machine only. */
  files?: boolean;
  /** As for connecting. */
  secrets?: SecretPlace;
};
