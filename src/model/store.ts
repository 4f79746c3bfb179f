import type { Approval, ApprovalAnswer, ApprovalStatus } from "./approval.ts";
import type { CallRecord, CallStatus } from "./call.ts";
import type { PlaneEvent, StoredEvent } from "./events.ts";
import type { HealthSample } from "./health.ts";
import type { KnownServer } from "./server.ts";

/** Things that happened and are only ever added. */
export type JournalEntry =
  | { kind: "call"; call: CallRecord }
  | { kind: "event"; at: string; event: PlaneEvent }
  | { kind: "sample"; sample: HealthSample };

export type CallFilter = { tool?: string; status?: CallStatus; limit?: number; before?: string };

/** What outlives the process. A resolved promise means: still there after `kill -9`. */
export interface Store {
  /** All or nothing, in order. A call is recorded once: its id may not come again. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  call(id: string): Promise<CallRecord | null>;
  /** Newest first, all of them without a `limit`; `before` is the id of the last call of the page before. */
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  /** Oldest first, with ids above `after`. */
  events(after?: number, limit?: number): Promise<StoredEvent[]>;
  /** The id of the newest event, 0 when there is none. */
  lastEventId(): Promise<number>;
  /** The rolling window of every subject, each oldest first. */
  samples(): Promise<HealthSample[]>;
  addApproval(approval: Approval): Promise<void>;
  approval(id: string): Promise<Approval | null>;
  /** In the order they were asked. */
  approvals(status?: ApprovalStatus): Promise<Approval[]>;
  /** True when this answer was the first. */
  answerApproval(id: string, answer: ApprovalAnswer): Promise<boolean>;
  /** Only what is sealed already: a store never sees a secret in the clear. */
  secret(key: string): Promise<Uint8Array | null>;
  /** Replaces what was under the key. */
  putSecret(key: string, value: Uint8Array): Promise<void>;
  /** True for the one who took it away. */
  deleteSecret(key: string): Promise<boolean>;
  /** Keys that begin with `prefix`, in their order. */
  secrets(prefix: string): Promise<string[]>;
  /** What is remembered under these identities; the others are left out. */
  knownServers(identities: readonly string[]): Promise<KnownServer[]>;
  /** Replaces what was remembered under its identity. */
  putKnownServer(known: KnownServer): Promise<void>;
  close(): Promise<void>;
}
