import type { ProviderSpec, Tool, ToolId } from "../catalogue/tool.ts";
import type { ErrorReport } from "../errors-schema.ts";
import type { JsonObject } from "../json.ts";
import type { Face, Principal } from "../principal.ts";
import type { Contact } from "../servers/server-schema.ts";
import type {
  Attempt,
  CallStatus,
  Cost,
  HookRun,
  PageOrigin,
  ResultOrigin,
  Sent,
  Verdict,
} from "./call-schema.ts";
import type { ArtifactView, ToolResult } from "./result.ts";
import type { ResultHandle } from "./stored-result.ts";

/** `build` runs writes, `plan` queues them, `debug` asks about each, `review` refuses them. */
export const policyModes = ["build", "plan", "review", "debug"] as const;
export type PolicyMode = (typeof policyModes)[number];

/** What becomes of a call that cannot be sent. */
export const onUnavailableChoices = ["fail", "queue"] as const;
export type OnUnavailable = (typeof onUnavailableChoices)[number];

/** A call on its path. Each stage adds a field: a skipped stage does not compile. */
export type Requested = {
  id: string;
  at: string;
  asked: { tool: string | ToolId; arguments: unknown };
  principal: Principal;
  face: Face;
  options: CallOptions;
  /** Addresses of files by name. Never kept or shown: they may hold tokens. */
  files?: Readonly<Record<string, string>>;
  /** Set by the plane: requested earlier, and its caller may have lost rights since. */
  resumed?: true;
  /** Set by the plane when a held call continues. */
  approved?: HeldYes;
  /** Set by the plane where its caller was answered that it waits: when it was made. */
  waitedSince?: string;
  hooks?: HookRun[];
};

/** A person's yes to this definition, these arguments and this caller. */
export type HeldYes = {
  id: string;
  fingerprint: string;
  by: string | null;
  /** Null when they were changed: then the new ones count, once validated. */
  arguments: JsonObject | null;
  /** The request of its caller is open, and gets the outcome. */
  isAwaited?: true;
};

/** Options of one call. */
export type CallOptions = {
  /** 0 is no limit. */
  timeoutMs?: number;
  /** A person has already agreed. */
  consent?: boolean;
  /** A person typed it at a terminal. In the profile `personal` that is consent. */
  typed?: boolean;
  /** Selects the session of servers with one per conversation. */
  conversation?: string;
  /** The run of an agent that the call belongs to. */
  run?: string;
  /** The same for all tries of this call. Default: the call's id. */
  idempotencyKey?: string;
  /** Set by the plane: that key as servers get it, bound to the caller. */
  sentKey?: string;
  /** `queue`: where the call cannot be sent, the plane accepts it and runs it once its server is available. Default: `fail`. */
  onUnavailable?: OnUnavailable;
  /** The caller retries, so the plane does not. */
  ownRetries?: boolean;
  /** How long to wait for an approval. */
  approvalWaitMs?: number;
  /** How long its question lives at most. Default: `approvals.expireMs`. */
  approvalExpireMs?: number;
  /** Only a stricter mode than the configured one counts. */
  mode?: PolicyMode;
  /** Stops before execution. */
  dryRun?: boolean;
  /** Groups of tools. Default: `default`; none when empty. */
  toolGroups?: "*" | string[];
  /** The agent's state. */
  state?: string;
  /** A level of data beside the caller's own. */
  compliance?: string;
  /** The servers of a sub-agent: all of the caller's, none, or these. */
  mcp?: boolean | string[];
  /** The caller was never shown this tool, and may only call what it was shown. */
  unseen?: boolean;
  /** The page of MCP Apps that calls: its server, and its address there. */
  page?: PageOrigin;
  /** A larger result is returned as a handle; 0 is no limit. */
  maxResultBytes?: number;
};

export type Resolved = Requested & { tool: Tool };

export type Grant = { by: string };

/** The policy's no. `locked` where its server may be shown. */
export type Refused = {
  refused: string;
  why:
    | "server"
    | "filter"
    | "groups"
    | "persona"
    | "flags"
    | "workspace"
    | "compliance"
    | "tool groups"
    | "state"
    | "defect";
  locked?: Contact;
};

export type AccessRequest = Pick<CallOptions, "toolGroups" | "state" | "compliance"> & {
  /** Unknown where tools are only listed. */
  arguments?: JsonObject;
  /** Listings of people: a call is always in one state. */
  anyState?: true;
};
export type Authorized = Resolved & { grant: Grant };

export type Input = {
  arguments: JsonObject;
  repaired: boolean;
  /** What was not spelt as JSON. */
  respelt?: string[];
  dropped: string[];
  /** Numbers that lose digits when parsed: their paths and texts. */
  exact?: readonly { path: readonly string[]; text: string }[];
  /** What of the schema could not be checked. */
  warnings?: string[];
};
export type Validated = Authorized & { input: Input };

/** Values that only the system sets. They reach the provider and nothing else. */
type Injection = { values: JsonObject };
export type Injected = Validated & { injected: Injection; judged?: Judgement };

/** `before` are the caller's arguments, where hooks wrote others. */
type Judgement = { verdict: Verdict; before: JsonObject | null };
export type Approved = Injected & { approval: Verdict };

export type TimeLimit = { ms: number; setBy: "call" | "tool" | "server" | "default" };
type Route = {
  candidates: ProviderSpec[];
  limit: TimeLimit;
  /** Why the others are no candidates, by label. */
  passedOver?: Record<string, string>;
};
export type Routed = Approved & { route: Route };

export function originOf({ cached, coalesced, replayed, collected }: ResultOrigin): ResultOrigin {
  return {
    ...(cached === undefined ? {} : { cached }),
    ...(coalesced ? { coalesced } : {}),
    ...(replayed ? { replayed } : {}),
    ...(collected === undefined ? {} : { collected }),
  };
}

type Execution = ResultOrigin & {
  result: ToolResult;
  provider: string;
  attempts: Attempt[];
  warnings: string[];
  /** The tool's own result, where a hook replaced it. */
  replacedResult?: ToolResult;
};
export type Executed = Routed & { executed: Execution };

/** What is known about any call. */
export type CallReport<Status extends CallStatus = CallStatus> = ResultOrigin & {
  /** Finds the call in records and events. */
  id: string;
  /** The catalogue's name; the requested one where there is no such tool. */
  tool: string;
  /** How it ended, or that it waits. */
  status: Status;
  /** From request to answer. */
  durationMs: number;
  /** Null where none ran. */
  provider: string | null;
  /** Retries included. */
  attempts: number;
  /** Were broken arguments repaired? */
  repaired: boolean;
  /** Undeclared arguments that were left out. */
  dropped: string[];
  /** One sentence each. */
  warnings: string[];
  /** The warnings that are about the arguments. */
  argumentNotes?: string[];
  /** The record could not be written and waits in memory. */
  recorded?: false;
  /** Where the manifest names a price. */
  cost?: Cost;
  /** The agent's state after the call. */
  state?: string;
  /** Of a call that failed: what the transport saw. */
  sent?: Sent;
};

/** Fields that only other outcomes have. */
type Absent<Field extends string> = { [field in Field]?: undefined };

type Answered = {
  /** The handle of a large result. */
  stored?: ResultHandle;
  /** Files of the result. */
  artifacts?: ArtifactView[];
};

type NotOk<Status extends CallStatus> = {
  /** There is an `error`. */
  ok: false;
  /** About the call itself. */
  call: CallReport<Status>;
  /** Why it failed, or what it waits for. */
  error: ErrorReport;
};

/** The tool answered. After a `dryRun` the status is `dry_run` and `verdict` is set. */
export type SucceededOutcome = Answered & {
  /** The tool answered. */
  ok: true;
  /** About the call itself. */
  call: CallReport<"succeeded" | "dry_run">;
  /** The tool's answer, as it came from the wire. */
  result: ToolResult;
  /** After a dry run. */
  verdict?: Verdict;
} & Absent<"error" | "approval" | "plan" | "queued">;

/** The tool reported an error, a provider failed, or the plane refused: see `error.code`. */
export type FailedOutcome = NotOk<"tool_error" | "failed" | "refused" | "cancelled"> & {
  /** Where the tool itself reported the error. */
  result?: ToolResult;
} & Answered &
  Absent<"approval" | "plan" | "queued" | "verdict">;

/** The call waits for an approval: its code is `APPROVAL_REQUIRED`. */
export type WaitingOutcome = NotOk<"waiting"> & {
  /** Answer it with `plane.approvals.answer(id, { decision: "approve" })`. */
  approval: { id: string };
} & Absent<"result" | "stored" | "artifacts" | "plan" | "queued" | "verdict">;

/** The call was queued in a change plan: its code is `PLAN_QUEUED`. */
export type QueuedOutcome = NotOk<"waiting"> & {
  /** Approve it with `plane.plans.approve(id, …)`. */
  plan: { id: string; change: string };
} & Absent<"result" | "stored" | "artifacts" | "approval" | "queued" | "verdict">;

/** The call could not be sent and was accepted: its code is `CALL_QUEUED`. */
export type AcceptedOutcome = NotOk<"waiting"> & {
  /** The receipt: the id of the call, and of the dead letter that runs it. */
  queued: { id: string };
} & Absent<"result" | "stored" | "artifacts" | "approval" | "plan" | "verdict">;

/**
 * `ok` gives `result`, otherwise there is an `error`. A call that waits has `approval` or `plan`.
 * @example
 * const outcome = await plane.call("demo.add", { a: 1, b: 2 });
 * if (outcome.ok) console.log(outcome.result.content);
 * else if (outcome.approval) console.log("waits for", outcome.approval.id);
 * else console.error(outcome.error.code, outcome.error.message);
 */
export type Outcome =
  | SucceededOutcome
  | FailedOutcome
  | WaitingOutcome
  | QueuedOutcome
  | AcceptedOutcome;
