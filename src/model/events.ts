import type { HookDecision, HookEvent } from "./access/hook.ts";
import type { AgentOutcome, AgentStyle } from "./agent/agent-run.ts";
import type { CallStatus } from "./calls/call.ts";
import type { HeldStatus } from "./calls/held-call.ts";
import type { Finding, Severity } from "./catalogue/quality.ts";
import type { ErrorCode } from "./errors.ts";
import type { UnknownObject } from "./json.ts";
import type { CircuitState } from "./servers/server.ts";
import type { TaskState } from "./work/job-run.ts";

type StepFacts = { runId: string; user: string | null; skill: string; step: string; tool: string | null };
type JobFacts = { runId: string; user: string | null; job: string };

/** No event carries an argument value or a result. */
export type PlaneEvent =
  | { type: "server.connecting"; server: string }
  /** A program such as npx fetches it first. */
  | { type: "server.installing"; server: string }
  | { type: "server.connected"; server: string; toolCount: number; protocolVersion: string }
  | { type: "server.disconnected"; server: string; reason: string }
  | { type: "server.error"; server: string; message: string }
  | { type: "server.log"; server: string; level: string }
  | { type: "server.circuit"; server: string; state: CircuitState }
  | {
      type: "config.changed";
      added: string[];
      removed: string[];
      changed: string[];
      unchanged: string[];
      problems: number;
    }
  | { type: "config.rejected"; reason: string }
  | { type: "store.lost"; reason: string }
  | { type: "store.back" }
  | { type: "registry.changed"; revision: number; tools: number }
  | { type: "tool.suspicious"; server: string; tool: string; severity: Severity; kinds: Finding["kind"][] }
  /** Its definition differs from the pin, or a person decided about it. */
  | {
      type: "tool.definition";
      server: string;
      tool: string;
      status: "changed" | "new" | "accepted" | "rejected";
      held: boolean;
    }
  | { type: "tool.call"; callId: string; tool: string; user: string | null }
  | { type: "tool.retry"; callId: string; tool: string; attempt: number; delayMs: number; reason: string }
  | {
      type: "tool.progress";
      callId: string;
      tool: string;
      progress: number;
      total: number | null;
      percentage: number | null;
      message: string | null;
      update?: UnknownObject;
    }
  | {
      type: "tool.task";
      callId: string;
      tool: string;
      taskId: string;
      status: string;
      message: string | null;
    }
  | {
      type: "tool.result";
      callId: string;
      tool: string;
      success: boolean;
      status: CallStatus;
      durationMs: number;
      code: ErrorCode | null;
      /** Missing in what earlier versions stored. */
      attempts?: { provider: string; ok: boolean; durationMs?: number }[];
      /** Null where it is written by hand. */
      server?: string | null;
    }
  /** The end of an agent's run, with times and statuses only. */
  | {
      type: "agent.run";
      runId: string;
      user: string | null;
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
    }
  /** Names what is called, never the arguments. */
  | { type: "skill.started"; runId: string; user: string | null; skill: string }
  | {
      type: "skill.plan_generated";
      runId: string;
      user: string | null;
      skill: string;
      steps: { id: string; tool: string; dependsOn: string[] }[];
    }
  | { type: "skill.plan_ready"; runId: string; user: string | null; skill: string }
  | ({ type: "skill.step_started" } & StepFacts)
  | ({ type: "skill.step_succeeded"; record: string | null; durationMs: number } & StepFacts)
  | ({ type: "skill.step_failed"; record: string | null; code: ErrorCode } & StepFacts)
  | ({ type: "skill.step_cancelled" } & StepFacts)
  | { type: "skill.completed"; runId: string; user: string | null; skill: string; durationMs: number }
  | {
      type: "skill.failed";
      runId: string;
      user: string | null;
      skill: string;
      durationMs: number;
      code: ErrorCode;
    }
  | ({ type: "job.scheduled"; origin: "schedule" | "request" | "rerun" } & JobFacts)
  /** Also when a plane takes a run over: then `start` is above 1. */
  | ({ type: "job.started"; start: number } & JobFacts)
  | ({ type: "job.task"; task: string; state: TaskState; code: ErrorCode | null } & JobFacts)
  | ({ type: "job.succeeded"; durationMs: number } & JobFacts)
  | ({ type: "job.failed"; durationMs: number; code: ErrorCode } & JobFacts)
  | ({ type: "job.cancelled" } & JobFacts)
  | ({
      type: "job.escalated";
      task: string | null;
      code: ErrorCode;
      level: string | null;
      contact: string | null;
      timeframe: string | null;
      actions: string[];
    } & JobFacts)
  | { type: "job.paused"; job: string }
  | { type: "job.resumed"; job: string }
  /** The beginning of the query, without secrets. */
  | { type: "tool.search"; query: string; resultCount: number; session?: string }
  /** Definitions loaded on demand. */
  | { type: "tool.dynamicLoad"; session: string; tools: string[]; loadedTokens: number }
  | {
      type: "hook.decided";
      callId: string;
      tool: string;
      event: HookEvent;
      name: string;
      decision: HookDecision;
    }
  /** A server asked a model during a call. Nothing of what was said. */
  | {
      type: "model.sampled";
      callId: string;
      server: string;
      tool: string;
      status: "answered" | "refused" | "failed";
      reason: string | null;
      model: string | null;
      inputTokens: number;
      outputTokens: number;
    }
  | { type: "question.asked"; questionId: string; callId: string; server: string; tool: string }
  | { type: "question.answered"; questionId: string; callId: string; action: string }
  | { type: "approval.requested"; approvalId: string; callId: string; tool: string; plan: string | null }
  | {
      type: "approval.changed";
      approvalId: string;
      callId: string;
      tool: string;
      status: HeldStatus;
      plan: string | null;
    }
  | { type: "approval.forbidden"; approvalId: string; callId: string; user: string | null }
  | { type: "dead_letter.added"; deadLetterId: string; callId: string; tool: string; code: ErrorCode }
  | {
      type: "dead_letter.retrying";
      deadLetterId: string;
      callId: string;
      tool: string;
      retryCallId: string;
      attempt: number;
    }
  | {
      type: "dead_letter.resolved";
      deadLetterId: string;
      callId: string;
      tool: string;
      /** Null when a person resolved it. */
      retryCallId: string | null;
    }
  | { type: "dead_letter.abandoned"; deadLetterId: string; callId: string; tool: string; code: ErrorCode }
  | { type: "dead_letter.deleted"; deadLetterId: string; callId: string; tool: string }
  | { type: "key.created"; keyId: string; name: string }
  | { type: "key.revoked"; keyId: string; name: string };

/** The names of events; docs/events.md explains each. */
export type EventType = PlaneEvent["type"];
/** The event with this name. */
export type EventOf<T extends EventType> = Extract<PlaneEvent, { type: T }>;
/** Everything up to `upTo` was looked at, visible to the caller or not. */
export type EventPage = { events: StoredEvent[]; upTo: number };

export type StoredEvent = { id: number; at: string; event: PlaneEvent };

/** Read by `--log-level debug` and docs/events.md. */
export const eventMeanings = {
  "server.connecting": "A server is started or reached: `server`.",
  "server.installing": "A program such as npx fetches it before it starts: `server`.",
  "server.connected": "It is there and has listed: `server`, `toolCount`, `protocolVersion`.",
  "server.disconnected": "Its session is over: `server`, `reason`.",
  "server.error": "It could not be reached, or failed: `server`, `message`.",
  "server.log": "It has logged something; `servers logs` has the words: `server`, `level`.",
  "server.circuit": "It is left alone for a while, or tried again: `server`, `state`.",
  "config.changed":
    "Edited files are in force: `added`, `removed`, `changed`, `unchanged` servers, `problems` as a number.",
  "config.rejected": "Edited files cannot be used, so the old ones stay in force: `reason`.",
  "store.lost": "The database cannot be reached: `reason`.",
  "store.back": "It can be reached again.",
  "registry.changed": "The catalogue is another one: `revision`, `tools` as a number.",
  "tool.suspicious": "Something is hidden in a definition: `server`, `tool`, `severity`, `kinds`.",
  "tool.definition":
    "A definition differs from the pinned one, or a person decided about it: `server`, `tool`, `status`, `held`.",
  "tool.call": "A call has begun: `callId`, `tool`, `user`.",
  "tool.retry": "It is tried again: `callId`, `tool`, `attempt`, `delayMs`, `reason`.",
  "tool.progress":
    "Its server tells how far it is: `callId`, `tool`, `progress`, `total`, `percentage`, `message`, `update`.",
  "tool.task": "Its server works on it in the background: `callId`, `tool`, `taskId`, `status`, `message`.",
  "tool.result": "It is over: `callId`, `tool`, `success`, `status`, `durationMs`, `code`, `attempts`, `server`.",
  "tool.search": "Tools were searched for: `query` without secrets, `resultCount`, `session`.",
  "tool.dynamicLoad": "An MCP client has these definitions from now on: `session`, `tools`, `loadedTokens`.",
  "hook.decided": "A hook had its say: `callId`, `tool`, `event`, `name`, `decision`.",
  "model.sampled":
    "A server asked for a model's words: `callId`, `server`, `tool`, `status`, `reason`, `model`, `inputTokens`, `outputTokens`.",
  "question.asked": "A server asks a person in the middle of a call: `questionId`, `callId`, `server`, `tool`.",
  "question.answered": "It was answered, or it timed out: `questionId`, `callId`, `action`.",
  "approval.requested": "A call waits for a person's yes: `approvalId`, `callId`, `tool`, `plan`.",
  "approval.changed": "It was answered, runs or is over: `approvalId`, `callId`, `tool`, `status`, `plan`.",
  "approval.forbidden": "An answer was refused because the user may not answer: `approvalId`, `callId`, `user`.",
  "agent.run":
    "A run of an agent is over: `runId`, `user`, `outcome`, `code`, `model`, `style`, `toolset`, `turns`, `durationMs`, `inputTokens`, `outputTokens`, `modelMs` of each turn, `calls` with the status of each.",
  "skill.started": "A skill is run: `runId`, `user`, `skill`.",
  "skill.plan_generated": "Its steps are known: `runId`, `user`, `skill`, `steps` with `id`, `tool`, `dependsOn`.",
  "skill.plan_ready": "Everything is there that they need: `runId`, `user`, `skill`.",
  "skill.step_started": "A step has begun: `runId`, `user`, `skill`, `step`, `tool`.",
  "skill.step_succeeded": "It is done: the same, `record` (the id of its call), `durationMs`.",
  "skill.step_failed": "It has failed: the same, `record`, `code`.",
  "skill.step_cancelled": "It was not made, or not waited for: `runId`, `user`, `skill`, `step`, `tool`.",
  "skill.completed": "The skill is done: `runId`, `user`, `skill`, `durationMs`.",
  "skill.failed": "It has failed: the same, `code`.",
  "job.scheduled": "A run of a job is to begin: `runId`, `user`, `job`, `origin`.",
  "job.started": "It begins, or another plane goes on with it: `runId`, `user`, `job`, `start`.",
  "job.task": "One of its tasks is in another state: `runId`, `user`, `job`, `task`, `state`, `code`.",
  "job.succeeded": "It is done: `runId`, `user`, `job`, `durationMs`.",
  "job.failed": "It has failed: the same, `code`.",
  "job.cancelled": "It was cancelled: `runId`, `user`, `job`.",
  "job.escalated":
    "It has failed and is escalated: `runId`, `user`, `job`, `task`, `code`, `level`, `contact`, `timeframe`, `actions`.",
  "job.paused": "The job is not begun by the clock any more: `job`.",
  "job.resumed": "It is again: `job`.",
  "dead_letter.added": "A call has failed for good: `deadLetterId`, `callId`, `tool`, `code`.",
  "dead_letter.retrying": "It is made again: `deadLetterId`, `callId`, `tool`, `retryCallId`, `attempt`.",
  "dead_letter.resolved":
    "It has succeeded, or a person has settled it (`retryCallId` is null): `deadLetterId`, `callId`, `tool`, `retryCallId`.",
  "dead_letter.abandoned": "It is given up: `deadLetterId`, `callId`, `tool`, `code`.",
  "dead_letter.deleted": "It is forgotten: `deadLetterId`, `callId`, `tool`.",
  "key.created": "There is a new API key: `keyId`, `name`.",
  "key.revoked": "It counts no more: `keyId`, `name`.",
} as const satisfies Record<EventType, string>;
