import type { EventType } from "./events.ts";

/** What each event tells, and its fields. Read by `--log-level debug` and by docs/events.md. */
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
    "A definition is not the pinned one, or somebody has decided about it: `server`, `tool`, `status`, `held`.",
  "tool.call": "A call has begun: `callId`, `tool`, `user`.",
  "tool.retry": "It is tried again: `callId`, `tool`, `attempt`, `delayMs`, `reason`.",
  "tool.progress":
    "Its server tells how far it is: `callId`, `tool`, `progress`, `total`, `percentage`, `message`, `update`.",
  "tool.task": "Its server works on it in the background: `callId`, `tool`, `taskId`, `status`, `message`.",
  "tool.result":
    "It is over: `callId`, `tool`, `success`, `status`, `durationMs`, `code`, `attempts`, `server`.",
  "tool.search": "Tools were searched for: `query` without secrets, `resultCount`, `session`.",
  "tool.dynamicLoad": "An MCP client has these definitions from now on: `session`, `tools`, `loadedTokens`.",
  "hook.decided": "A hook had its say: `callId`, `tool`, `event`, `name`, `decision`.",
  "model.sampled":
    "A server asked for a model's words: `callId`, `server`, `tool`, `status`, `reason`, `model`, `inputTokens`, `outputTokens`.",
  "question.asked":
    "A server asks a person in the middle of a call: `questionId`, `callId`, `server`, `tool`.",
  "question.answered": "Somebody has answered, or nobody did in time: `questionId`, `callId`, `action`.",
  "approval.requested": "A call waits for a person's yes: `approvalId`, `callId`, `tool`, `plan`.",
  "approval.changed": "It was answered, runs or is over: `approvalId`, `callId`, `tool`, `status`, `plan`.",
  "approval.forbidden": "Somebody tried to answer who may not: `approvalId`, `callId`, `user`.",
  "agent.run":
    "A run of an agent is over: `runId`, `user`, `outcome`, `code`, `model`, `style`, `toolset`, `turns`, `durationMs`, `inputTokens`, `outputTokens`, `modelMs` of each turn, `calls` with the status of each.",
  "skill.started": "A skill is run: `runId`, `user`, `skill`.",
  "skill.plan_generated":
    "Its steps are known: `runId`, `user`, `skill`, `steps` with `id`, `tool`, `dependsOn`.",
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
  "job.cancelled": "Somebody has ended it: `runId`, `user`, `job`.",
  "job.escalated":
    "It has failed, and somebody is to be told: `runId`, `user`, `job`, `task`, `code`, `level`, `contact`, `timeframe`, `actions`.",
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
