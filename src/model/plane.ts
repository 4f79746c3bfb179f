import type { ActivityEntry } from "./activity.ts";
import type { ApiKey, CreatedApiKey, NewApiKey } from "./api-key.ts";
import type { BundleChoice, BundleExport, BundleImport } from "./bundle.ts";
import type { CallOptions, CallRecord, Outcome, Verdict } from "./call.ts";
import type { CallChain } from "./call-chain.ts";
import type { ChangeFilter, ChangePage, EntryChange } from "./change.ts";
import type { Budgets, Config } from "./config.ts";
import type { DeadLetter, DeadLetterPage, DeadLetterQuery } from "./dead-letter.ts";
import type { EventOf, EventType, StoredEvent } from "./events.ts";
import type { ToolHealth } from "./health.ts";
import type {
  Answer,
  AskHere,
  HeldStatus,
  HeldView,
  Plan,
  PlanChoice,
  PlanOutcome,
  Remembered,
} from "./held-call.ts";
import type { JsonObject, UnknownObject } from "./json.ts";
import type { PolicyMode } from "./policy-mode.ts";
import type { Caller, Principal } from "./principal.ts";
import type { AddedProvider, ProviderOptions, ToolFunction, Unregister } from "./provider.ts";
import type { ToolReview } from "./quality.ts";
import type { QualityVerbs } from "./quality-verbs.ts";
import type { Question, QuestionAnswer } from "./question.ts";
import type {
  JobEntry,
  RegistrySummary,
  SkillListing,
  SkillPage,
  SkillQuery,
  TaskEntry,
} from "./registry-summary.ts";
import type { Relay, ServerSaid } from "./relay.ts";
import type { Recommendation, SearchAnswer, SearchRequest } from "./search.ts";
import type {
  Contact,
  LockedServer,
  LogLevel,
  PoolInfo,
  RefreshReport,
  ServerCheck,
  ServerLogLine,
  ServerStatus,
  ServersChange,
} from "./server.ts";
import type { DoctorReport } from "./setup.ts";
import type { CallFilter } from "./store.ts";
import type { ResultList, ResultPage, ResultQuery } from "./stored-result.ts";
import type { TokenGiven, TokenStatus } from "./token.ts";
import type { Tool, ToolId, WrittenManifest } from "./tool.ts";
import type { ToolQuery } from "./tool-query.ts";

export type { Caller };

export type PlaneCallOptions = CallOptions &
  Caller & {
    signal?: AbortSignal;
    /** Addresses of files by name, for tools whose configuration says that a parameter names files. */
    files?: Readonly<Record<string, string>>;
    /** Puts a call that needs a yes to whoever made it, and waits for what they say. */
    askHere?: AskHere;
    /** Passes on what the call says and asks while it runs. */
    relay?: Relay;
  };

export type ForwardOptions = Caller & { signal?: AbortSignal; relay?: Relay };

export type ToolListing = Tool & {
  health: ToolHealth;
  /** The variables it names, and whether they are set. */
  credentials: Record<string, { required: boolean; configured: boolean }>;
  /** Why it cannot be called right now, when that is known. */
  unavailable: string | null;
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

/** A sign-in under way: the person goes to `url`. */
export type SignIn = { url: string; finished: Promise<void>; cancel(): void };

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

/** What the policy says about a call, and what it takes the tool for. */
export type PolicyTest = Verdict & {
  tool: string;
  effect: { effect: "read" | "write" | "unknown"; because: string };
};

/** Something a server lists beside its tools. */
export type Listed = UnknownObject & { server: string };

/** What every face is given and what `createPlane` returns. */
export interface Plane extends AsyncDisposable, QualityVerbs {
  /** Is it the plane of another process, which goes on after this one? */
  readonly isElsewhere?: boolean;
  /** The configuration in force. */
  config(): Config;
  /** Reads the configuration again and applies what is different; what cannot be read changes nothing. */
  reload(): Promise<ServersChange>;
  /** What is wrong with a server, or with all of them, and the first thing to try. */
  doctor(server?: string): Promise<DoctorReport>;
  /** Connects every server that wants to be connected; the others start on first use. */
  start(): void;
  call(tool: string | ToolId, args?: unknown, options?: PlaneCallOptions): Promise<Outcome>;
  /** Waits until every server has answered or failed, or until `patienceMs` have passed. */
  tools(caller?: Caller & { server?: string; patienceMs?: number }): Promise<ToolListing[]>;
  tool(name: string | ToolId, caller?: Caller): Promise<ToolListing>;
  /** The tools that are meant, by name, a page at a time. A caller without a persona may look at that of any. */
  queryTools(query: Partial<ToolQuery>, caller?: Caller & { patienceMs?: number }): Promise<ToolPage>;
  /** The tools that fit best, in short; those the caller may see. What nobody has listed yet is waited for, 5 s at most. */
  search(request: SearchRequest, caller?: Caller & { patienceMs?: number }): Promise<SearchAnswer>;
  /** The servers and tools that are worth having at hand for a task, 15 tools at most. */
  recommend(
    task: string,
    options?: Caller & { limit?: number; patienceMs?: number },
  ): Promise<Recommendation>;
  /** The whole catalogue in short, for the caller's persona or another. */
  registrySummary(caller?: Caller & { persona?: string; patienceMs?: number }): Promise<RegistrySummary>;
  /** The skills that are meant, by name, a page at a time, each with the tools it lacks. */
  skills(query?: Partial<SkillQuery>, caller?: Caller & { patienceMs?: number }): Promise<SkillPage>;
  skill(name: string, caller?: Caller): Promise<SkillListing>;
  /** What the caller's persona, or those that are asked for, can work at. */
  jobs(caller?: Caller & { personas?: string[] }): Promise<JobEntry[]>;
  tasks(caller?: Caller & { personas?: string[] }): Promise<TaskEntry[]>;
  /** Adds a tool, or replaces the one of its name and persona, until the plane stops. Effective at once. */
  register(tool: Registration): void;
  /** True when there was one; what the configuration has under that name is there again. */
  unregister(name: string, options?: { persona?: string }): boolean;
  /**
   * Adds a kind of provider that manifests can name, until it is taken back. Of two under one name the later counts;
   * those that we have ourselves cannot be replaced.
   */
  registerProvider(kind: string, provider: AddedProvider, options?: ProviderOptions): Unregister;
  /** Sets a tool for good: it is there at once, and after a restart, in place of a file's of its name and persona. */
  setTool(
    manifest: WrittenManifest,
    options?: { reason?: string },
    caller?: Caller,
  ): Promise<EntryChange & { warnings: string[] }>;
  /** True when there was one that people set; what a file has under that name is there again. */
  deleteTool(
    name: string,
    options?: { persona?: string; reason?: string },
    caller?: Caller,
  ): Promise<boolean>;
  /** What happened to the catalogue, newest first; 50 of them when it is not said how many. */
  changes(query?: ChangeFilter & { limit?: number; offset?: number }, caller?: Caller): Promise<ChangePage>;
  /** Hand-written entries as one signed document. */
  exportBundle(choice?: BundleChoice, caller?: Caller): Promise<BundleExport>;
  /** Takes over all entries of a bundle, or none. The reason is asked for unless nothing is changed. */
  importBundle(
    bundle: string,
    options: { reason?: string; dryRun?: boolean },
    caller?: Caller,
  ): Promise<BundleImport>;
  /** The last calls in short, newest first: the caller's own, or everybody's for who may manage the plane. */
  activity(caller?: Caller): Promise<ActivityEntry[]>;
  /** With `connect`, those that are meant to be started are tried first. */
  servers(options?: Caller & { connect?: boolean }): Promise<ServerStatus[]>;
  /** Those that are not for the caller and may be told of: what they are for and whom to ask. */
  lockedServers(caller?: Caller): Promise<LockedServer[]>;
  /** Those that the caller's groups may not use are there for admins only. */
  server(name: string, options?: Caller & { connect?: boolean }): Promise<ServerStatus>;
  /** Asks a server whether it is there. */
  ping(server: string): Promise<ServerCheck>;
  /** Connects a server and keeps it connected. */
  connect(server: string): Promise<void>;
  /** Ends a server's sessions; it stays away until it is connected again. */
  disconnect(server: string): Promise<void>;
  /** Really asks a server, or all of them, for its tools. Without `force` those that back off are left alone. */
  refresh(server?: string, options?: { force?: boolean }): Promise<RefreshReport>;
  /** The last things a server wrote to its standard error or logged. */
  logs(server: string, options?: Caller & { connect?: boolean }): Promise<ServerLogLine[]>;
  /** The open sessions, without their secrets. */
  poolInfo(): PoolInfo;
  /** Ends the sessions of one server or of all and forgets what they listed; tells how many were open. */
  clearCaches(server?: string): Promise<number>;
  /** What this conversation of the caller has used of its budget. */
  budget(conversation: string, caller?: Caller): Promise<ConversationBudget>;
  /** Ends the sessions that were kept for this conversation and forgets what it used; tells how many were open. */
  endConversation(conversation: string, caller?: Caller): Promise<number>;
  /** What a server offers beside its tools, as it lists it. */
  prompts(server?: string, caller?: Caller): Promise<Listed[]>;
  prompt(server: string, name: string, args?: Record<string, string>): Promise<unknown>;
  resources(server?: string, caller?: Caller): Promise<Listed[]>;
  resourceTemplates(server?: string, caller?: Caller): Promise<Listed[]>;
  resource(server: string, uri: string): Promise<unknown>;
  /** Asks a server something that is no call of a tool, in its own words: its answer and its error come as they are. */
  forward(server: string, method: string, params: UnknownObject, options?: ForwardOptions): Promise<unknown>;
  /** From now on the server says when this resource changes, until the returned function is called. */
  watchResource(server: string, uri: string, caller?: Caller): Promise<() => void>;
  /** Servers are asked to log as much as this, until the returned function is called. */
  wantLogs(level: LogLevel): () => void;
  /** Told of what servers say by themselves, as far as it may be of interest to whoever is connected to us. */
  onSaid(listener: (said: ServerSaid) => void): () => void;
  /** The tokens that are kept for the caller, without the tokens. */
  tokens(caller?: Caller): Promise<TokenStatus[]>;
  setToken(server: string, token: TokenGiven, caller?: Caller): Promise<void>;
  /** True when there was one. */
  forgetToken(server: string, caller?: Caller): Promise<boolean>;
  /** Begins an OAuth sign-in: the browser goes to `url` and comes back to `redirectUri`. */
  beginSignIn(server: string, redirectUri: string, caller?: Caller): Promise<{ url: string; state: string }>;
  /** The same with a listener on this machine that the browser comes back to. */
  signIn(server: string, caller?: Caller): Promise<SignIn>;
  finishSignIn(parameters: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
  /** Who calls when a call does not say. */
  usualCaller(): Principal;
  /** Who shows this token; without one the person at this machine, as long as nobody has to prove anything. */
  identify(token: string | null): Promise<Principal>;
  /** Does everybody have to say who they are? */
  needsCredentials(): Promise<boolean>;
  /** The API keys without their secrets, revoked and expired ones among them; for admins. */
  keys(caller?: Caller): Promise<ApiKey[]>;
  /** The secret is told this once. For admins. */
  createKey(key: NewApiKey, caller?: Caller): Promise<CreatedApiKey>;
  /** True when it could be used until now; `forget` takes its record away, too. For admins. */
  revokeKey(id: string, options?: Caller & { forget?: boolean }): Promise<boolean>;
  /** What servers ask the caller's person in the middle of calls. */
  questions(caller?: Caller): Promise<Question[]>;
  answer(question: string, answer: QuestionAnswer, caller?: Caller): Promise<void>;
  /** Calls that failed for good, newest first: the caller's own, everybody's with the scope `admin`. */
  deadLetters(query?: DeadLetterQuery, caller?: Caller): Promise<DeadLetterPage>;
  deadLetter(id: string, caller?: Caller): Promise<DeadLetter>;
  /** Makes the call again along the whole path, as whoever made it first; also what is not retried by itself. */
  retryDeadLetter(id: string, caller?: Caller & { signal?: AbortSignal }): Promise<Outcome>;
  /** Somebody has taken care of it in another way. */
  resolveDeadLetter(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /** It is not tried again by itself. */
  abandonDeadLetter(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /** True when there was one. */
  deleteDeadLetter(id: string, caller?: Caller): Promise<boolean>;
  /** What the policy says about a call, without making it. */
  testPolicy(
    tool: string | ToolId,
    args?: JsonObject,
    caller?: Caller & { mode?: PolicyMode },
  ): Promise<PolicyTest>;
  /** What waits for a person, oldest first: the caller's, and what else they may see. */
  approvals(caller?: Caller & { status?: HeldStatus }): Promise<HeldView[]>;
  approval(id: string, caller?: Caller): Promise<HeldView>;
  /** The first answer counts. What was approved runs, here or where its caller waits. */
  answerApproval(
    id: string,
    answer: Answer,
    caller?: Caller,
  ): Promise<{ approval: HeldView; outcome?: Outcome }>;
  /** Newest first. */
  plans(caller?: Caller): Promise<Plan[]>;
  plan(id: string, caller?: Caller): Promise<Plan>;
  approvePlan(id: string, choice?: PlanChoice, caller?: Caller): Promise<PlanOutcome>;
  rejectPlan(id: string, choice?: PlanChoice, caller?: Caller): Promise<Plan>;
  /** The answers of the caller that are good for more than one call. */
  remembered(caller?: Caller): Promise<Remembered[]>;
  forgetRemembered(id: string, caller?: Caller): Promise<boolean>;
  /** The caller's own calls, newest first; everybody's for admins. */
  calls(filter?: CallFilter, caller?: Caller): Promise<CallRecord[]>;
  callRecord(id: string, caller?: Caller): Promise<CallRecord>;
  /** Is the record of calls as it was written? For admins. `head` is a hash that was kept elsewhere. */
  verifyCalls(options?: { head?: string }, caller?: Caller): Promise<CallChain>;
  /** A part of a result that was too large to be given whole; the caller's own, or anybody's for admins. */
  result(id: string, query?: ResultQuery, caller?: Caller): Promise<ResultPage>;
  /** The results that are kept, newest first. */
  results(page?: { limit?: number; cursor?: string }, caller?: Caller): Promise<ResultList>;
  /** What happened, oldest first, with ids above `after`: as much of it as the caller may see. */
  events(after?: number, limit?: number, caller?: Caller): Promise<StoredEvent[]>;
  lastEventId(): Promise<number>;
  /** Called when there are new events to be read. */
  onStored(listener: () => void): () => void;
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
  stop(): Promise<void>;
}
