import type { Setup } from "../../model/config/setup.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { OpenedState } from "../../model/store.ts";
import type { Terminal } from "./terminal/terminal.ts";

export type OpenPlaneOptions = {
  files: readonly string[];
  directory: string;
  dataDirectory: string | undefined;
  user: string | undefined;
  groups: string[];
  persona: string | undefined;
  workspace?: string | undefined;
  compliance?: string | undefined;
  fallback?: UnknownObject;
  /** For MCP clients: their own files bring no servers. */
  isForClients?: boolean;
  /** Changes nothing that would have to be kept. */
  looks?: boolean;
  watch?: boolean;
  answersQuestions?: boolean;
  /** MCP clients are connected through it. */
  relays?: boolean;
  isShared?: boolean;
  /** Not the plane that serves already. */
  standalone?: boolean;
  /** Asks no person for trust, although there is one. */
  asksNothing?: boolean;
  offline?: boolean;
  /** Instead of the configured one. */
  store?: string;
  /** Others than the people of this machine can reach it. */
  exposed?: boolean;
  /** The address that clients use. */
  publicUrl?: string | undefined;
  /** Begins jobs when they are due. */
  schedules?: boolean;
  /** Files of calls, and what becomes of one that was not recorded. */
  record?: string;
  replay?: string;
  replayMiss?: "fail" | "live";
  /** An extension is being set up: the plane is not there before that has ended. */
  onSetup?(extension: string): void;
};

export type PlaceOptions = {
  files: readonly string[];
  directory: string;
  dataDirectory: string | undefined;
};
export type OpenStateOptions = PlaceOptions & { store: string | undefined };

/** What the workers of one port have in common. */
export type SharedServing = {
  /** Of the person who started them. */
  pass: string;
  /** How this one tells its numbers. */
  countWith(ownMetrics: () => Promise<object[]>): void;
  /** The numbers of all. */
  gatherMetrics(): Promise<object[][]>;
};

export type ServeFlags = PlaceOptions & {
  host: string;
  allowHosts: readonly string[];
  port: number;
  warn?(text: string): void;
  /** What workers share. */
  shared?: SharedServing;
  tls?: { cert: string; key: string } | undefined;
  trustProxy?: readonly string[];
};

export type Serving = {
  url: string;
  /** The workbench, with what only the person needs who started the plane. */
  workbench: string | null;
  /** Can other commands of this user ask this plane? */
  hasSocket: boolean;
  /** With `drainMs`, everything is still answered for this grace period. */
  close(options?: { drainMs?: number }): Promise<void>;
};

export type PlaneInfo = {
  pid: number;
  background: boolean;
  clients: number;
  startedAt: string;
  log: string | null;
};

/** A plane that clients attach to, without a port. */
export type ServingClients = {
  over: Promise<"idle" | "stopped" | "handover">;
  close(options: { bye: "stopped" | "handover" }): Promise<void>;
};

/** How the client at the other end wants to see the plane; left out, as it is configured. */
export type McpView = {
  mode?: "full" | "lazy" | "code";
  names?: "prefixed" | "bare";
  toolset?: string;
  server?: string;
};

/** The command line itself, for a command that runs others. */
export type CommandLine = {
  /** The first words of commands. */
  names: readonly string[];
  /** Rejects with what went wrong. */
  run(cli: Cli): Promise<number>;
  /** What may stand in the place of the last word. */
  complete(cli: Cli, words: readonly string[]): Promise<string[]>;
};

/** What the command line is given from outside: its words, and how to get a plane and serve one. */
export type Cli = {
  argv: readonly string[];
  /** Left out, that of this process. */
  terminal?: Terminal;
  /** Problems of the configuration were reported when its plane was opened. */
  areProblemsReported?: boolean;
  commandLine?: CommandLine;
  openPlane(options: OpenPlaneOptions): Promise<Plane>;
  serve(plane: Plane, options: ServeFlags): Promise<Serving>;
  /** Null when another plane serves these files already. */
  serveClients(
    plane: Plane,
    options: PlaceOptions & { idleMs: number },
  ): Promise<ServingClients | null>;
  /** Connects standard input and output with the plane of this configuration, until the input ends; null when that cannot be. */
  attachMcp(options: GlobalOptions & McpView): Promise<number | null>;
  aboutPlane(options: PlaceOptions): Promise<PlaneInfo | null>;
  /** What it was; null where no background plane serves. */
  stopPlane(options: PlaceOptions): Promise<PlaneInfo | null>;
  /** Is one MCP server on standard input and output, until the input ends. */
  serveMcp(plane: Plane, interrupted: AbortSignal, view: McpView): Promise<void>;
  /** Everything that is stored, without a plane around it. */
  openState(options: OpenStateOptions): Promise<OpenedState>;
  openSetup(options: PlaceOptions): Promise<Setup>;
  /** Is there no configuration here, and are there clients with servers? */
  findsClients(): Promise<boolean>;
  runDemoServer(): Promise<void>;
  runPlannerServer(): Promise<void>;
  /** Where state is kept, as it is said or as it is usual. */
  dataDirectory(options: GlobalOptions): Promise<string>;
};

/** Options of a command whose values are texts. */
export type TextOptions<Name extends string> = GlobalOptions & { [name in Name]?: string };

export type GlobalOptions = {
  config?: string[];
  envFile?: string[];
  json?: boolean;
  user?: string;
  group?: string[];
  persona?: string;
  workspace?: string;
  compliance?: string;
  dataDir?: string;
  store?: string;
  standalone?: boolean;
  offline?: boolean;
  logLevel?: "error" | "warn" | "info" | "debug";
  /** Of commands that call. */
  record?: string;
  replay?: string;
  replayMiss?: "fail" | "live";
};
