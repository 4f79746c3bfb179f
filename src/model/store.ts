import type { ApiKey } from "./access/credentials-schema.ts";
import type { RunFilter } from "./agent/agent-run.ts";
import type { AgentRun, RunSummary } from "./agent/run-schema.ts";
import type { AuditFilter } from "./audit.ts";
import type { AuditRecord, Chain } from "./audit-schema.ts";
import type { CallColumns } from "./calls/call-columns.ts";
import type {
  CallFilter,
  ChainHead,
  CountedSteps,
  Loss,
  SeriesSpan,
  VerifyOptions,
} from "./calls/call-history.ts";
import type { CallChain, CallRecord, CallUsage } from "./calls/call-schema.ts";
import type { HeldFilter, HeldPart, KeptHeldCall } from "./calls/held-call.ts";
import type { PlanRecord, RememberedApproval } from "./calls/held-schema.ts";
import type { StoredResult } from "./calls/result-schema.ts";
import type { KeptResult, ResultFilter } from "./calls/stored-result.ts";
import type { ChangeFilter, EntryKey, NewChange, StoredEntry } from "./catalogue/change.ts";
import type { Change } from "./catalogue/change-schema.ts";
import type { HealthSample, NewSamples } from "./catalogue/health.ts";
import type { Pin, PinDecision, PinnedServer } from "./catalogue/pin.ts";
import type { StoredDecision, StoreVersion } from "./config/changed-defaults.ts";
import type { PlaneEvent, StoredEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import type { RootStore } from "./roots.ts";
import type { KnownServer } from "./servers/server.ts";
import type {
  DeadLetterFilter,
  DeadLetterPage,
  DueDeadLetter,
  KeptDeadLetter,
} from "./work/dead-letter.ts";
import type { JobStore } from "./work/job-run.ts";

export type DueKind = "run" | "deadLetter";

/** Due now, perhaps; its record decides. */
export type DueItem = {
  kind: DueKind;
  id: string;
  /** A plane that cannot do one item of a group can do none. */
  group: string;
  /** The time in its record that has come, where the store has a clock of its own. */
  dueAt?: string;
};

/** Hands each due item to one plane at a time. */
export type DueWork = {
  /** The longest time between two looks, whatever `nextAt` says. */
  lookMs: number;
  /** The most urgent first, without these groups. */
  take(room: Readonly<Record<DueKind, number>>, without: ReadonlySet<string>): Promise<DueItem[]>;
  settle(item: DueItem): Promise<void>;
  /** A taken item is free again from this time on. */
  giveBack(item: DueItem, at: number): Promise<void>;
  /** Null when nothing is due. */
  nextAt(after: number): Promise<number | null>;
  stop(): Promise<void>;
};

/** `ended` resolves with when the item is due again; null when it is over. */
export type Begun =
  | { is: "begun"; ended: Promise<number | null> }
  | { is: "over" }
  | { is: "later"; at: number }
  /** This plane can do nothing of its group. */
  | { is: "unknown" };

export type DueHandler = {
  kind: DueKind;
  lookMs: number;
  onLook(now: number, hasJumpedBack: boolean): Promise<void>;
  room(): number;
  begin(item: DueItem): Promise<Begun>;
};

export function runGroup(job: string, owner: string | null): string {
  return JSON.stringify(["job", job, owner]);
}

export function deadLetterGroup(letter: { server: string | null; tool: string }): string {
  return JSON.stringify(["call", letter.server, letter.tool]);
}

/** The next value and the answer. `now` is the store's time. */
export type SharedStep<T> = (
  value: JsonObject | null,
  now: number,
) => { value: JsonObject | null; answer: T };

/** Arguments and result of a call as JSON. */
export type StoredPayload = { id: string; expiresAt: string; body: string };

/** `tells` the other planes; `isSealed` where the value is for no reader of the database. */
export type ChangeShared = { tells?: boolean; isSealed?: boolean };

/** Short-lived values that all planes on one store share. */
export interface SharedValues {
  sharedValue(key: string): Promise<JsonObject | null>;
  /** With the store's clock, which planes whose clocks differ have in common. */
  sharedMoment(key: string): Promise<{ value: JsonObject | null; now: number }>;
  /** Steps of one key run one after the other on all planes. */
  changeShared<T>(key: string, keptMs: number, step: SharedStep<T>, how?: ChangeShared): Promise<T>;
  sharedKeys(keys: readonly string[]): Promise<string[]>;
  forgetShared(): Promise<number>;
}

/** In the order of writing; `order` sorts their rows. */
export const stateTables = {
  store_versions: { order: "since" },
  default_decisions: { order: "change, files" },
  entries: { order: "kind, persona, name" },
  changes: { order: "id" },
  known_servers: { order: "identity" },
  pinned_servers: { order: "identity" },
  pins: { order: "identity, tool" },
  api_keys: { order: "sequence" },
  secrets: { order: "key" },
  sign_ins: { order: "kind, id" },
  call_checkpoints: { order: "sequence" },
  calls: { order: "sequence" },
  audit_checkpoints: { order: "sequence" },
  audit: { order: "sequence" },
  roots: { order: "number" },
  // Its columns have other names in other stores.
  call_minutes: { order: "1, 2, 3, 4" },
  events: { order: "id" },
  samples: { order: "sequence, subject" },
  held_calls: { order: "sequence" },
  plans: { order: "sequence" },
  remembered: { order: "id" },
  dead_letters: { order: "sequence" },
  results: { order: "sequence" },
  runs: { order: "sequence" },
  job_schedules: { order: "job, owner" },
  job_runs: { order: "sequence" },
} as const;

export type StateTable = keyof typeof stateTables;

/** Opening a store writes it, so an import replaces it. */
export const openedTable = "store_versions" satisfies StateTable;

export type StateRow = JsonObject;

/** Shared values are not part of it. */
export type StateLine = { table: StateTable; row: StateRow };

export interface StateStore {
  countRows(table: StateTable): Promise<number>;
  stateColumns(table: StateTable): Promise<string[]>;
  /** One consistent snapshot. */
  readAll(): AsyncIterable<StateLine>;
  /** All rows or none; may restart. Returns a table that has rows already. */
  writeAll(open: () => AsyncIterable<StateLine>): Promise<StateTable | null>;
}

export type StateReport = { rows: Partial<Record<StateTable, number>>; hash: string };

type ImportStateOptions = {
  dryRun?: boolean;
  /** After the check, before the first write. */
  onChecked?(rows: number): void;
  onRow?(): void;
};

export interface StateVerbs {
  /** A header, a line per row, and an end with a hash over all before it. */
  exportState(): AsyncIterable<string>;
  /** The number of lines of an export. */
  countState(): Promise<number>;
  /** Into an empty store. `dryRun` only checks. */
  importState(
    open: () => AsyncIterable<string>,
    options?: ImportStateOptions,
  ): Promise<StateReport>;
}

export type OpenedState = StateVerbs & AsyncDisposable;

export type CallEventCount = 0 | 1 | 2;

export type JournalEntry =
  /** `events`: how many of the call's events, its start and its end, are read from the record; the last ones. */
  | { kind: "call"; call: CallRecord; text?: undefined; events?: CallEventCount }
  /** The record is in `text`, as JSON. */
  | { kind: "call"; call: CallColumns; text: string; events?: CallEventCount }
  /** `text` is the whole event as JSON, where there is one. */
  | { kind: "event"; at: string; event: PlaneEvent; text?: string }
  | { kind: "sample"; sample: HealthSample }
  | { kind: "run"; run: AgentRun }
  | { kind: "audit"; record: AuditRecord };

/** Where the chains end that an append has made longer. */
export type ChainHeads = { calls?: ChainHead; changes?: ChainHead };

/** `audiences` whose changes are visible; null for all. */
export type ChangeQuery = {
  filter?: ChangeFilter;
  audiences?: readonly string[] | null;
  limit: number;
  offset?: number;
};

export type EntryEdits = {
  put: readonly StoredEntry[];
  remove: readonly EntryKey[];
  changes: readonly NewChange[];
};

/** A reason to look, never the news itself. */
export type StoreNews =
  /** `journal` comes from planes of earlier versions only: see `watchRecords`. */
  | { what: "journal" | "entries" | "pins" | "keys" | "secrets" | "signIns" | "deadLetters" }
  | { what: "defaults" }
  /** `unsent` where no worker has been notified yet. */
  | { what: "dueWork"; unsent?: boolean }
  | { what: "heldCall"; id: string }
  | { what: "jobRun"; id: string }
  | { what: "shared"; key: string };

/** The configuration of a plane, as it sets the plane apart from others on its store. */
export type PlaneFiles = {
  /** Its own; the user's, where it has no others. */
  own: readonly string[];
  /** All that it is read from. */
  files: readonly string[];
};

/** What other planes on the store tell. */
export type StoreHearing = Pick<Store, "isInformed"> & { onNews: Store["watch"] };

/** How much there is of one kind. Count and bytes are estimated from the newest. */
export type StoredAmount = {
  kind:
    | "calls"
    | "changes"
    | "runs"
    | "events"
    | "results"
    | "payloads"
    | "deadLetters"
    | "jobRuns";
  count: number;
  bytes: number;
  /** When the oldest was made; for results and payloads, when the first of them goes. */
  oldest: string | null;
};

const records: ReadonlySet<StoredAmount["kind"]> = new Set(["calls", "changes", "runs", "events"]);

/** Of those whose limit together is `calls.maxBytes`. */
export function recordBytes(amounts: readonly StoredAmount[]): number {
  return amounts.reduce((sum, { kind, bytes }) => sum + (records.has(kind) ? bytes : 0), 0);
}

/** The store is unreachable, or damaged; `reason` is for the operator. */
export type StoreTrouble = { since: string; reason: string; isDamaged?: boolean };

/**
 * A resolved promise means: still there after `kill -9`. Pages of calls, results, runs and changes are newest first;
 * `before` is the last id of the previous one. `replace…` and `delete…` return false when it changed since it was read.
 * `forget…` returns how many of a batch it removed: repeat it until 0.
 */
/** Vectors of texts by a model, by the hash of both. */
export interface VectorStore {
  vectors(keys: readonly string[]): Promise<Map<string, string>>;
  /** The oldest go when there are too many. */
  putVectors(added: readonly { key: string; vector: string }[]): Promise<void>;
}

/** What the authorization server keeps: `id` and `uid` are hashes, the rest is sealed. Times are in milliseconds. */
export type SignInRow = {
  kind: string;
  id: string;
  grant: string | null;
  uid: string | null;
  account: string | null;
  madeAt: number;
  usedAt: number | null;
  consumedAt: number | null;
  expiresAt: number | null;
  sealed: Uint8Array;
};

export type SignInFilter = { kind: string } & Partial<Pick<SignInRow, "grant" | "account" | "uid">>;

/** Rows that are over are not found any more. */
export interface SignInStore {
  /** Replaces the one of its kind and id, but not what is known of its use. */
  putSignIn(row: Omit<SignInRow, "usedAt" | "consumedAt">, tells?: boolean): Promise<void>;
  /** False where it is not as it was read any more; null where there was none. */
  replaceSignIn(
    row: Omit<SignInRow, "usedAt" | "consumedAt">,
    before: Uint8Array | null,
  ): Promise<boolean>;
  signIn(kind: string, id: string, now: number): Promise<SignInRow | null>;
  /** Oldest first. */
  signIns(filter: SignInFilter, now: number): Promise<SignInRow[]>;
  /** True for the first. */
  consumeSignIn(kind: string, id: string, at: number): Promise<boolean>;
  touchSignIn(kind: string, id: string, at: number): Promise<void>;
  removeSignIn(kind: string, id: string): Promise<boolean>;
  /** Everything of a grant. */
  removeGrant(grant: string): Promise<void>;
  forgetSignIns(now: number): Promise<number>;
}

export interface Store
  extends JobStore,
    SharedValues,
    SignInStore,
    StateStore,
    VectorStore,
    RootStore {
  /** All or nothing, in order. Ids are unique. */
  append(entries: readonly JournalEntry[]): Promise<ChainHeads>;
  call(id: string): Promise<CallRecord | null>;
  /** Without calls that are not recorded. */
  callOwners(ids: readonly string[]): Promise<ReadonlyMap<string, CallRecord["principal"]>>;
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  /** When each tool was last called, and when the records begin. */
  lastUses(): Promise<CallUsage>;
  callSeries(span: SeriesSpan): Promise<CountedSteps>;
  events(after?: number, limit?: number): Promise<StoredEvent[]>;
  lastEventId(): Promise<number>;
  /** The rolling window of every subject, oldest first. */
  samples(): Promise<HealthSample[]>;
  /** Of all processes since `after`, oldest first. */
  newSamples(after: number): Promise<NewSamples>;
  addHeldCall(held: KeptHeldCall): Promise<void>;
  /** Adds it to its owner's open plan, or to this one; returns the plan's id. */
  addChange(held: KeptHeldCall, plan: PlanRecord): Promise<string>;
  heldCall(id: string): Promise<KeptHeldCall | null>;
  /** Oldest first, unless `part` says otherwise. */
  heldCalls(filter?: HeldFilter, part?: HeldPart): Promise<KeptHeldCall[]>;
  countHeldCalls(filter: HeldFilter): Promise<number>;
  replaceHeldCall(held: KeptHeldCall): Promise<boolean>;
  plans(): Promise<PlanRecord[]>;
  closePlan(id: string): Promise<void>;
  addRemembered(remembered: RememberedApproval): Promise<void>;
  remembered(user: string | null): Promise<RememberedApproval[]>;
  forgetRemembered(id: string, user: string | null): Promise<boolean>;
  /** Sealed already: a store never sees a secret in the clear. */
  secret(key: string): Promise<Uint8Array | null>;
  putSecret(key: string, value: Uint8Array): Promise<void>;
  deleteSecret(key: string): Promise<boolean>;
  secrets(prefix: string): Promise<string[]>;
  /** Id and hash are unique. */
  addApiKey(key: ApiKey, hash: string): Promise<void>;
  apiKeyByHash(hash: string): Promise<ApiKey | null>;
  apiKeys(): Promise<ApiKey[]>;
  hasApiKeys(): Promise<boolean>;
  revokeApiKey(id: string, at: string): Promise<boolean>;
  deleteApiKey(id: string): Promise<boolean>;
  /** Never moves back. */
  touchApiKey(id: string, at: string): Promise<void>;
  knownServers(identities: readonly string[]): Promise<KnownServer[]>;
  /** Replaces the one of its identity. */
  putKnownServer(known: KnownServer): Promise<void>;
  /** With its changes. False, and nothing written, when the stored one is not from `basis`. */
  putListing(
    known: KnownServer,
    basis: string | null,
    changes: readonly NewChange[],
  ): Promise<boolean>;
  /** Above `most` the oldest go, ended ones first. */
  addDeadLetter(letter: KeptDeadLetter, most: number): Promise<void>;
  deadLetter(id: string): Promise<KeptDeadLetter | null>;
  deadLetters(filter: DeadLetterFilter): Promise<DeadLetterPage<KeptDeadLetter>>;
  replaceDeadLetter(letter: KeptDeadLetter): Promise<boolean>;
  deleteDeadLetter(id: string, revision: number): Promise<boolean>;
  dueDeadLetters(now: string): Promise<DueDeadLetter[]>;
  forgetEndedDeadLetters(before: string): Promise<number>;
  /** What people set, by kind, persona and name. */
  entries(): Promise<StoredEntry[]>;
  editEntries(edits: EntryEdits): Promise<void>;
  addChanges(changes: readonly NewChange[]): Promise<void>;
  changes(query: ChangeQuery): Promise<{ changes: Change[]; total: number }>;
  /** Each different audience once, as JSON. */
  changeAudiences(): Promise<string[]>;
  /** What a server's definitions are compared with. */
  pinnedServer(identity: string): Promise<PinnedServer>;
  pin(identity: string, tool: string): Promise<Pin | null>;
  pins(identities: readonly string[]): Promise<Omit<Pin, "definition">[]>;
  /** Marks the server as known. Existing pins stay. */
  addPins(identity: string, server: string, pins: readonly Pin[]): Promise<void>;
  /** Pin and change together. */
  putPin(decision: PinDecision): Promise<void>;
  /** Above `most` bytes the oldest go; false when it alone is larger. */
  putResult(kept: KeptResult, most: number): Promise<boolean>;
  result(id: string): Promise<KeptResult | null>;
  results(filter?: ResultFilter): Promise<StoredResult[]>;
  forgetResults(now: string): Promise<number>;
  putPayloads(rows: readonly StoredPayload[]): Promise<void>;
  payloads(ids: readonly string[]): Promise<StoredPayload[]>;
  forgetPayloads(now: string): Promise<number>;
  run(id: string): Promise<AgentRun | null>;
  runs(filter?: RunFilter): Promise<RunSummary[]>;
  forgetRuns(before: string): Promise<number>;
  /** Null takes the title away. */
  titleRuns(ids: readonly string[], title: string | null): Promise<void>;
  /** With arguments and results of their calls; the records of the calls stay. */
  removeRuns(ids: readonly string[]): Promise<void>;
  /** Follows the hash chain to its end, or to where it is broken. */
  verifyCalls(options?: VerifyOptions): Promise<CallChain>;
  /** Removes a batch of the oldest calls, up to the newest of this age, and closes the chain; repeat until 0. */
  forgetCalls(before: string): Promise<number>;
  holdings(): Promise<StoredAmount[]>;
  /** When the call was made that stands so many places after the oldest; null where there are fewer. */
  callAt(place: number): Promise<string | null>;
  /** A batch of the oldest, but never the newest: ids go on from it. */
  forgetEvents(before: string): Promise<number>;
  /** What changed something, newest first. */
  audit(filter?: AuditFilter): Promise<AuditRecord[]>;
  audited(id: string): Promise<AuditRecord | null>;
  verifyAudit(options?: VerifyOptions): Promise<Chain>;
  /** Null where the record of this head is there, or was removed because of its age. */
  findLoss(chain: keyof ChainHeads, head: ChainHead): Promise<Loss | null>;
  /** As `forgetCalls`. */
  forgetAudit(before: string): Promise<number>;
  /** Looks for damage, which `trouble` tells of then. `afterCrash`: only where the last process did not close the store. */
  examine(options?: { afterCrash?: boolean }): Promise<void>;
  trouble(): StoreTrouble | null;
  onTrouble(listener: (trouble: StoreTrouble | null) => void): () => void;
  /** Changes of other planes, where the store can tell; watchers still look now and then. */
  watch(listener: (news: StoreNews) => void): () => void;
  /** When other planes have stored records, where the store can tell. Costs something while anyone listens. */
  watchRecords(listener: () => void): () => void;
  /** Whether all news of more than a second ago have arrived: what was read and not told of since is still so. */
  isInformed(): boolean;
  /** Oldest first. */
  storeVersions(): Promise<StoreVersion[]>;
  defaultDecisions(): Promise<StoredDecision[]>;
  /** Replaces an earlier one about the same change and configuration. */
  decideDefault(decision: StoredDecision): Promise<void>;
  /** One at a time. */
  dueWork(): Promise<DueWork>;
  /** False when another plane on the store is at it. */
  alone(task: string, work: () => Promise<void>): Promise<boolean>;
  /** Resolves when all that was stored before survives a power cut, as far as `durability` says. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
