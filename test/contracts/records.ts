import type { CallRecord } from "../../src/model/call.ts";
import type { Decision, KeptHeldCall } from "../../src/model/held-call.ts";
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

export function callEntry(id: string, changes: Partial<CallRecord> = {}): JournalEntry {
  return { kind: "call", call: callRecord(id, changes) };
}

export function eventEntry(callId: string): JournalEntry {
  return { kind: "event", at: moment, event: { type: "tool.call", callId, tool: "echo", user: null } };
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

export function answeredCall(held: KeptHeldCall, decision: Decision): KeptHeldCall {
  const answer = { decision, by: "grace", at: moment, reason: null, arguments: null };
  return { ...held, status: decision === "approve" ? "approved" : "rejected", answer };
}
