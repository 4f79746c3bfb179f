import type { AgentRun } from "../../src/model/agent/run-schema.ts";
import type { AuditRecord } from "../../src/model/audit-schema.ts";
import type { CallRecord } from "../../src/model/calls/call-schema.ts";
import type { ApprovalDecision, KeptHeldCall } from "../../src/model/calls/held-call.ts";
import { principalOf } from "../../src/model/principal.ts";
import type { JournalEntry } from "../../src/model/store.ts";

/** One moment for all, so that nothing can lean on the clock for its order. */
export const moment = "2026-03-01T12:00:00.000Z";

/** A call as it typically looks, in every field. */
export function callRecord(id: string, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    id,
    at: moment,
    tool: "github_search_issues",
    server: "github",
    principal: principalOf({ user: "ada", groups: ["engineering", "on-call"] }),
    face: "mcp",
    status: "succeeded",
    durationMs: 41.7,
    provider: "mcp:github",
    attempts: [{ provider: "mcp:github", ok: true, durationMs: 39.2, error: null }],
    argumentNames: ["query", "repository", "state"],
    argumentsHash: "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    injected: ["username"],
    approval: { verdict: "allow", origin: "profile", reason: "read only" },
    resultHash: "sha256:fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
    error: null,
    stages: [
      { stage: "resolve", ms: 0.02 },
      { stage: "authorize", ms: 0.01 },
      { stage: "validate", ms: 0.08 },
      { stage: "execute", ms: 39.4 },
    ],
    ...changes,
  };
}

/** A run of an agent: it thought, called a tool, and answered. */
export function agentRun(id: string, changes: Partial<AgentRun> = {}): AgentRun {
  const step = { modelMs: 120, offered: 2, refused: false };
  return {
    id,
    at: moment,
    durationMs: 410,
    user: "ada",
    question: "Which issues are open?",
    style: "tools",
    model: "default",
    toolset: "reading",
    conversation: "c-1",
    outcome: "completed",
    error: null,
    answer: "Two are.",
    reasoning: "I have seen both.",
    turns: 1,
    usage: { inputTokens: 900, outputTokens: 100, totalTokens: 1_000 },
    counters: {
      totalToolCalls: 1,
      totalToolCallTurns: 1,
      totalGenerations: 1,
      generationsWithTools: 1,
    },
    steps: [
      {
        ...step,
        turn: 1,
        at: moment,
        usage: { inputTokens: 400, outputTokens: 40, totalTokens: 440 },
        calls: [
          {
            id: "call_1",
            tool: "github_search_issues",
            record: "r-1",
            status: "succeeded",
            durationMs: 41.7,
            provider: "mcp:github",
            attempts: 2,
          },
        ],
      },
      {
        ...step,
        turn: 2,
        at: "2026-03-01T12:00:00.170Z",
        calls: [],
        usage: { inputTokens: 500, outputTokens: 60, totalTokens: 560 },
      },
    ],
    trace: "all_messages",
    messages: [
      { role: "user", content: [{ type: "text", text: "Which issues are open?" }] },
      {
        role: "assistant",
        content: [{ type: "text", text: "" }],
        reasoning_content: "I have to look.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "github_search_issues", arguments: '{"state":"open","limit":2}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: [{ type: "text", text: '[{"number":7},{"number":9}]' }],
      },
      {
        role: "assistant",
        content: [{ type: "text", text: "Two are." }],
        reasoning_content: "I have seen both.",
      },
    ],
    ...changes,
  };
}

export function callEntry(id: string, changes: Partial<CallRecord> = {}): JournalEntry {
  return { kind: "call", call: callRecord(id, changes) };
}

export function auditEntry(id: string, changes: Partial<AuditRecord> = {}): JournalEntry {
  const who = { user: "ada", key: null, face: "http", address: "127.0.0.1" } as const;
  const what = {
    operation: "keys.create",
    target: "ci",
    input: {},
    before: null,
    after: null,
    ok: true,
    code: null,
  };
  return { kind: "audit", record: { id, at: moment, ...who, ...what, ...changes } };
}

export function eventEntry(callId: string): JournalEntry {
  return {
    kind: "event",
    at: moment,
    event: { type: "tool.call", callId, tool: "echo", user: null },
  };
}

export function sampleEntry(subject: string, latencyMs: number): JournalEntry {
  return { kind: "sample", sample: { subject, at: moment, ok: latencyMs % 2 === 0, latencyMs } };
}

/** No store can keep it: it is not JSON. */
export function brokenEntry(): JournalEntry {
  return eventEntry(1n as unknown as string);
}

export function heldCall(id: string, changes: Partial<KeptHeldCall> = {}): KeptHeldCall {
  return {
    id,
    plan: null,
    callId: `call-of-${id}`,
    at: moment,
    expiresAt: null,
    tool: "github_delete_branch",
    toolId: { server: "github", tool: "delete_branch" },
    fingerprint: "f",
    arguments: { branch: "main", force: true, nested: { list: [1, "zwei", null] } },
    injected: ["username"],
    principal: principalOf({ user: "ada" }),
    face: "workbench",
    options: {},
    verdict: { verdict: "ask", origin: "rule", reason: "destructive", rule: 0 },
    allowEdit: true,
    status: "pending",
    answer: null,
    outcome: null,
    claim: null,
    revision: 0,
    ...changes,
  };
}

export function answeredCall(held: KeptHeldCall, decision: ApprovalDecision): KeptHeldCall {
  const answer = { decision, by: "grace", at: moment, reason: null, arguments: null };
  return { ...held, status: decision === "approve" ? "approved" : "rejected", answer };
}
