import type { UnknownObject } from "./json.ts";
import type { Caller } from "./principal.ts";
import type { PoolInfo, RefreshReport, ServerCheck, ServerLogLine, ServerStatus } from "./server.ts";

/** Something a server lists beside its tools. */
export type Listed = UnknownObject & { server: string };

type PatientCaller = Caller & { patienceMs?: number };

/** What can be asked of the servers beside calling their tools. */
export interface ServerVerbs {
  /** With `connect`, those that are meant to be started are tried first. */
  servers(options?: Caller & { connect?: boolean }): Promise<ServerStatus[]>;
  /** Those that the caller's groups may not use are there for admins only. */
  server(name: string, options?: Caller & { connect?: boolean }): Promise<ServerStatus>;
  /** Asks a server whether it is there. */
  ping(server: string): Promise<ServerCheck>;
  /** Connects a server and keeps it connected. */
  connect(server: string): Promise<void>;
  /** Ends a server's sessions; it stays away until it is connected again. */
  disconnect(server: string): Promise<void>;
  /** Really asks a server, or all of them, for all that it lists. Without `force` those that back off are left alone. */
  refresh(server?: string, options?: { force?: boolean }): Promise<RefreshReport>;
  /** The last things a server wrote to its standard error or logged. */
  logs(server: string, options?: Caller & { connect?: boolean }): Promise<ServerLogLine[]>;
  /** The same, and every line from now on until `stop` is called. A server that is defined anew begins a log of its own. */
  followLogs(
    server: string,
    listener: (line: ServerLogLine) => void,
    caller?: Caller,
  ): { lines: ServerLogLine[]; stop(): void };
  /** The open sessions, without their secrets. */
  poolInfo(): PoolInfo;
  /** Ends the sessions of one server or of all and forgets what they listed; tells how many were open. */
  clearCaches(server?: string): Promise<number>;
  /**
   * What servers offer beside their tools, as they list it. What is known of a server that does not run is told without
   * starting it. After `patienceMs`, where given, a server that has not answered is left out, or what is known of it is told.
   */
  prompts(server?: string, caller?: PatientCaller): Promise<Listed[]>;
  prompt(server: string, name: string, args?: Record<string, string>): Promise<unknown>;
  resources(server?: string, caller?: PatientCaller): Promise<Listed[]>;
  resourceTemplates(server?: string, caller?: PatientCaller): Promise<Listed[]>;
  resource(server: string, uri: string): Promise<unknown>;
}
