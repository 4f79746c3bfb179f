import type { AddedProvider, ProviderOptions, Relay, ServerSaid, ToolFunction, Unregister } from "./calls/provider.ts";
import type {
  BundleChoice,
  BundleExport,
  BundleImport,
  ChangeFilter,
  ChangePage,
  EntryChange,
  WorkKind,
} from "./catalogue/change.ts";
import type { ToolHealth } from "./catalogue/health.ts";
import type { PinDiff, PinFilter, PinView } from "./catalogue/pin.ts";
import type { DefinitionWeight, QualityOptions, QualityReport, ToolReview, WeighedTool } from "./catalogue/quality.ts";
import type { RegistrySummary } from "./catalogue/registry-summary.ts";
import type { OverlayView, Tool, ToolId, WrittenManifest } from "./catalogue/tool.ts";
import type { ToolQuery } from "./catalogue/tool-query.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller, WaitingCaller } from "./principal.ts";
import type {
  Contact,
  LockedServer,
  LogLevel,
  PoolInfo,
  RefreshReport,
  ServerCheck,
  ServerLogLine,
  ServerStatus,
} from "./servers/server.ts";

export type ForwardOptions = Caller & { signal?: AbortSignal; relay?: Relay };

/** A tool of the catalogue with its health and whether it can be called now. */
export type ToolListing = Tool & {
  /** How its last calls went. */
  health: ToolHealth;
  /** The variables it names, and whether they are set. */
  credentials: Record<string, { required: boolean; configured: boolean }>;
  /** Why it cannot be called right now, when that is known. */
  unavailable: string | null;
  /** Its server could not list its tools again, so this is from an earlier list. Left out where that is not so. */
  stale?: true;
  /** Left out where there is nothing to say against its definition. */
  review?: ToolReview;
};

/** All that somebody is told of a tool that is not for them. */
export type LockedTool = { name: string; description: string; contact: Contact; locked: true };

/** `total` are all that match, on this page or not. */
export type ToolPage = {
  total: number;
  tools: ToolListing[];
  nextCursor: string | null;
  /** What is not for the caller and may be told of, with the first page. */
  locked?: LockedTool[];
};

/** A tool of this program: its manifest, and the function that executes it where no other provider does. */
export type Registration = WrittenManifest | { manifest: WrittenManifest; run: ToolFunction };

/** Something a server lists beside its tools. */
export type Listed = UnknownObject & { server: string };

/** The catalogue: every tool that the caller may see. */
export interface PlaneTools {
  /**
   * The tools that the caller may see. Waits until every server has answered or failed, or until `waitMs` have passed.
   *
   * @example
   * const names = (await plane.tools.list({ server: "files" })).map(({ name }) => name);
   */
  list(caller?: Caller & { server?: string; waitMs?: number }): Promise<ToolListing[]>;
  /** One tool by its name in any spelling, or by server and tool. Throws where there is none, and names the nearest. */
  get(name: string | ToolId, caller?: Caller): Promise<ToolListing>;
  /** The tools that are meant, by name, a page at a time. A caller without a persona may look at that of any. */
  page(query: Partial<ToolQuery>, caller?: Caller & { waitMs?: number }): Promise<ToolPage>;
  /**
   * Adds a tool, or replaces the one of its name and persona, until the plane stops. Effective at once.
   *
   * @example
   * plane.tools.register({
   *   manifest: { name: "double", description: "Doubles a number.", side_effects: "none" },
   *   run: ({ n }) => Number(n) * 2,
   * });
   */
  register(tool: Registration): void;
  /** True when there was one; what the configuration has under that name is there again. */
  unregister(name: string, options?: { persona?: string }): boolean;
  /**
   * Adds a kind of provider that manifests can name, until it is taken back. Of two under one name the later counts;
   * those that we have ourselves cannot be replaced.
   *
   * @example
   * using mail = plane.tools.registerProvider("mail", async (spec, args) => ({ content: [{ type: "text", text: "sent" }] }));
   */
  registerProvider(kind: string, provider: AddedProvider, options?: ProviderOptions): Unregister;
  /** Sets a tool for good: it is there at once, and after a restart, in place of a file's of its name and persona. */
  set(
    manifest: WrittenManifest,
    options?: { reason?: string },
    caller?: Caller,
  ): Promise<EntryChange & { warnings: string[] }>;
  /** True when there was one that people set; what a file has under that name is there again. */
  delete(name: string, options?: { persona?: string; reason?: string }, caller?: Caller): Promise<boolean>;
  /** What is said here about a tool of a server, and the definition that comes of it. */
  overlay(tool: string, caller?: Caller): Promise<OverlayView>;
  /** What would come of an overlay; nothing is changed. */
  previewOverlay(tool: string, overlay: UnknownObject, caller?: Caller): Promise<OverlayView>;
  /** How well definitions tell models what tools are for, worst first, and what is suspicious in them. */
  quality(options?: QualityOptions, caller?: WaitingCaller): Promise<QualityReport>;
  /** What a list tells about each of these definitions, in their order. What is not counted yet is counted afterwards. */
  weigh(tools: readonly WeighedTool[]): Promise<DefinitionWeight[]>;
  /** Are the definitions that the caller sees, or these, more than a model should be given at once? */
  isLazy(caller?: WaitingCaller & { tools?: readonly Tool[] }): Promise<boolean>;
  /** How many tokens each of these texts is. */
  countTokens(texts: readonly string[]): Promise<number[]>;
}

/** The MCP servers and their connections. */
export interface PlaneServers {
  /** Those that are not for the caller and may be told of: what they are for and whom to ask. */
  locked(caller?: Caller): Promise<LockedServer[]>;
  /** Asks a server something that is no call of a tool, in its own words: its answer and its error come as they are. */
  forward(server: string, method: string, params: UnknownObject, options?: ForwardOptions): Promise<unknown>;
  /** Servers are asked to log as much as this, until the returned function is called. */
  wantLogs(level: LogLevel): () => void;
  /** Is there a server of this name for the caller? */
  sees(server: string, caller?: Caller): boolean;
  /** How a server wants to be used, in its own words; null when it says nothing, or is not known yet. */
  instructions(server: string, caller?: Caller): string | null;
  /** Told of what servers say by themselves, as far as it may be of interest to whoever is connected to us. */
  onMessage(listener: (said: ServerSaid) => void): () => void;
  /**
   * With `connect`, those that are meant to be started are tried first.
   *
   * @example
   * for (const { name, state, error } of await plane.servers.list({ connect: true })) console.log(name, state, error);
   */
  list(options?: Caller & { connect?: boolean }): Promise<ServerStatus[]>;
  /** Those that the caller's groups may not use are there for admins only. */
  get(name: string, options?: Caller & { connect?: boolean }): Promise<ServerStatus>;
  /** Asks a server whether it is there. */
  ping(server: string): Promise<ServerCheck>;
  /**
   * Connects a server and keeps it connected.
   *
   * @example
   * await plane.servers.connect("files");
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
}

/** Prompts of servers. */
export interface PlanePrompts {
  /**
   * The prompts of one server, or of all, as they list them. What is known of a server that does not run is given without starting
   * it. After `waitMs`, where given, a server that has not answered is left out, or what is known of it is given.
   */
  list(server?: string, caller?: WaitingCaller): Promise<Listed[]>;
  /** One prompt of a server with its arguments filled in, as the server gives it. */
  get(server: string, name: string, args?: Record<string, string>): Promise<unknown>;
}

/** Resources of servers. */
export interface PlaneResources {
  /** From now on the server says when this resource changes, until the returned function is called. */
  watch(server: string, uri: string, caller?: Caller): Promise<() => void>;
  /** The resources of one server, or of all, as they list them; known ones as with `prompts`. */
  list(server?: string, caller?: WaitingCaller): Promise<Listed[]>;
  /** The resource templates of one server, or of all, as they list them; known ones as with `prompts`. */
  templates(server?: string, caller?: WaitingCaller): Promise<Listed[]>;
  /** The contents of one resource, as the server gives them. */
  read(server: string, uri: string): Promise<unknown>;
}

/** Hand-written entries and their history. */
export interface PlaneRegistry {
  /** The whole catalogue in short, for the caller's persona or another. */
  summary(caller?: Caller & { persona?: string; waitMs?: number }): Promise<RegistrySummary>;
  /** The same for a skill, a task or a job that a bundle brought. What others still need is refused. */
  delete(
    kind: WorkKind,
    name: string,
    options?: { persona?: string; reason?: string },
    caller?: Caller,
  ): Promise<boolean>;
  /** What happened to the catalogue, newest first; 50 of them when it is not said how many. */
  changes(query?: ChangeFilter & { limit?: number; offset?: number }, caller?: Caller): Promise<ChangePage>;
  /** Hand-written entries as one signed document. */
  export(choice?: BundleChoice, caller?: Caller): Promise<BundleExport>;
  /** Takes over all entries of a bundle, or none. The reason is asked for unless nothing is changed. */
  import(bundle: string, options: { reason?: string; dryRun?: boolean }, caller?: Caller): Promise<BundleImport>;
}

/** Definitions of servers' tools that are trusted. */
export interface PlanePins {
  /** The definitions of servers' tools that are taken for good, and how those of today stand to them. */
  list(filter?: PinFilter, caller?: WaitingCaller): Promise<PinView[]>;
  /** What is different from what was pinned. */
  get(tool: string | ToolId, caller?: Caller): Promise<PinDiff>;
  /** Takes the definition of today for good. For admins. */
  accept(tool: string | ToolId, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
  /** Whatever is not the pinned definition is held back from now on, in every mode. For admins. */
  reject(tool: string | ToolId, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
}
