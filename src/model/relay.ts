import type { TokenUsage } from "./chat.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";

/** What a server asks, in the words of its protocol. */
export type Asked = { method: string; params: UnknownObject };

/** Who asks, told to servers that want to hear it with every request. */
export type AsClient = { capabilities: UnknownObject; info?: UnknownObject; logLevel?: string };

/** What a caller that answers questions itself brings back, exactly as it came. */
export type Continuation = { inputResponses?: unknown; requestState?: unknown };

/** How a request speaks with whoever made it, while it runs. */
export type Relay = {
  /** Answers what a server asks in the middle; null when this caller cannot be asked that. */
  onQuestion?(server: string, asked: Asked, signal: AbortSignal): Promise<UnknownObject | null>;
  onProgress?(progress: { progress: number; total: number | null; message: string | null }): void;
  /** What a server logs because of this request, where that can be told. */
  onLog?(message: UnknownObject): void;
  client?: AsClient;
  /** What the caller says beside its request, for the server: where a trace stands, for one. */
  meta?: UnknownObject;
  /** What a call lets one of our models say is taken from these tokens, and counted to whoever called. */
  tokens?: { left(): number; used(usage: TokenUsage): void };
  /** Answers the tools that look after what this caller has loaded, which nobody else knows. */
  onOwnTool?(tool: string, args: UnknownObject, signal: AbortSignal): Promise<UnknownObject>;
  /** Given by callers that take a server's questions as a result and come back with the answers. */
  continuation?: Continuation;
};

/** What a server says by itself. `user` is whose session it was said in; null when it is everybody's. */
export type ServerSaid = { server: string; user: string | null; method: string; params: UnknownObject };
