import type { OperationName } from "../../../src/operations/operations.ts";

/** The first word of a query key is its topic; `app/live-events.ts` maps events to topics. */
export type Topic =
  | "session"
  | "servers"
  | "clients"
  | "tools"
  | "tool-list"
  | "stats"
  | "pins"
  | "calls"
  | "summaries"
  | "runs"
  | "running"
  | "agents"
  | "approvals"
  | "plans"
  | "questions"
  | "dead-letters"
  | "keys"
  | "users"
  | "people"
  | "grants"
  | "personas"
  | "toolsets"
  | "tokens"
  | "jobs"
  | "config"
  | "defaults"
  | "policy"
  | "trust"
  | "extensions"
  | OwnTopic;

/** No event invalidates these: they are read on request, kept while a person edits, or updated in another way. */
type OwnTopic =
  | "doctor"
  | "overlays"
  | "policy-preview"
  | "preflight"
  | "registries"
  | "search"
  | "series"
  | "usage"
  | "server-messages";

/** Where the topic is not the first word of the operation's name. */
const topics: { [Name in OperationName]?: Topic } = {
  "agent.choices": "config",
  "calls.running": "running",
  "calls.series": "series",
  "calls.summary": "summaries",
  "calls.usage": "usage",
  "deadLetters.page": "dead-letters",
  "policy.preview": "policy-preview",
  "prompts.list": "servers",
  "registry.changes": "tools",
  "resources.list": "servers",
  "servers.messages": "server-messages",
  "resources.read": "servers",
  "runs.running": "agents",
  "skills.published": "servers",
  "servers.search": "registries",
  "tools.overlay": "overlays",
  "tools.page": "tool-list",
  "tools.previewOverlay": "overlays",
};

export function topicOf(name: OperationName): Topic {
  return topics[name] ?? (name.split(".")[0] as Topic);
}
