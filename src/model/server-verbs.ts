import type { UnknownObject } from "./json.ts";
import type { Caller } from "./principal.ts";
import type { PoolInfo, RefreshReport, ServerCheck, ServerLogLine, ServerStatus } from "./servers/server.ts";

/** Something a server lists beside its tools. */
export type Listed = UnknownObject & { server: string };

type PatientCaller = Caller & { waitMs?: number };

/** What can be asked of the servers beside calling their tools. */
export interface ServerVerbs {
  /**
   * With `connect`, those that are meant to be started are tried first.
   *
   * @example
   * for (const { name, state, error } of await plane.servers({ connect: true })) console.log(name, state, error);
   */
  servers(options?: Caller & { connect?: boolean }): Promise<ServerStatus[]>;
  /** Those that the caller's groups may not use are there for admins only. */
  server(name: string, options?: Caller & { connect?: boolean }): Promise<ServerStatus>;
  /** Asks a server whether it is there. */
  ping(server: string): Promise<ServerCheck>;
  /**
   * Connects a server and keeps it connected.
   *
   * @example
   * await plane.connect("files");
   */
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
   * The prompts of one server, or of all, as they list them. What is known of a server that does not run is given without starting
   * it. After `waitMs`, where given, a server that has not answered is left out, or what is known of it is given.
   */
  prompts(server?: string, caller?: PatientCaller): Promise<Listed[]>;
  /** One prompt of a server with its arguments filled in, as the server gives it. */
  prompt(server: string, name: string, args?: Record<string, string>): Promise<unknown>;
  /** The resources of one server, or of all, as they list them; known ones as with `prompts`. */
  resources(server?: string, caller?: PatientCaller): Promise<Listed[]>;
  /** The resource templates of one server, or of all, as they list them; known ones as with `prompts`. */
  resourceTemplates(server?: string, caller?: PatientCaller): Promise<Listed[]>;
  /** The contents of one resource, as the server gives them. */
  resource(server: string, uri: string): Promise<unknown>;
}
