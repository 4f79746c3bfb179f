import type { ToolsetInput } from "../../generated/config/config-input.ts";
import type { PlaneMethods } from "../../generated/plane-methods.ts";
import type { Toolset } from "./agent.ts";
import type { PlaneAudit } from "./audit.ts";
import type { CallOptions, Outcome } from "./calls/call.ts";
import type { AskHere, HeldOpen } from "./calls/held-call.ts";
import type { Relay } from "./calls/provider.ts";
import type { Cancellable } from "./cancellable.ts";
import type { ContextStatsOptions } from "./catalogue/quality.ts";
import type { ContextStats } from "./catalogue/quality-schema.ts";
import type {
  Recommendation,
  SearchCase,
  SearchEvaluation,
  SearchRequest,
} from "./catalogue/search.ts";
import type { FoundTool, SearchAnswer } from "./catalogue/search-schema.ts";
import type { Tool, ToolId } from "./catalogue/tool.ts";
import type { Config } from "./config/config.ts";
import type { PlaneTrust } from "./config/setup.ts";
import type { EventOf, EventType } from "./events.ts";
import type {
  PlaneApprovals,
  PlaneDefaults,
  PlaneGrants,
  PlaneIdentity,
  PlaneKeys,
  PlanePeople,
  PlanePlans,
  PlanePolicy,
  PlaneQuestions,
  PlaneTokens,
} from "./plane-access.ts";
import type { PlaneExtensions } from "./plane-extensions.ts";
import type {
  PlaneCalls,
  PlaneClients,
  PlaneConversations,
  PlaneEvents,
  PlaneResults,
} from "./plane-history.ts";
import type {
  PlanePins,
  PlanePrompts,
  PlaneRegistry,
  PlaneResources,
  PlaneServers,
  PlaneTools,
  ToolListing,
} from "./plane-tools.ts";
import type {
  PlaneAgent,
  PlaneCode,
  PlaneCodegen,
  PlaneDeadLetters,
  PlaneJobs,
  PlaneRuns,
  PlaneSkills,
  PlaneTasks,
  PlaneToolsets,
} from "./plane-work.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller, Principal, WaitingCaller } from "./principal.ts";
import type { ServersChange } from "./servers/server.ts";

export type { Caller };

/** Limits, caller and conversation of one call. */
export type PlaneCallOptions = CallOptions &
  Caller & {
    /** Cancels the call. */
    signal?: AbortSignal;
    /** Cancels it as well; for callers that make a signal only where one is asked for. */
    cancellation?: Cancellable;
    /** Addresses of files by name, for parameters that name files. */
    files?: Readonly<Record<string, string>>;
    /** Asks the caller for an approval and waits for the answer. */
    askHere?: AskHere;
    /** Passes on messages and questions during the call. */
    relay?: Relay;
    /** Of an MCP client: its request is held open while a person decides. */
    heldOpen?: HeldOpen;
  };

/** `tool` with `details`, where it still exists. */
type DetailedAnswer = Omit<SearchAnswer, "tools"> & {
  tools: (FoundTool & { tool?: ToolListing })[];
};

/** `since` is when the store was last reached; `unrecorded` counts records that are in memory only. */
export type Readiness =
  | { ready: true }
  | { ready: false; reason: string; since: string; unrecorded?: number };

/**
 * All tools of the configured servers behind one path. `createPlane` makes one.
 * @example
 * await using plane = await createPlane({ config: ".mcp.json" });
 * for (const { name, description } of await plane.tools.list()) console.log(name, description);
 */
export interface Plane extends PlaneMethods, AsyncDisposable {
  /** The catalogue. */
  readonly tools: PlaneTools;
  /** The MCP servers. */
  readonly servers: PlaneServers;
  /** Prompts of servers. */
  readonly prompts: PlanePrompts;
  /** Resources of servers. */
  readonly resources: PlaneResources;
  /** Named selections of tools. */
  readonly toolsets: PlaneToolsets;
  /** Models with tools. */
  readonly agent: PlaneAgent;
  /** Programs that call tools. */
  readonly code: PlaneCode;
  /** TypeScript made of the catalogue. */
  readonly codegen: PlaneCodegen;
  /** Traces of agents. */
  readonly runs: PlaneRuns;
  /** Steps or instructions that are run by name. */
  readonly skills: PlaneSkills;
  /** What a persona can work at. */
  readonly tasks: PlaneTasks;
  /** Scheduled workflows: tasks that run in order, on demand or on a schedule. */
  readonly jobs: PlaneJobs;
  /** Calls that failed permanently. */
  readonly deadLetters: PlaneDeadLetters;
  /** Calls that wait for a person. */
  readonly approvals: PlaneApprovals;
  /** Change plans and plans of steps. */
  readonly plans: PlanePlans;
  /** What the policy decides. */
  readonly policy: PlanePolicy;
  /** What servers ask a person. */
  readonly questions: PlaneQuestions;
  /** API keys. */
  readonly keys: PlaneKeys;
  /** A person's credentials for servers. */
  readonly tokens: PlaneTokens;
  /** Who calls. */
  readonly identity: PlaneIdentity;
  /** What people allowed clients to do. */
  readonly grants: PlaneGrants;
  /** Who signs in at the plane itself. */
  readonly people: PlanePeople;
  /** Defaults that changed since the version that made the store. */
  readonly defaults: PlaneDefaults;
  /** Trusted definitions of tools. */
  readonly pins: PlanePins;
  /** Hand-written entries. */
  readonly registry: PlaneRegistry;
  /** The record of calls. */
  readonly calls: PlaneCalls;
  /** The record of everything that changed something. */
  readonly audit: PlaneAudit;
  /** Large results. */
  readonly results: PlaneResults;
  /** What happened. */
  readonly events: PlaneEvents;
  /** Budgets and sessions of conversations. */
  readonly conversations: PlaneConversations;
  /** What extends this plane. */
  readonly extensions: PlaneExtensions;
  /** Connected MCP clients. */
  readonly clients: PlaneClients;
  /** The plane of another process, which outlives this one. */
  readonly isRemote?: boolean;
  /** Started by a client, ends soon after its last client. */
  readonly isBackground?: boolean;
  /**
   * The same plane for one caller: its methods need no `caller`. What is not said of the caller is as `principalOf` has it.
   * @example
   * const anne = plane.as(principalOf({ user: "anne", scopes: ["read"] }));
   * const tools = await anne.tools.list();
   */
  as(principal: Partial<Principal>, via?: Pick<Caller, "face" | "address">): Plane;
  /** The configuration in force. */
  config(): Config;
  /** Reads and applies the configuration; what cannot be read changes nothing. */
  reload(caller?: Caller): Promise<ServersChange>;
  /** Consent to what the files of a project start and read; see `projectFiles`. */
  trust: PlaneTrust;
  /** Is everything there that calls need? The reason is fit for strangers. */
  readiness(): Promise<Readiness>;
  /**
   * Connects the servers that connect at start; the others start on first use.
   * @example
   * plane.start();
   */
  start(): void;
  /**
   * Calls a tool along the one path. Rejects only on a defect: failures and refusals are outcomes. Arguments are an
   * object, or the JSON text that a model wrote.
   * @example
   * const outcome = await plane.call("files.read_file", { path: "notes.txt" }, { timeoutMs: 5_000 });
   * if (outcome.ok) console.log(resultText(outcome.result));
   * else console.error(outcome.error.code, outcome.error.message);
   */
  call(tool: string | ToolId, args?: unknown, options?: PlaneCallOptions): Promise<Outcome>;
  /**
   * The best matches the caller may see, in short. Waits up to 5 s for servers that have not listed yet.
   * @example
   * const { tools } = await plane.search({ query: "read a file" });
   */
  search(
    request: SearchRequest,
    caller?: Caller & {
      waitMs?: number;
      /** Limits the search to these. */
      only?(tool: Tool): boolean;
      /** Limits the skills to those of these servers. */
      skillsOf?: ReadonlySet<string>;
      /** The MCP client that searches. */
      session?: string;
      /** An invalid pattern is searched as words, with a note. */
      orWords?: boolean;
      /** Adds the whole tool to each. */
      details?: boolean;
    },
  ): Promise<DetailedAnswer>;
  /** The servers and tools for a task, 15 tools at most. */
  recommend(
    task: string,
    options?: Caller & { limit?: number; waitMs?: number },
  ): Promise<Recommendation>;
  /**
   * How well this catalogue is searched: recall and the place of the first right tool, with likeness and without.
   * @example
   * const { ranking } = await plane.evaluateSearch([{ query: "read a file", tools: ["files.read_file"] }]);
   */
  evaluateSearch(
    cases: readonly SearchCase[],
    options?: Caller & { waitMs?: number },
  ): Promise<SearchEvaluation>;
  /** Before a stop: calls that wait for a person end with a request to retry. Running calls continue. */
  drain(): void;
  /**
   * Ends running calls and resolves when they are answered: with SHUTTING_DOWN, or with OUTCOME_UNKNOWN where the request was
   * sent and the tool may not run twice. From then on no call is run.
   */
  endCalls(): Promise<void>;
  /** Ends calls, runs and sessions and stops all started servers. `await using` does it too. */
  stop(): Promise<void>;
  /**
   * Calls the listener for each event of this name, until the returned function is called.
   * @example
   * const stop = plane.on("tool.result", ({ tool, success, durationMs }) => console.log(tool, success, durationMs));
   * stop();
   */
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
  /**
   * Tools for a model of your own, by alias or definition. Default: every tool. Throws on an unknown alias.
   * @example
   * const everything = plane.toolset();
   * const configured = plane.toolset("reading");
   * const inline = plane.toolset({ providers: ["files"], allow_tools: ["read_*"], max_tool_call_turns: 5 });
   */
  toolset(toolset?: string | ToolsetInput, caller?: Caller): Toolset;
  /** What the definitions cost in a model's context. */
  stats(options?: ContextStatsOptions, caller?: WaitingCaller): Promise<ContextStats>;
}
