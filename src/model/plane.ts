import type { TokenGiven, TokenStatus } from "./access/credentials.ts";
import type { AgentVerbs } from "./agent-verbs.ts";
import type { ApprovalVerbs } from "./approval-verbs.ts";
import type { CallOptions, CallRecord, Outcome } from "./calls/call.ts";
import type { ActivityEntry, CallChain, CallSeries, SeriesQuery } from "./calls/call-history.ts";
import type { AskHere } from "./calls/held-call.ts";
import type { Question, QuestionAnswer, Relay, ServerSaid } from "./calls/provider.ts";
import type { ResultList, ResultPage, ResultQuery } from "./calls/stored-result.ts";
import type { ToolPlanVerbs } from "./calls/tool-plan.ts";
import type { ToolHealth } from "./catalogue/health.ts";
import type { ToolReview } from "./catalogue/quality.ts";
import type {
  JobEntry,
  JobPage,
  RegistrySummary,
  SkillListing,
  SkillPage,
  SkillQuery,
  TaskEntry,
  TaskPage,
  WorkQuery,
} from "./catalogue/registry-summary.ts";
import type { FoundTool, Recommendation, SearchAnswer, SearchRequest } from "./catalogue/search.ts";
import type { Tool, ToolId } from "./catalogue/tool.ts";
import type { ToolQuery } from "./catalogue/tool-query.ts";
import type { ClientVerbs } from "./client-context.ts";
import type { Budgets, Config } from "./config/config.ts";
import type { DoctorReport } from "./config/setup.ts";
import type { DeadLetterVerbs } from "./dead-letter-verbs.ts";
import type { EntryVerbs } from "./entry-verbs.ts";
import type { EventOf, EventPage, EventType, StoredEvent } from "./events.ts";
import type { IdentityVerbs } from "./identity-verbs.ts";
import type { JobVerbs } from "./job-verbs.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal, URLSearchParams } from "./platform.ts";
import type { Caller } from "./principal.ts";
import type { QualityVerbs } from "./quality-verbs.ts";
import type { RunVerbs } from "./run-verbs.ts";
import type { ServerVerbs } from "./server-verbs.ts";
import type { KeptSessions } from "./servers/client-sessions.ts";
import type { Contact, LockedServer, LogLevel, ServersChange } from "./servers/server.ts";
import type { CallFilter } from "./store.ts";
import type { SkillVerbs } from "./work/skill-run.ts";

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

/** What was found; where `details` are asked for, with the whole of each tool that is still there. */
export type DetailedAnswer = Omit<SearchAnswer, "tools"> & { tools: (FoundTool & { tool?: ToolListing })[] };

/** What the tools of a conversation have used of what they may use; `null` is no limit. */
export type ConversationBudget = {
  spentMs: number;
  limitMs: number | null;
  /** By unit. */
  cost: Record<string, number>;
  maxCost: Budgets["maxCost"];
  /** The same for the caller's persona, in all its conversations. */
  persona: { name: string; cost: Record<string, number>; maxCost: Budgets["maxCost"] } | null;
};

/** `since` is when the store was last reached. */
export type Readiness = { ready: true } | { ready: false; reason: string; since: string };

/**
 * All tools of the configured servers behind one path. `createPlane` makes one; every face is given the same.
 *
 * @example
 * await using plane = await createPlane({ config: ".mcp.json" });
 * for (const { name, description } of await plane.tools()) console.log(name, description);
 */
export interface Plane
  extends AsyncDisposable,
    EntryVerbs,
    IdentityVerbs,
    ApprovalVerbs,
    ClientVerbs,
    DeadLetterVerbs,
    HistoryVerbs,
    RunVerbs,
    ToolPlanVerbs,
    QualityVerbs,
    ServerVerbs,
    AgentVerbs,
    SkillVerbs,
    TokenVerbs,
    WorkVerbs,
    JobVerbs {
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
   * The tools that the caller may see. Waits until every server has answered or failed, or until `waitMs` have passed.
   *
   * @example
   * const names = (await plane.tools({ server: "files" })).map(({ name }) => name);
   */
  tools(caller?: Caller & { server?: string; waitMs?: number }): Promise<ToolListing[]>;
  /** One tool by its name in any spelling, or by server and tool. Throws where there is none, and names the nearest. */
  tool(name: string | ToolId, caller?: Caller): Promise<ToolListing>;
  /** The tools that are meant, by name, a page at a time. A caller without a persona may look at that of any. */
  queryTools(query: Partial<ToolQuery>, caller?: Caller & { waitMs?: number }): Promise<ToolPage>;
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
  /** The last calls in short, newest first: the caller's own, or everybody's for who may manage the plane. */
  activity(caller?: Caller): Promise<ActivityEntry[]>;
  /** Those that are not for the caller and may be told of: what they are for and whom to ask. */
  lockedServers(caller?: Caller): Promise<LockedServer[]>;
  /** What this conversation of the caller has used of its budget. */
  budget(conversation: string, caller?: Caller): Promise<ConversationBudget>;
  /** Ends the sessions that were kept for this conversation and forgets what it used; tells how many were open. */
  endConversation(
    conversation: string,
    /** `goesOn` on another plane: only what is kept here is let go. */
    options?: Caller & { goesOn?: boolean },
  ): Promise<number>;
  /** Sessions of MCP clients, as every plane on the same store knows them. */
  readonly keptSessions: KeptSessions;
  /** Asks a server something that is no call of a tool, in its own words: its answer and its error come as they are. */
  forward(server: string, method: string, params: UnknownObject, options?: ForwardOptions): Promise<unknown>;
  /** From now on the server says when this resource changes, until the returned function is called. */
  watchResource(server: string, uri: string, caller?: Caller): Promise<() => void>;
  /** Servers are asked to log as much as this, until the returned function is called. */
  wantLogs(level: LogLevel): () => void;
  /** Is there a server of this name for the caller? */
  seesServer(server: string, caller?: Caller): boolean;
  /** How a server wants to be used, in its own words; null when it says nothing, or is not known yet. */
  serverInstructions(server: string, caller?: Caller): string | null;
  /** Told of what servers say by themselves, as far as it may be of interest to whoever is connected to us. */
  onSaid(listener: (said: ServerSaid) => void): () => void;
  /**
   * What servers ask the caller's person in the middle of calls.
   *
   * @example
   * for (const { id, message } of await plane.questions()) await plane.answer(id, { action: "decline" });
   */
  questions(caller?: Caller): Promise<Question[]>;
  /** Answers a server's question; the call that asked it goes on. */
  answer(question: string, answer: QuestionAnswer, caller?: Caller): Promise<void>;
  /** Before it stops: who waits for a person is told to ask again, here or on another plane. What runs goes on. */
  drain(): void;
  /** Ends calls, runs and sessions and stops every server that the plane started. `await using` does it by itself. */
  stop(): Promise<void>;
}

/** A sign-in under way: the person goes to `url`. */
type SignIn = { url: string; finished: Promise<void>; cancel(): void };

/** How a person is known to servers. */
interface TokenVerbs {
  /** The tokens that are kept for the caller, without the tokens. */
  tokens(caller?: Caller): Promise<TokenStatus[]>;
  /** Keeps a token for the caller and a server. */
  setToken(server: string, token: TokenGiven, caller?: Caller): Promise<void>;
  /** True when there was one. */
  forgetToken(server: string, caller?: Caller): Promise<boolean>;
  /** Begins an OAuth sign-in: the browser goes to `url` and comes back to `redirectUri`. */
  beginSignIn(server: string, redirectUri: string, caller?: Caller): Promise<{ url: string; state: string }>;
  /** The same with a listener on this machine that the browser comes back to. */
  signIn(server: string, caller?: Caller): Promise<SignIn>;
  /** Ends a sign-in with the parameters that the browser came back with. */
  finishSignIn(parameters: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
}

/** What there is to do, and who can do it. */
interface WorkVerbs {
  /** The whole catalogue in short, for the caller's persona or another. */
  registrySummary(caller?: Caller & { persona?: string; waitMs?: number }): Promise<RegistrySummary>;
  /** The skills that are meant, by name, a page at a time, each with the tools it lacks. */
  skills(query?: Partial<SkillQuery>, caller?: Caller & { waitMs?: number }): Promise<SkillPage>;
  /** One skill with the tools that it lacks. */
  skill(name: string, caller?: Caller & { personas?: string[] }): Promise<SkillListing>;
  /** What the caller's persona, or those that are asked for, can work at. */
  jobs(caller?: Caller & { personas?: string[] }): Promise<JobEntry[]>;
  /** The same a page at a time, by name, each with when it is due. */
  queryJobs(query?: Partial<WorkQuery>, caller?: Caller): Promise<JobPage>;
  /** The tasks that the personas can work at. */
  tasks(caller?: Caller & { personas?: string[] }): Promise<TaskEntry[]>;
  /** The same a page at a time, by name. */
  queryTasks(query?: Partial<WorkQuery>, caller?: Caller): Promise<TaskPage>;
  /** One task. */
  task(name: string, caller?: Caller & { personas?: string[] }): Promise<TaskEntry>;
}

/** What has happened, and what came of it. */
interface HistoryVerbs {
  /**
   * The caller's own calls, newest first; everybody's for admins.
   *
   * @example
   * const failed = await plane.calls({ tool: "demo.add", status: "failed", limit: 20 });
   */
  calls(filter?: CallFilter, caller?: Caller): Promise<CallRecord[]>;
  /** The record of one call. */
  callRecord(id: string, caller?: Caller): Promise<CallRecord>;
  /** How many calls there were lately, how they went and how long they took: the caller's own, everybody's for admins. */
  callSeries(query?: SeriesQuery, caller?: Caller): Promise<CallSeries>;
  /** Is the record of calls as it was written? For admins. `head` is a hash that was kept elsewhere. */
  verifyCalls(options?: { head?: string }, caller?: Caller): Promise<CallChain>;
  /**
   * A part of a result that was too large to be given whole; the caller's own, or anybody's for admins.
   *
   * @example
   * const { text, nextOffset } = await plane.result(outcome.stored.id, { path: "items.0" });
   */
  result(id: string, query?: ResultQuery, caller?: Caller): Promise<ResultPage>;
  /** The results that are kept, newest first. */
  results(page?: { limit?: number; cursor?: string }, caller?: Caller): Promise<ResultList>;
  /** What happened, oldest first, with ids above `after`: as much of it as the caller may see. */
  events(after?: number, limit?: number, caller?: Caller): Promise<StoredEvent[]>;
  /** The same in pages: how much of the past is read for one page is limited. Go on behind `upTo`, until it stays. */
  eventPage(after?: number, limit?: number, caller?: Caller): Promise<EventPage>;
  /** The id of the newest stored event. */
  lastEventId(): Promise<number>;
  /** Called when there are new events to be read. */
  onStored(listener: () => void): () => void;
  /**
   * Calls the listener for each event of this name, until the returned function is called.
   *
   * @example
   * const stop = plane.on("tool.result", ({ tool, success, durationMs }) => console.log(tool, success, durationMs));
   * stop();
   */
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
}
