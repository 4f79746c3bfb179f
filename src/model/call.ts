import type { ErrorCode, ErrorReport } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { Face, Principal } from "./principal.ts";
import type { ToolResult } from "./result.ts";
import type { ProviderSpec, Tool, ToolId } from "./tool.ts";

/**
 * One call along the path. Each stage adds one field, so a stage that is skipped does not compile, and
 * what was learned on the way is what gets recorded.
 */
export type Requested = {
  id: string;
  at: string;
  asked: { tool: string | ToolId; arguments: unknown };
  principal: Principal;
  face: Face;
  options: CallOptions;
};

export type CallOptions = {
  /** 0 means no limit, and only when said. */
  timeoutMs?: number;
  /** A person has already agreed to this call. */
  consent?: boolean;
  /** Servers that keep one session for each conversation keep it for this one. */
  conversation?: string;
  /** Stop before anything is executed. */
  dryRun?: boolean;
};

export type Resolved = Requested & { tool: Tool };

export type Grant = { by: string };
export type Authorized = Resolved & { grant: Grant };

export type Input = {
  arguments: JsonObject;
  /** Was truncated JSON completed? */
  repaired: boolean;
  /** Undeclared arguments that were left out. */
  dropped: string[];
};
export type Validated = Authorized & { input: Input };

/** Values that only the system may set. They reach the provider and nothing else. */
export type Injection = { values: JsonObject };
export type Injected = Validated & { injected: Injection };

export type Verdict = { verdict: "allow" | "ask" | "queue" | "deny"; origin: string; reason: string };
export type Approved = Injected & { approval: Verdict };

export type TimeLimit = { ms: number; setBy: "call" | "tool" | "server" | "default" };
export type Route = { candidates: ProviderSpec[]; limit: TimeLimit };
export type Routed = Approved & { route: Route };

export type Attempt = { provider: string; ok: boolean; durationMs: number; error: ErrorCode | null };
export type Execution = { result: ToolResult; provider: string; attempts: Attempt[]; warnings: string[] };
export type Executed = Routed & { executed: Execution };

export type CallStatus =
  | "succeeded"
  | "tool_error"
  | "failed"
  | "refused"
  | "waiting"
  | "cancelled"
  | "dry_run";

/** What every face gets back. `callTool` rejects only on a defect. */
export type Outcome = {
  ok: boolean;
  call: {
    id: string;
    tool: string;
    status: CallStatus;
    durationMs: number;
    provider: string | null;
    attempts: number;
    repaired: boolean;
    dropped: string[];
    warnings: string[];
  };
  result?: ToolResult;
  error?: ErrorReport;
  /** What the call waits for. */
  approval?: { id: string };
};

/** What outlives the process: who called what, how it was decided and how it went. No argument values. */
export type CallRecord = {
  id: string;
  at: string;
  tool: string;
  server: string | null;
  principal: Principal;
  face: Face;
  status: CallStatus;
  durationMs: number;
  provider: string | null;
  attempts: Attempt[];
  argumentNames: string[];
  argumentsHash: string | null;
  injected: string[];
  approval: Verdict | null;
  resultHash: string | null;
  error: ErrorReport | null;
  stages: { stage: string; ms: number }[];
};
