import type { ConfigProblem } from "./config.ts";
import type { Json, JsonObject } from "./json.ts";

/** Where a value of the configuration comes from. */
export type Origin = { file: string; line: number | null; path: string };

export type Explanation = { key: string; value: Json; origin: Origin };

export type ConfigCheck = { ok: boolean; files: string[]; problems: ConfigProblem[] };

export type ImportReport = {
  found: { client: string; path: string; servers: string[] }[];
  imported: string[];
  skipped: { name: string; reason: string }[];
  /** Servers whose entry holds a secret in clear. */
  holdSecrets: string[];
  /** The file the servers were written to; null after a dry run. */
  path: string | null;
};

export type ClientConnection = {
  client: string;
  path: string;
  backup: string | null;
  server: JsonObject | null;
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
  clients(): Promise<string[]>;
  importClients(clients: readonly string[], options: ImportOptions): Promise<ImportReport>;
  connectClient(client: string): Promise<ClientConnection>;
  disconnectClient(client: string): Promise<ClientConnection>;
}

export type ImportOptions = { dryRun: boolean; file?: string };

export type DoctorCheck = { name: string; ok: boolean; detail: string; fix: string | null };
export type DoctorReport = { servers: { name: string; ok: boolean; checks: DoctorCheck[] }[] };
