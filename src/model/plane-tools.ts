import type {
  PinsMethods,
  RegistryMethods,
  ServersMethods,
  ToolsMethods,
} from "../../generated/plane-methods.ts";
import type { CallOptions } from "./calls/call.ts";
import type { AskHere } from "./calls/held-call.ts";
import type {
  AddedProvider,
  ProviderOptions,
  Relay,
  ServerNotification,
  ToolFunction,
  Unregister,
} from "./calls/provider.ts";
import type {
  BundleChoice,
  BundleExport,
  ChangeFilter,
  ChangePage,
  WorkKind,
} from "./catalogue/change.ts";
import type { BundleImport, EntryChange, PinDiff, PinView } from "./catalogue/change-schema.ts";
import type { ToolHealth } from "./catalogue/health-schema.ts";
import type { PinFilter } from "./catalogue/pin.ts";
import type { DefinitionWeight, QualityOptions, WeighedTool } from "./catalogue/quality.ts";
import type { QualityReport, ToolReview } from "./catalogue/quality-schema.ts";
import type { RegistrySummary } from "./catalogue/registry-summary.ts";
import type { Tool, ToolId, WrittenManifest } from "./catalogue/tool.ts";
import type { ToolQuery } from "./catalogue/tool-query.ts";
import type { ToolImpact } from "./catalogue/tool-schema.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller, WaitingCaller } from "./principal.ts";
import type { LogLevel, PoolInfo, ServerCheck } from "./servers/server.ts";
import type {
  Contact,
  Locked,
  RecordedMessages,
  RefreshReport,
  ServerLogLine,
  ServerStatus,
} from "./servers/server-schema.ts";

/** Of a prompt, a resource or a completion. */
export type OfferOptions = Caller &
  Pick<CallOptions, "conversation" | "consent" | "page"> & {
    signal?: AbortSignal;
    relay?: Relay;
    askHere?: AskHere;
  };

/** A tool of the catalogue with its health and availability. */
export type ToolListing = Tool & {
  /** How its last calls went. */
  health: ToolHealth;
  /** The variables it needs, and whether they are set. */
  credentials: Record<string, { required: boolean; configured: boolean }>;
  /** Why it cannot be called now; null where it can, or that is unknown. */
  unavailable: string | null;
  /** From an earlier list: its server could not list again. */
  stale?: true;
  /** Why it could not; only beside `stale`. */
  error?: string;
  /** Missing where its definition has no problem. */
  review?: ToolReview;
  /** What a call may do. */
  impact: ToolImpact;
};

/** A tool as a model reads it, without how it does. */
export type ShownTool = Tool & Pick<ToolListing, "stale" | "error">;

/** What a caller without access learns of a tool. */
export type LockedTool = { name: string; description: string; contact: Contact; locked: true };

/** `total` counts all matches. */
export type ToolPage = {
  total: number;
  tools: ToolListing[];
  nextCursor: string | null;
  /** Tools without access that may be shown, on the first page. */
  locked?: LockedTool[];
};

/** A manifest, and the function that runs it where no other provider does. */
export type Registration = WrittenManifest | { manifest: WrittenManifest; run: ToolFunction };

/** A prompt, resource or template. */
export type Listed = UnknownObject & { server: string };

export interface PlaneTools extends ToolsMethods {
  /**
   * The tools the caller may see, once every server has answered or failed, or after `waitMs`.
   * @example
   * const names = (await plane.tools.list({ server: "files" })).map(({ name }) => name);
   */
  list(
    caller: Caller & { server?: string; waitMs?: number; brief: true },
  ): Promise<readonly ShownTool[]>;
  list(caller?: Caller & { server?: string; waitMs?: number }): Promise<ToolListing[]>;
  /** One tool, by any spelling of its name. Throws where there is none, and names the nearest. */
  get(name: string | ToolId, caller?: Caller): Promise<ToolListing>;
  /** The matching tools in pages, by name. */
  page(query: Partial<ToolQuery>, caller?: Caller & { waitMs?: number }): Promise<ToolPage>;
  /**
   * Adds or replaces a tool until the plane stops.
   * @example
   * plane.tools.register({
   *   manifest: { name: "double", description: "Doubles a number.", side_effects: "none" },
   *   run: ({ n }) => Number(n) * 2,
   * });
   */
  register(tool: Registration): void;
  /** True when there was one; the configured tool of that name is back. */
  unregister(name: string, options?: { persona?: string }): boolean;
  /**
   * Adds a kind of provider for manifests. The later of two wins; built-in kinds cannot be replaced.
   * @example
   * using mail = plane.tools.registerProvider("mail", async (spec, args) => `sent ${JSON.stringify(args)}`);
   */
  registerProvider(kind: string, provider: AddedProvider, options?: ProviderOptions): Unregister;
  /** Stores a tool; it replaces a file's tool of the same name and persona. */
  set(
    manifest: WrittenManifest,
    /** `forAll`: for all configurations on the store, not this one alone. */
    options?: { reason?: string; forAll?: boolean },
    caller?: Caller,
  ): Promise<EntryChange & { warnings: string[] }>;
  /** How well models understand the definitions, worst first, and suspicious findings. */
  quality(options?: QualityOptions, caller?: WaitingCaller): Promise<QualityReport>;
  /** Score and tokens of each definition, in order; tokens are counted later where unknown. */
  weigh(tools: readonly WeighedTool[]): Promise<DefinitionWeight[]>;
  /** Are these definitions too many for a model at once? */
  isLazy(caller?: WaitingCaller & { tools?: readonly Tool[] }): Promise<boolean>;
  countTokens(texts: readonly string[]): Promise<number[]>;
}

export interface PlaneServers extends ServersMethods {
  /** Servers without access that may be shown, and whom to ask. */
  locked(caller?: Caller): Promise<Locked[]>;
  /** Asks for a prompt, a resource, a completion or a method of an extension along the path; the server's answer or error comes unchanged. */
  forward(
    server: string,
    method: string,
    params: UnknownObject,
    options?: OfferOptions,
  ): Promise<unknown>;
  /** Asks servers for logs of this level until the returned function is called. */
  wantLogs(level: LogLevel): () => void;
  /** May the caller use this server? */
  sees(server: string, caller?: Caller): boolean;
  /** The server's own instructions; null when there are none, not yet, or when they are quarantined. */
  instructions(server: string, caller?: Caller): Promise<string | null>;
  /** The extensions of the protocol that this server declares. */
  extensions(server: string, caller?: Caller): UnknownObject;
  /** A client declares these capabilities: servers that are opened from now on hear of its extensions. */
  declare(capabilities: UnknownObject): void;
  /** Listens to notifications that clients may want. */
  onMessage(listener: (said: ServerNotification) => void): () => void;
  /**
   * With `connect`, tries to connect first.
   * @example
   * for (const { name, state, error } of await plane.servers.list({ connect: true })) console.log(name, state, error);
   */
  list(options?: Caller & { connect?: boolean }): Promise<ServerStatus[]>;
  /** Admins also get servers that their groups may not use. */
  get(name: string, options?: Caller & { connect?: boolean }): Promise<ServerStatus>;
  ping(server: string): Promise<ServerCheck>;
  /**
   * Ends a server, or all that run, and starts it again. Requests that come meanwhile go to the new process.
   * @example
   * for (const { name, state } of await plane.servers.restart("files")) console.log(name, state);
   */
  restart(server?: string, caller?: Caller): Promise<ServerStatus[]>;
  /** Lists a server, or all, again. Without `force` not during backoff. */
  refresh(server?: string, options?: Caller & { force?: boolean }): Promise<RefreshReport>;
  /** The last lines of its stderr and its log. */
  logs(server: string, options?: Caller & { connect?: boolean }): Promise<ServerLogLine[]>;
  /** The same and every new line until `stop`. A changed definition starts a new log. */
  followLogs(
    server: string,
    listener: (line: ServerLogLine) => void,
    caller?: Caller,
  ): { lines: ServerLogLine[]; stop(): void };
  /**
   * Recorded messages: the last ones, or those `after` a number.
   * @example
   * const { messages } = await plane.servers.messages("files", { limit: 20 });
   */
  messages(
    server: string,
    options?: Caller & { after?: number; limit?: number; connect?: boolean },
  ): Promise<RecordedMessages>;
  /** Open sessions, without secrets. */
  poolInfo(): PoolInfo;
  /** Ends sessions and forgets listings; returns how many were open. */
  clearCaches(server?: string, caller?: Caller): Promise<number>;
}

export interface PlanePrompts {
  /**
   * Prompts of one server or all. A known list is returned without a start; after `waitMs` slow servers are left out.
   * @example
   * for (const { server, name } of await plane.prompts.list()) console.log(server, name);
   */
  list(server?: string, caller?: WaitingCaller): Promise<Listed[]>;
  /** With its arguments filled in. */
  get(
    server: string,
    name: string,
    args?: Record<string, string>,
    options?: OfferOptions,
  ): Promise<unknown>;
}

export interface PlaneResources {
  /** Notifications of changes, until the returned function is called. */
  watch(server: string, uri: string, caller?: Caller): Promise<() => void>;
  /**
   * Resources of one server or all; see `prompts.list`.
   * @example
   * for (const { server, uri } of await plane.resources.list("files"))
   *   console.log(await plane.resources.read(server, String(uri)));
   */
  list(server?: string, caller?: WaitingCaller): Promise<Listed[]>;
  templates(server?: string, caller?: WaitingCaller): Promise<Listed[]>;
  read(server: string, uri: string, options?: OfferOptions): Promise<unknown>;
}

/** Hand-written entries and their history. */
export interface PlaneRegistry extends RegistryMethods {
  /**
   * The catalogue in short, for one persona.
   * @example
   * console.log(await plane.registry.summary({ persona: "Atlas" }));
   * const { bundle } = await plane.registry.export();
   * await plane.registry.import(bundle, { reason: "a copy", dryRun: true });
   */
  summary(caller?: Caller & { persona?: string; waitMs?: number }): Promise<RegistrySummary>;
  /** Deletes a skill, task or job of a bundle, unless others need it. */
  delete(
    kind: WorkKind,
    name: string,
    options?: { persona?: string; reason?: string },
    caller?: Caller,
  ): Promise<boolean>;
  /** Newest first. Default limit: 50. */
  changes(
    query?: ChangeFilter & { limit?: number; offset?: number },
    caller?: Caller,
  ): Promise<ChangePage>;
  /** A signed document. */
  export(choice?: BundleChoice, caller?: Caller): Promise<BundleExport>;
  /** All entries or none. Requires a reason unless nothing changes. */
  import(
    bundle: string,
    options: { reason?: string; dryRun?: boolean },
    caller?: Caller,
  ): Promise<BundleImport>;
}

/** Trusted definitions of servers' tools, prompts, resources and templates, and their instructions. */
export interface PlanePins extends PinsMethods {
  /**
   * The pins, and how today's definitions compare.
   * @example
   * for (const pin of await plane.pins.list({ server: "files" })) console.log(pin);
   */
  list(filter?: PinFilter, caller?: WaitingCaller): Promise<PinView[]>;
  /** The difference from the pin. */
  get(tool: string | ToolId, caller?: Caller): Promise<PinDiff>;
  /** Pins today's definition. For admins. */
  accept(tool: string | ToolId, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
  /** Quarantines every definition but the pinned one. For admins. */
  reject(tool: string | ToolId, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
}
