import type { CallOptions, CallRecord, Outcome } from "./call.ts";
import type { Config } from "./config.ts";
import type { EventOf, EventType, StoredEvent } from "./events.ts";
import type { HealthSummary, ProviderHealth } from "./health.ts";
import type { UnknownObject } from "./json.ts";
import type { Face, Principal } from "./principal.ts";
import type { ToolFunction } from "./provider.ts";
import type { Question, QuestionAnswer } from "./question.ts";
import type { RegistrySummary } from "./registry-summary.ts";
import type {
  PoolInfo,
  RefreshReport,
  ServerCheck,
  ServerLogLine,
  ServerStatus,
  ServersChange,
} from "./server.ts";
import type { DoctorReport } from "./setup.ts";
import type { CallFilter } from "./store.ts";
import type { TokenGiven, TokenStatus } from "./token.ts";
import type { Tool, ToolId, WrittenManifest } from "./tool.ts";
import type { ToolQuery } from "./tool-query.ts";

/** Who calls through which face; the library's own caller when left out. */
export type Caller = { principal?: Principal; face?: Face };

export type PlaneCallOptions = CallOptions & Caller & { signal?: AbortSignal };

export type ToolListing = Tool & {
  health: HealthSummary & { providers: Record<string, ProviderHealth> };
  /** The variables it names, and whether they are set. */
  credentials: Record<string, { required: boolean; configured: boolean }>;
  /** Why it cannot be called right now, when that is known. */
  unavailable: string | null;
};

/** `total` are all that match, on this page or not. */
export type ToolPage = { total: number; tools: ToolListing[]; nextCursor: string | null };

/** A tool of this program: its manifest, and the function that executes it where no other provider does. */
export type Registration = WrittenManifest | { manifest: WrittenManifest; run: ToolFunction };

/** A sign-in under way: the person goes to `url`. */
export type SignIn = { url: string; finished: Promise<void>; cancel(): void };

/** Something a server lists beside its tools. */
export type Listed = UnknownObject & { server: string };

/** What every face is given and what `createPlane` returns. */
export interface Plane extends AsyncDisposable {
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
  /** The whole catalogue in short, for the caller's persona or another. */
  registrySummary(caller?: Caller & { persona?: string; patienceMs?: number }): Promise<RegistrySummary>;
  /** Adds a tool, or replaces the one of its name and persona, until the plane stops. Effective at once. */
  register(tool: Registration): void;
  /** True when there was one; what the configuration has under that name is there again. */
  unregister(name: string, options?: { persona?: string }): boolean;
  /** With `connect`, those that are meant to be started are tried first. */
  servers(options?: { connect?: boolean }): Promise<ServerStatus[]>;
  server(name: string, options?: { connect?: boolean }): Promise<ServerStatus>;
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
  /** Ends the sessions that were kept for this conversation; tells how many were open. */
  endConversation(conversation: string, caller?: Caller): Promise<number>;
  /** What a server offers beside its tools, as it lists it. */
  prompts(server?: string): Promise<Listed[]>;
  prompt(server: string, name: string, args?: Record<string, string>): Promise<unknown>;
  resources(server?: string): Promise<Listed[]>;
  resourceTemplates(server?: string): Promise<Listed[]>;
  resource(server: string, uri: string): Promise<unknown>;
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
  /** What servers ask the caller's person in the middle of calls. */
  questions(caller?: Caller): Promise<Question[]>;
  answer(question: string, answer: QuestionAnswer, caller?: Caller): Promise<void>;
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  /** What happened, oldest first, with ids above `after`. */
  events(after?: number, limit?: number): Promise<StoredEvent[]>;
  lastEventId(): Promise<number>;
  /** Called when there are new events to be read. */
  onStored(listener: () => void): () => void;
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
  stop(): Promise<void>;
}
