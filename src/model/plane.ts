import type { Toolset } from "./agent.ts";
import type { CallOptions, Outcome } from "./calls/call.ts";
import type { AskHere } from "./calls/held-call.ts";
import type { Relay } from "./calls/provider.ts";
import type { ContextStats, ContextStatsOptions } from "./catalogue/quality.ts";
import type { FoundTool, Recommendation, SearchAnswer, SearchRequest } from "./catalogue/search.ts";
import type { Tool, ToolId } from "./catalogue/tool.ts";
import type { Config } from "./config/config.ts";
import type { ToolsetInput } from "./config/config-input.ts";
import type { DoctorReport } from "./config/setup.ts";
import type { EventOf, EventType } from "./events.ts";
import type {
  PlaneApprovals,
  PlaneIdentity,
  PlaneKeys,
  PlanePlans,
  PlanePolicy,
  PlaneQuestions,
  PlaneTokens,
} from "./plane-access.ts";
import type { PlaneCalls, PlaneClients, PlaneConversations, PlaneEvents, PlaneResults } from "./plane-history.ts";
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
  PlaneDeadLetters,
  PlaneJobs,
  PlaneRuns,
  PlaneSkills,
  PlaneTasks,
  PlaneToolsets,
} from "./plane-work.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller, WaitingCaller } from "./principal.ts";
import type { ServersChange } from "./servers/server.ts";

export type { Caller };

/** What one call may be told: its limit, its caller, its conversation and more. */
export type PlaneCallOptions = CallOptions &
  Caller & {
    /** Ends the call; its server is told. */
    signal?: AbortSignal;
    /** Addresses of files by name, for tools whose configuration says that a parameter names files. */
    files?: Readonly<Record<string, string>>;
    /** Puts a call that needs a yes to whoever made it, and waits for what they say. */
    askHere?: AskHere;
    /** Passes on what the call says and asks while it runs. */
    relay?: Relay;
  };

/** What was found; where `details` are asked for, with the whole of each tool that is still there. */
export type DetailedAnswer = Omit<SearchAnswer, "tools"> & { tools: (FoundTool & { tool?: ToolListing })[] };

/** `since` is when the store was last reached. */
export type Readiness = { ready: true } | { ready: false; reason: string; since: string };

/**
 * All tools of the configured servers behind one path. `createPlane` makes one; every face is given the same.
 *
 * @example
 * await using plane = await createPlane({ config: ".mcp.json" });
 * for (const { name, description } of await plane.tools.list()) console.log(name, description);
 */
export interface Plane extends AsyncDisposable {
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
  /** Traces of agents. */
  readonly runs: PlaneRuns;
  /** Steps or instructions that are run by name. */
  readonly skills: PlaneSkills;
  /** What a persona can work at. */
  readonly tasks: PlaneTasks;
  /** Tasks in an order, once or by the clock. */
  readonly jobs: PlaneJobs;
  /** Calls that failed for good. */
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
  /** Trusted definitions of tools. */
  readonly pins: PlanePins;
  /** Hand-written entries. */
  readonly registry: PlaneRegistry;
  /** The record of calls. */
  readonly calls: PlaneCalls;
  /** Large results. */
  readonly results: PlaneResults;
  /** What happened. */
  readonly events: PlaneEvents;
  /** Budgets and sessions of conversations. */
  readonly conversations: PlaneConversations;
  /** Connected MCP clients. */
  readonly clients: PlaneClients;
  /** Is it the plane of another process, which goes on after this one? */
  readonly isRemote?: boolean;
  /** Was that one started by a client, and will it end soon after its last client? */
  readonly isBackground?: boolean;
  /** The configuration in force. */
  config(): Config;
  /** Reads the configuration again and applies what is different; what cannot be read changes nothing. */
  reload(): Promise<ServersChange>;
  /** What is wrong with a server, or with all of them, and the first thing to try. */
  doctor(server?: string): Promise<DoctorReport>;
  /** Whether everything is there that calls need; says for strangers what is not. */
  readiness(): Promise<Readiness>;
  /**
   * Connects every server that wants to be connected; the others start on first use.
   *
   * @example
   * plane.start();
   */
  start(): void;
  /**
   * Calls a tool along the one path and resolves with what came of it. It rejects only on a defect: what a tool, a server
   * or the policy does is in the outcome. The arguments are an object, or the JSON text that a model wrote.
   *
   * @example
   * const outcome = await plane.call("files.read_file", { path: "notes.txt" }, { timeoutMs: 5_000 });
   * if (outcome.ok) console.log(resultText(outcome.result));
   * else console.error(outcome.error.code, outcome.error.message);
   */
  call(tool: string | ToolId, args?: unknown, options?: PlaneCallOptions): Promise<Outcome>;
  /**
   * The tools that fit best, in short; those the caller may see. What nobody has listed yet is waited for, 5 s at most.
   *
   * @example
   * const { tools } = await plane.search({ query: "read a file" });
   */
  search(
    request: SearchRequest,
    caller?: Caller & {
      waitMs?: number;
      /** Looks among these only. */
      only?(tool: Tool): boolean;
      /** The client that searches, for whoever hears of it. */
      session?: string;
      /** What is no pattern is taken for words and a note says so, rather than refused. */
      orWords?: boolean;
      /** Each with the whole tool beside it. */
      details?: boolean;
    },
  ): Promise<DetailedAnswer>;
  /** The servers and tools that are worth having at hand for a task, 15 tools at most. */
  recommend(task: string, options?: Caller & { limit?: number; waitMs?: number }): Promise<Recommendation>;
  /** Before it stops: who waits for a person is told to ask again, here or on another plane. What runs goes on. */
  drain(): void;
  /** Ends calls, runs and sessions and stops every server that the plane started. `await using` does it by itself. */
  stop(): Promise<void>;
  /**
   * Calls the listener for each event of this name, until the returned function is called.
   *
   * @example
   * const stop = plane.on("tool.result", ({ tool, success, durationMs }) => console.log(tool, success, durationMs));
   * stop();
   */
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
  /**
   * The tools for a model of your own: a toolset by its alias or by its definition, every tool when left out. Throws where
   * no toolset has this alias, and names the nearest.
   *
   * @example
   * const everything = plane.toolset();
   * const configured = plane.toolset("reading");
   * const inline = plane.toolset({ providers: ["files"], allow_tools: ["read_*"], max_tool_call_turns: 5, timeout_sec: 60 });
   */
  toolset(toolset?: string | ToolsetInput, caller?: Caller): Toolset;
  /** What the definitions cost in the context of a model. */
  stats(options?: ContextStatsOptions, caller?: WaitingCaller): Promise<ContextStats>;
}
