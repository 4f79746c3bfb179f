import type { HookDecision, HookEvent } from "./access/hook.ts";
import type { AgentStyle } from "./agent/agent-run.ts";
import type { AgentOutcome } from "./agent/run-schema.ts";
import type { CallStatus, ResultOrigin } from "./calls/call-schema.ts";
import type { HeldStatus } from "./calls/held-call.ts";
import type { ProgressReport, TaskReport } from "./calls/provider.ts";
import type { Severity } from "./catalogue/quality.ts";
import type { Finding } from "./catalogue/quality-schema.ts";
import type { OfferCallKind } from "./catalogue/tool.ts";
import type { ErrorCode } from "./errors.ts";
import type { UnknownObject } from "./json.ts";
import type { ServersChange } from "./servers/server.ts";
import type { CircuitState } from "./servers/server-schema.ts";
import type { TaskState } from "./work/job-run.ts";

/** `kind` where it is no tool that is called. */
type CallFacts = { callId: string; tool: string; kind?: OfferCallKind };
/** `key` where it was started with an API key; `owner` where others of the user with other rights do not hear of it. */
type RunFacts = { runId: string; user: string | null; key?: string; owner?: string };
type SkillFacts = RunFacts & { skill: string };
type StepFacts = SkillFacts & { step: string; tool: string | null };
type JobFacts = RunFacts & { job: string };
type ApprovalFacts = CallFacts & { approvalId: string; plan: string | null };
type LetterFacts = CallFacts & { deadLetterId: string };

type ToolResultEvent = CallFacts &
  ResultOrigin & {
    type: "tool.result";
    success: boolean;
    status: CallStatus;
    durationMs: number;
    code: ErrorCode | null;
    /** Missing in what earlier versions stored. */
    attempts?: { provider: string; ok: boolean; durationMs?: number }[];
    /** Null where it is written by hand. */
    server?: string | null;
  };

/** The end of an agent's run, with times and statuses only. */
type AgentRunEvent = RunFacts & {
  type: "agent.run";
  outcome: AgentOutcome;
  code: ErrorCode | null;
  model: string;
  style: AgentStyle;
  toolset: string | null;
  turns: number;
  durationMs: number;
  inputTokens: number;
  outputTokens: number;
  modelMs: number[];
  /** A call that was not made has the name the model wrote. */
  calls: { tool: string; status: string; made: boolean }[];
};

/** An agent's run began or went on. */
type AgentStepEvent = RunFacts & { type: "agent.step" };

/** A server asked a model during a call. Nothing of what was said. */
type SampledEvent = CallFacts & {
  type: "model.sampled";
  server: string;
  status: "answered" | "refused" | "failed";
  reason: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
};

type EscalatedEvent = JobFacts & {
  type: "job.escalated";
  task: string | null;
  code: ErrorCode;
  level: string | null;
  contact: string | null;
  timeframe: string | null;
  actions: string[];
};

/** No event carries an argument value or a result. */
export type PlaneEvent =
  | { type: "server.connecting"; server: string }
  | { type: "server.installing"; server: string }
  | { type: "server.connected"; server: string; toolCount: number; protocolVersion: string }
  | { type: "server.disconnected"; server: string; reason: string }
  | { type: "server.error"; server: string; message: string }
  | { type: "server.log"; server: string; level: string }
  | { type: "server.circuit"; server: string; state: CircuitState }
  | ({ type: "config.changed"; problems: number } & ServersChange)
  | { type: "config.rejected"; reason: string }
  | { type: "extension.failed"; extension: string; reason: string; stack: string | null }
  | { type: "extension.log"; extension: string; text: string }
  | { type: "store.lost"; reason: string }
  | { type: "telemetry.lost"; reason: string }
  | { type: "telemetry.back" }
  | { type: "store.back" }
  | { type: "search.fallback"; model: string; reason: string }
  | { type: "registry.changed"; revision: number; tools: number }
  | {
      type: "tool.suspicious";
      server: string;
      tool: string;
      severity: Severity;
      kinds: Finding["kind"][];
      user?: string;
    }
  | {
      type: "tool.definition";
      server: string;
      tool: string;
      status: "changed" | "new" | "accepted" | "rejected";
      held: boolean;
      user?: string;
    }
  | ({ type: "tool.call"; user: string | null; key?: string } & CallFacts)
  | ({ type: "tool.retry"; attempt: number; delayMs: number; reason: string } & CallFacts)
  | ({ type: "tool.progress"; percentage: number | null; update?: UnknownObject } & CallFacts &
      ProgressReport)
  | ({ type: "tool.task" } & CallFacts & TaskReport)
  | ToolResultEvent
  | AgentStepEvent
  | AgentRunEvent
  | ({ type: "skill.started" } & SkillFacts)
  | ({ type: "skill.plan_ready" } & SkillFacts)
  | ({
      type: "skill.plan_generated";
      steps: { id: string; tool: string; dependsOn: string[] }[];
    } & SkillFacts)
  | ({ type: "skill.step_started" } & StepFacts)
  | ({ type: "skill.step_cancelled" } & StepFacts)
  | ({ type: "skill.step_succeeded"; record: string | null; durationMs: number } & StepFacts)
  | ({ type: "skill.step_failed"; record: string | null; code: ErrorCode } & StepFacts)
  | ({ type: "skill.completed"; durationMs: number } & SkillFacts)
  | ({ type: "skill.failed"; durationMs: number; code: ErrorCode } & SkillFacts)
  | ({ type: "job.scheduled"; origin: "schedule" | "request" | "rerun" } & JobFacts)
  /** Also when a plane takes a run over: then `start` is above 1. */
  | ({ type: "job.started"; start: number } & JobFacts)
  | ({ type: "job.task"; task: string; state: TaskState; code: ErrorCode | null } & JobFacts)
  | ({ type: "job.succeeded"; durationMs: number } & JobFacts)
  | ({ type: "job.failed"; durationMs: number; code: ErrorCode } & JobFacts)
  | ({ type: "job.cancelled" } & JobFacts)
  | EscalatedEvent
  | { type: "job.paused"; job: string }
  | { type: "job.resumed"; job: string }
  /** The beginning of the query, without secrets. */
  | { type: "tool.search"; query: string; resultCount: number; session?: string }
  | { type: "tool.dynamicLoad"; session: string; tools: string[]; loadedTokens: number }
  | ({ type: "hook.decided"; event: HookEvent; name: string; decision: HookDecision } & CallFacts)
  | SampledEvent
  | ({ type: "question.asked"; questionId: string; server: string } & CallFacts)
  | { type: "question.answered"; questionId: string; callId: string; action: string }
  | ({ type: "approval.requested" } & ApprovalFacts)
  | ({ type: "approval.changed"; status: HeldStatus } & ApprovalFacts)
  | { type: "approval.forbidden"; approvalId: string; callId: string; user: string | null }
  | ({ type: "dead_letter.added"; code: ErrorCode } & LetterFacts)
  | ({ type: "dead_letter.abandoned"; code: ErrorCode } & LetterFacts)
  | ({ type: "dead_letter.retrying"; retryCallId: string; attempt: number } & LetterFacts)
  /** `retryCallId` is null when a person resolved it. */
  | ({ type: "dead_letter.resolved"; retryCallId: string | null } & LetterFacts)
  | ({ type: "dead_letter.deleted" } & LetterFacts)
  | ({ type: "dead_letter.restored" } & LetterFacts)
  /** The ends of all chains of records as one hash; `signature` is Ed25519, by `key`. */
  | {
      type: "audit.root";
      number: number;
      hash: string;
      chains: number;
      signature?: string;
      key?: string;
    }
  | { type: "key.created"; keyId: string; name: string }
  | { type: "key.revoked"; keyId: string; name: string };

/** Emitted and not stored: servers may send a thousand of them a second. */
export const transientEvents = [
  "server.log",
  "tool.progress",
  "tool.task",
  "agent.step",
] as const satisfies EventType[];
/** An event that is only heard while it happens. */
export type TransientEvent = EventOf<(typeof transientEvents)[number]> & { at: string };

/** The names of events; docs/events.md explains each. */
export type EventType = PlaneEvent["type"];
/** The event with this name. */
export type EventOf<T extends EventType> = Extract<PlaneEvent, { type: T }>;
/** Everything up to `upTo` was looked at, visible to the caller or not. */
export type EventPage = { events: StoredEvent[]; upTo: number };

export type StoredEvent = { id: number; at: string; event: PlaneEvent };

/** Read by `--log-level debug` and docs/events.md. */
export const eventMeanings = {
  "server.connecting": "A server is being started or contacted: `server`.",
  "server.installing": "An installer such as npx downloads it: `server`.",
  "server.connected": "It is connected and listed: `server`, `toolCount`, `protocolVersion`.",
  "server.disconnected": "Its session ended: `server`, `reason`.",
  "server.error":
    "It could not be reached, failed, or wrote lines that are no messages: `server`, `message`.",
  "server.log": "It logged a message; `servers logs` has the text: `server`, `level`.",
  "server.circuit": "Its circuit breaker changed: `server`, `state`.",
  "config.changed":
    "Edited files are in force: `added`, `removed`, `changed`, `unchanged` servers, `problems` as a number.",
  "config.rejected": "Edited files cannot be used, so the old ones stay in force: `reason`.",
  "search.fallback":
    "The search goes on with the built-in vectors, because the model `model` failed: `reason`.",
  "extension.failed":
    "An extension failed, and what it had added is gone unless it only could not reload: `extension`, `reason`, `stack` of its code without secrets.",
  "extension.log": "An extension says something: `extension`, `text` without secrets.",
  "store.lost": "The database cannot be reached: `reason`.",
  "telemetry.lost": "The OTLP collector does not take spans or metrics: `reason`.",
  "telemetry.back": "It takes them again.",
  "store.back": "It can be reached again.",
  "registry.changed": "The catalogue changed: `revision`, `tools` as a number.",
  "tool.suspicious":
    "A definition looks poisoned: `server`, `tool`, `severity`, `kinds`; `user` where the server lists it for them alone.",
  "tool.definition":
    "A definition differs from the pinned one, or a person decided about it: `server`, `tool`, `status`, `held`; `user` where the server lists it for them alone.",
  "tool.call":
    "A call started: `callId`, `tool`, `user`, `key` (the id of the API key); `kind` where a prompt, a resource, a completion or a subscription is asked for.",
  "tool.retry": "It is retried: `callId`, `tool`, `attempt`, `delayMs`, `reason`.",
  "tool.progress":
    "Its server reports progress: `callId`, `tool`, `progress`, `total`, `percentage`, `message`, `update`.",
  "tool.task":
    "Its server works on it in the background: `callId`, `tool`, `taskId`, `status`, `message`.",
  "tool.result":
    "It ended: `callId`, `tool`, `success`, `status`, `durationMs`, `code`, `attempts`, `server`, `kind`.",
  "tool.search": "Tools were searched for: `query` without secrets, `resultCount`, `session`.",
  "tool.dynamicLoad": "An MCP client loaded these definitions: `session`, `tools`, `loadedTokens`.",
  "hook.decided": "A hook decided: `callId`, `tool`, `event`, `name`, `decision`.",
  "model.sampled":
    "A server asked for sampling: `callId`, `server`, `tool`, `status`, `reason`, `model`, `inputTokens`, `outputTokens`.",
  "question.asked":
    "A server asks a question during a call: `questionId`, `callId`, `server`, `tool`.",
  "question.answered": "It was answered, or it timed out: `questionId`, `callId`, `action`.",
  "approval.requested": "A call waits for approval: `approvalId`, `callId`, `tool`, `plan`.",
  "approval.changed":
    "It was answered, runs or ended: `approvalId`, `callId`, `tool`, `status`, `plan`.",
  "approval.forbidden":
    "An answer was refused because the user may not answer: `approvalId`, `callId`, `user`.",
  "agent.step": "An agent run started or went on: `runId`, `user`.",
  "agent.run":
    "An agent run ended: `runId`, `user`, `outcome`, `code`, `model`, `style`, `toolset`, `turns`, `durationMs`, `inputTokens`, `outputTokens`, `modelMs` of each turn, `calls` with the status of each.",
  "skill.started": "A skill started: `runId`, `user`, `skill`.",
  "skill.plan_generated":
    "Its steps are known: `runId`, `user`, `skill`, `steps` with `id`, `tool`, `dependsOn`.",
  "skill.plan_ready": "All requirements are met: `runId`, `user`, `skill`.",
  "skill.step_started": "A step started: `runId`, `user`, `skill`, `step`, `tool`.",
  "skill.step_succeeded": "It succeeded: the same, `record` (the id of its call), `durationMs`.",
  "skill.step_failed": "It failed: the same, `record`, `code`.",
  "skill.step_cancelled": "It was skipped or cancelled: `runId`, `user`, `skill`, `step`, `tool`.",
  "skill.completed": "The skill succeeded: `runId`, `user`, `skill`, `durationMs`.",
  "skill.failed": "It failed: the same, `code`.",
  "job.scheduled": "A job run was scheduled: `runId`, `user`, `job`, `origin`.",
  "job.started": "It started, or another plane took it over: `runId`, `user`, `job`, `start`.",
  "job.task": "A task changed its state: `runId`, `user`, `job`, `task`, `state`, `code`.",
  "job.succeeded": "It succeeded: `runId`, `user`, `job`, `durationMs`.",
  "job.failed": "It failed: the same, `code`.",
  "job.cancelled": "It was cancelled: `runId`, `user`, `job`.",
  "job.escalated":
    "It failed and was escalated: `runId`, `user`, `job`, `task`, `code`, `level`, `contact`, `timeframe`, `actions`.",
  "job.paused": "The schedule was paused: `job`.",
  "job.resumed": "The schedule was resumed: `job`.",
  "dead_letter.added": "A call failed permanently: `deadLetterId`, `callId`, `tool`, `code`.",
  "dead_letter.retrying":
    "It is retried: `deadLetterId`, `callId`, `tool`, `retryCallId`, `attempt`.",
  "dead_letter.resolved":
    "It succeeded, or a person marked it resolved (`retryCallId` is null): `deadLetterId`, `callId`, `tool`, `retryCallId`.",
  "dead_letter.abandoned": "It was abandoned: `deadLetterId`, `callId`, `tool`, `code`.",
  "dead_letter.deleted": "It was deleted: `deadLetterId`, `callId`, `tool`.",
  "dead_letter.restored": "Its deletion was undone: `deadLetterId`, `callId`, `tool`.",
  "audit.root":
    "The ends of all chains of records became a root: `number`, `hash`, `chains` as a number, `signature` and `key` where one is configured.",
  "key.created": "An API key was created: `keyId`, `name`.",
  "key.revoked": "The key was revoked: `keyId`, `name`.",
} as const satisfies Record<EventType, string>;
