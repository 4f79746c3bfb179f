import type { HookRun } from "../access/hook.ts";
import type { ProviderSpec, Tool, ToolId } from "../catalogue/tool.ts";
import type { ErrorCode, ErrorReport } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Face, Principal } from "../principal.ts";
import type { Contact } from "../servers/server.ts";
import type { ArtifactView, ToolResult } from "./result.ts";
import type { ResultHandle } from "./stored-result.ts";

/** `build` runs writes, `plan` queues them, `debug` asks about each, `review` refuses them. */
export const policyModes = ["build", "plan", "review", "debug"] as const;
export type PolicyMode = (typeof policyModes)[number];

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
  /** Addresses of files by the names that callers use. Never kept and never shown: they may hold tokens. */
  files?: Readonly<Record<string, string>>;
  /** Set by the plane alone: it was asked for earlier, and its caller may have lost rights since. */
  resumed?: true;
  /** Set by the plane alone, when a held call goes on. */
  approved?: HeldYes;
  /** Who was asked about it so far, and what they decided. */
  hooks?: HookRun[];
};

/** A person's yes to one call: this definition, these arguments, this caller. */
export type HeldYes = {
  id: string;
  fingerprint: string;
  by: string | null;
  /** Null when they changed the arguments: then what they wrote counts, once it is validated. */
  arguments: JsonObject | null;
};

/** What one call may be told, wherever it comes from. */
export type CallOptions = {
  /** 0 means no limit, and only when said. */
  timeoutMs?: number;
  /** A person has already agreed to this call. */
  consent?: boolean;
  /** Servers that keep one session for each conversation keep it for this one. */
  conversation?: string;
  /** The run of an agent that it is made in. */
  run?: string;
  /** Stands for this call however often it is tried, by us or by the caller; the call's id when left out. */
  idempotencyKey?: string;
  /** The caller retries by itself, so the plane does not. */
  ownRetries?: boolean;
  /** Waits so long for a person's answer, where one is needed. */
  approvalWaitMs?: number;
  /** Narrower than the configuration's; what is wider is not heard. */
  mode?: PolicyMode;
  /** Stop before anything is executed. */
  dryRun?: boolean;
  /** The groups of tools that are meant; `default` when left out, none when empty. */
  toolGroups?: "*" | string[];
  /** The state that an agent is in. */
  state?: string;
  /** A level of data to keep to beside the caller's own. */
  compliance?: string;
  /** The MCP servers of a sub-agent: all of the caller's, none, or these of them. */
  mcp?: boolean | string[];
  /** The caller was never shown this tool, and may call only what it was shown. */
  unseen?: boolean;
  /** Characters of a result that are given whole; of a larger one its handle. 0 is no limit; the face's own when left out. */
  maxResultBytes?: number;
};

export type Resolved = Requested & { tool: Tool };

export type Grant = { by: string };

/** Policy's no, and what kind of no it is. `locked` where its server may be told of: whom to ask. */
export type Refused = {
  refused: string;
  why: "server" | "groups" | "persona" | "flags" | "workspace" | "compliance" | "tool groups" | "state" | "defect";
  locked?: Contact;
};

/** What of a call or a listing counts for who may use what. */
export type AccessRequest = Pick<CallOptions, "toolGroups" | "state" | "compliance"> & {
  /** What the tool would get; unknown where tools are only looked at. */
  arguments?: JsonObject;
};
export type Authorized = Resolved & { grant: Grant };

export type Input = {
  arguments: JsonObject;
  /** Was truncated JSON completed, or misspelt JSON read? */
  repaired: boolean;
  /** What was spelt otherwise than in JSON. */
  respelt?: string[];
  /** Undeclared arguments that were left out. */
  dropped: string[];
  /** Numbers that are others once they are read: where they stand, and how they were written. */
  exact?: readonly { path: readonly string[]; text: string }[];
};
export type Validated = Authorized & { input: Input };

/** Values that only the system may set. They reach the provider and nothing else. */
type Injection = { values: JsonObject };
export type Injected = Validated & { injected: Injection; judged?: Judgement };

export type Verdict = {
  verdict: "allow" | "ask" | "queue" | "deny";
  origin: string;
  reason: string;
  /** Which rule of the policy said so. */
  rule?: number;
  /** Once in a conversation is enough. */
  consent?: true;
};
/** What hooks made of a call; where they wrote other arguments, `before` are the caller's. */
type Judgement = { verdict: Verdict; before: JsonObject | null };
export type Approved = Injected & { approval: Verdict };

export type TimeLimit = { ms: number; setBy: "call" | "tool" | "server" | "default" };
type Route = { candidates: ProviderSpec[]; limit: TimeLimit };
export type Routed = Approved & { route: Route };

export type Attempt = {
  provider: string;
  ok: boolean;
  durationMs: number;
  error: ErrorCode | null;
  /** Only said where the provider provably never saw it. */
  sent?: false;
};
/** What a call cost by the word of its manifest, in the manifest's unit. */
export type Cost = { amount: number; unit: string };
type Execution = {
  result: ToolResult;
  provider: string;
  attempts: Attempt[];
  warnings: string[];
  /** What the tool said, where a hook put something else in its place. */
  said?: ToolResult;
};
export type Executed = Routed & { executed: Execution };

/** How a call ended, or that it waits. */
export type CallStatus = "succeeded" | "tool_error" | "failed" | "refused" | "waiting" | "cancelled" | "dry_run";

/** What is known about a call, whatever came of it. */
export type CallReport<Status extends CallStatus = CallStatus> = {
  /** Identifies the call in the record of calls and in events. */
  id: string;
  /** The tool's name in the catalogue; the name as it was asked for where there is no such tool. */
  tool: string;
  /** How the call ended, or that it waits. */
  status: Status;
  /** From the request to the answer, in milliseconds. */
  durationMs: number;
  /** The provider that ran the tool; null where none did. */
  provider: string | null;
  /** How many providers were tried, retries included. */
  attempts: number;
  /** True where the arguments came as broken JSON and were repaired. */
  repaired: boolean;
  /** Arguments that the tool does not declare and did not get. */
  dropped: string[];
  /** Notes about this call, one sentence each. */
  warnings: string[];
  /** What the call cost, where the tool's manifest gives a price. */
  cost?: Cost;
  /** The agent's state after the call, where the call or its tool names one. */
  state?: string;
};

/**
 * The tool ran and answered. With `dryRun` nothing ran: the status is `dry_run`, `result` is empty and `verdict` says
 * what the policy decided.
 */
export type SucceededOutcome = {
  /** The tool answered. */
  ok: true;
  /** What is known about the call itself. */
  call: CallReport<"succeeded" | "dry_run">;
  /** What the tool answered, as it came from the wire. */
  result: ToolResult;
  error?: undefined;
  /** The handle of a result that was too large to be given whole. */
  stored?: ResultHandle;
  /** The files that came with the result. */
  artifacts?: ArtifactView[];
  approval?: undefined;
  plan?: undefined;
  /** The policy's decision, after a dry run. */
  verdict?: Verdict;
};

/** The tool said no, a provider failed, or the plane refused the call: `error.code` says which. */
export type FailedOutcome = {
  /** There is an `error`. */
  ok: false;
  /** What is known about the call itself. */
  call: CallReport<"tool_error" | "failed" | "refused" | "cancelled">;
  /** What the tool said, where it ran and reported an error of its own. */
  result?: ToolResult;
  /** Why it failed. */
  error: ErrorReport;
  /** The handle of a result that was too large to be given whole. */
  stored?: ResultHandle;
  /** The files that came with the result. */
  artifacts?: ArtifactView[];
  approval?: undefined;
  plan?: undefined;
  verdict?: undefined;
};

/** The call waits for a person: it runs once the approval is answered with yes. */
export type WaitingOutcome = {
  /** There is an `error`. */
  ok: false;
  /** What is known about the call itself. */
  call: CallReport<"waiting">;
  result?: undefined;
  /** Its code is `APPROVAL_REQUIRED`. */
  error: ErrorReport;
  stored?: undefined;
  artifacts?: undefined;
  /** Answer it with `plane.approvals.answer(id, { decision: "approve" })`. */
  approval: { id: string };
  plan?: undefined;
  verdict?: undefined;
};

/** The call was queued as a change of a plan: it runs once the plan is approved. */
export type QueuedOutcome = {
  /** There is an `error`. */
  ok: false;
  /** What is known about the call itself. */
  call: CallReport<"waiting">;
  result?: undefined;
  /** Its code is `PLAN_QUEUED`. */
  error: ErrorReport;
  stored?: undefined;
  artifacts?: undefined;
  approval?: undefined;
  /** Approve it with `plane.plans.approve(id, …)`. */
  plan: { id: string; change: string };
  verdict?: undefined;
};

/**
 * What came of a call: `ok` gives `result`, otherwise there is an `error`. A call that waits has `approval` or `plan`.
 *
 * @example
 * const outcome = await plane.call("demo.add", { a: 1, b: 2 });
 * if (outcome.ok) console.log(outcome.result.content);
 * else if (outcome.approval) console.log("waits for", outcome.approval.id);
 * else console.error(outcome.error.code, outcome.error.message);
 */
export type Outcome = SucceededOutcome | FailedOutcome | WaitingOutcome | QueuedOutcome;

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
  /** Of what the tool said. */
  resultHash: string | null;
  /** The id of the result, where it was too large to be given whole. */
  stored?: string;
  /** Of what the caller got instead, where a hook changed it. */
  changedHash?: string;
  hooks?: HookRun[];
  error: ErrorReport | null;
  cost?: Cost;
  /** The run of an agent that it was made in. */
  run?: string;
  stages: { stage: string; ms: number }[];
};
