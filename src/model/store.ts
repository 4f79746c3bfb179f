import type { ApiKey } from "./access/credentials.ts";
import type { AgentRun, RunFilter, RunSummary } from "./agent/agent-run.ts";
import type { CallRecord, CallStatus } from "./calls/call.ts";
import type { CallChain, CountedSteps, SeriesSpan } from "./calls/call-history.ts";
import type { HeldFilter, HeldPart, KeptHeldCall, PlanRecord, Remembered } from "./calls/held-call.ts";
import type { KeptResult, ResultFilter, StoredResult } from "./calls/stored-result.ts";
import type { Change, ChangeFilter, EntryKey, NewChange, StoredEntry } from "./catalogue/change.ts";
import type { HealthSample, NewSamples } from "./catalogue/health.ts";
import type { Pin, PinDecision, PinnedServer } from "./catalogue/pin.ts";
import type { PlaneEvent, StoredEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import type { KnownServer } from "./servers/server.ts";
import type { DeadLetterFilter, DeadLetterPage, DueDeadLetter, KeptDeadLetter } from "./work/dead-letter.ts";
import type { JobStore } from "./work/job-run.ts";

/** A run that has to be begun or taken over; a call that failed and is to be made again. */
export type DueKind = "run" | "deadLetter";

/** Something may have to be done about it now; its record says whether, and what. */
export type DueItem = {
  kind: DueKind;
  id: string;
  /** Who cannot do one of a group can do none of it. */
  group: string;
};

/** Gives out what is due, each to one plane at a time. What is true of it stands in its record and not here. */
export type DueWork = {
  /** How often it has to be looked at, whatever `nextAt` says. */
  lookMs: number;
  /** As many of each kind as there is room for and not of these groups, the most urgent first. */
  take(room: Readonly<Record<DueKind, number>>, without: ReadonlySet<string>): Promise<DueItem[]>;
  /** Nothing more has to be done about one that was taken. */
  settle(item: DueItem): Promise<void>;
  /** One that was taken can be taken again, by anybody, from this time on. */
  giveBack(item: DueItem, at: number): Promise<void>;
  /** When the next schedule, run or dead letter is due; null when none is. */
  nextAt(after: number): Promise<number | null>;
  stop(): Promise<void>;
};

/** `ended` tells when the item is due again; null when it is over. */
export type Begun =
  | { is: "begun"; ended: Promise<number | null> }
  | { is: "over" }
  | { is: "later"; at: number }
  /** This plane can do nothing of its group. */
  | { is: "unknown" };

/** What a plane does about one kind. */
export type DueHandler = {
  kind: DueKind;
  lookMs: number;
  /** What has to be done by the clock besides, before each look. */
  onLook(now: number, hasJumpedBack: boolean): Promise<void>;
  /** So many more at a time. */
  room(): number;
  begin(item: DueItem): Promise<Begun>;
};

export function runGroup(job: string, owner: string | null): string {
  return JSON.stringify(["job", job, owner]);
}

export function deadLetterGroup(letter: { server: string | null; tool: string }): string {
  return JSON.stringify(["call", letter.server, letter.tool]);
}

/** The next value (null for none) and the answer to the caller. `now` is the store's time. */
export type SharedStep<T> = (value: JsonObject | null, now: number) => { value: JsonObject | null; answer: T };

/** Small things that all planes on one store have together, each for a time: counts, shares, sessions of clients. */
export interface SharedValues {
  /** Null where there is none, or where its time is over. */
  sharedValue(key: string): Promise<JsonObject | null>;
  /** One step after the other under each key, whichever plane asks. The value is kept for `keptMs` from now. */
  changeShared<T>(key: string, keptMs: number, step: SharedStep<T>, tells?: boolean): Promise<T>;
  /** Those of these keys that have a value. */
  sharedKeys(keys: readonly string[]): Promise<string[]>;
  /** Removes those whose time is over; tells how many. */
  forgetShared(): Promise<number>;
}

/** The tables of a store, in the order in which they are written; `order` is what numbers their rows. */
export const stateTables = {
  entries: { order: "kind, persona, name" },
  changes: { order: "id" },
  known_servers: { order: "identity" },
  pinned_servers: { order: "identity" },
  pins: { order: "identity, tool" },
  api_keys: { order: "sequence" },
  secrets: { order: "key" },
  call_checkpoints: { order: "sequence" },
  calls: { order: "sequence" },
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

/** A row in the same words and values whichever store it comes from; bytes are base64. */
export type StateRow = JsonObject;

/** Everything that is in a store, table by table. What planes have together for a moment is not part of it. */
export type StateLine = { table: StateTable; row: StateRow };

export interface StateStore {
  countRows(table: StateTable): Promise<number>;
  /** What its rows may have, in the words of an export. */
  stateColumns(table: StateTable): Promise<string[]>;
  /** Every row as all of them are at one moment, whatever others write meanwhile. */
  readAll(): AsyncIterable<StateLine>;
  /** Adds all rows or none, and may have to begin again. Tells the table that has rows already; then it adds none. */
  writeAll(open: () => AsyncIterable<StateLine>): Promise<StateTable | null>;
}

export type StateReport = { rows: Partial<Record<StateTable, number>>; hash: string };

type ImportStateOptions = {
  dryRun?: boolean;
  /** Told when everything is checked and before anything is written. */
  onChecked?(rows: number): void;
  /** Told of each row that is written. */
  onRow?(): void;
};

export interface StateVerbs {
  /** All of the state as lines of JSON: a header, a line for each row, and an end with a hash over all before it. */
  exportState(): AsyncIterable<string>;
  /** How many lines there will be. */
  countState(): Promise<number>;
  /** Takes the lines of an export into an empty store. With `dryRun` they are only checked. */
  importState(open: () => AsyncIterable<string>, options?: ImportStateOptions): Promise<StateReport>;
}

export type OpenedState = StateVerbs & AsyncDisposable;

/** Things that happened and are only ever added. */
/** What of a record its row is found by. */
export type CallColumns = Pick<CallRecord, "id" | "at" | "tool" | "status" | "server" | "run" | "durationMs"> & {
  principal: Pick<CallRecord["principal"], "user">;
};

export type JournalEntry =
  | { kind: "call"; call: CallRecord; text?: undefined }
  /** The record is in `text`, as JSON. */
  | { kind: "call"; call: CallColumns; text: string }
  | { kind: "event"; at: string; event: PlaneEvent }
  | { kind: "sample"; sample: HealthSample }
  | { kind: "run"; run: AgentRun };

export type CallFilter = {
  tool?: string;
  status?: CallStatus;
  limit?: number;
  before?: string;
  /** Whose calls; null is anonymous. */
  user?: string | null;
  /** Calls of this run of an agent. */
  run?: string;
};

/** `audiences` are those whose changes may be seen, as the store told them; null for all. */
export type ChangeQuery = {
  filter?: ChangeFilter;
  audiences?: readonly string[] | null;
  limit: number;
  offset?: number;
};

/** What is set and taken away, and what is told of it. */
export type EntryEdits = {
  put: readonly StoredEntry[];
  remove: readonly EntryKey[];
  changes: readonly NewChange[];
};

/** What another plane on the same store has changed; a reason to look, never the news itself. */
export type StoreNews =
  | { what: "journal" | "entries" | "pins" | "keys" | "deadLetters" }
  /** Something may be due; `unsent` where no worker has been notified yet. */
  | { what: "dueWork"; unsent?: boolean }
  | { what: "heldCall"; id: string }
  /** A run of a job is over. */
  | { what: "jobRun"; id: string }
  | { what: "shared"; key: string };

/** The store cannot be reached, since when, and why, for the operator. */
export type StoreTrouble = { since: string; reason: string };

/** What outlives the process. A resolved promise means: still there after `kill -9`. */
export interface Store extends JobStore, SharedValues, StateStore {
  /** All or nothing, in order. A call or a run is recorded once: its id may not come again. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  call(id: string): Promise<CallRecord | null>;
  /** Who made these calls; those that are not recorded are left out. */
  callUsers(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Newest first, all of them without a `limit`; `before` is the id of the last call of the page before. */
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  /** How many calls began in each step of a span of time, and how long they took. */
  callSeries(span: SeriesSpan): Promise<CountedSteps>;
  /** Oldest first, with ids above `after`. */
  events(after?: number, limit?: number): Promise<StoredEvent[]>;
  /** The id of the newest event, 0 when there is none. */
  lastEventId(): Promise<number>;
  /** The rolling window of every subject, each oldest first. */
  samples(): Promise<HealthSample[]>;
  /** What any process has added since `after`, oldest first; everything that is kept with 0. */
  newSamples(after: number): Promise<NewSamples>;
  addHeldCall(held: KeptHeldCall): Promise<void>;
  /** Adds it to the open plan of its owner, or to this one; answers with the plan's id. */
  addChange(held: KeptHeldCall, plan: PlanRecord): Promise<string>;
  heldCall(id: string): Promise<KeptHeldCall | null>;
  /** In the order they were asked, or a part of them in another. */
  heldCalls(filter?: HeldFilter, part?: HeldPart): Promise<KeptHeldCall[]>;
  countHeldCalls(filter: HeldFilter): Promise<number>;
  /** False when it was changed since it was read. */
  replaceHeldCall(held: KeptHeldCall): Promise<boolean>;
  /** Newest first. */
  plans(): Promise<PlanRecord[]>;
  closePlan(id: string): Promise<void>;
  addRemembered(remembered: Remembered): Promise<void>;
  remembered(user: string | null): Promise<Remembered[]>;
  forgetRemembered(id: string, user: string | null): Promise<boolean>;
  /** Only what is sealed already: a store never sees a secret in the clear. */
  secret(key: string): Promise<Uint8Array | null>;
  /** Replaces what was under the key. */
  putSecret(key: string, value: Uint8Array): Promise<void>;
  /** True for the one who took it away. */
  deleteSecret(key: string): Promise<boolean>;
  /** Keys that begin with `prefix`, in their order. */
  secrets(prefix: string): Promise<string[]>;
  /** Kept under a hash of its secret; neither the id nor the hash may come again. */
  addApiKey(key: ApiKey, hash: string): Promise<void>;
  apiKeyByHash(hash: string): Promise<ApiKey | null>;
  /** In the order they were created, revoked and expired ones among them. */
  apiKeys(): Promise<ApiKey[]>;
  hasApiKeys(): Promise<boolean>;
  /** True for the first who revokes it. */
  revokeApiKey(id: string, at: string): Promise<boolean>;
  /** Forgets that there ever was such a key; true for the one who took it away. */
  deleteApiKey(id: string): Promise<boolean>;
  /** Notes when it was used, never an earlier time than is noted already. */
  touchApiKey(id: string, at: string): Promise<void>;
  /** What is remembered under these identities; the others are left out. */
  knownServers(identities: readonly string[]): Promise<KnownServer[]>;
  /** Replaces what was remembered under its identity. */
  putKnownServer(known: KnownServer): Promise<void>;
  /** The same together with what changed by it. False, and nothing done, when what is there is not from `basis`. */
  putListing(known: KnownServer, basis: string | null, changes: readonly NewChange[]): Promise<boolean>;
  /** Of more than `most` the oldest go, those that are over first. */
  addDeadLetter(letter: KeptDeadLetter, most: number): Promise<void>;
  deadLetter(id: string): Promise<KeptDeadLetter | null>;
  /** Newest first, all of them without a `limit`. */
  deadLetters(filter: DeadLetterFilter): Promise<DeadLetterPage<KeptDeadLetter>>;
  /** True when it was still as it had been read; of several who change it, one does. */
  replaceDeadLetter(letter: KeptDeadLetter): Promise<boolean>;
  /** True when it was still as it had been read. */
  deleteDeadLetter(id: string, revision: number): Promise<boolean>;
  /** What has to be done by now, longest due first. */
  dueDeadLetters(now: string): Promise<DueDeadLetter[]>;
  /** Removes what was over before; tells how many. */
  forgetEndedDeadLetters(before: string): Promise<number>;
  /** What people set, by kind, persona and name. */
  entries(): Promise<StoredEntry[]>;
  /** All or nothing. */
  editEntries(edits: EntryEdits): Promise<void>;
  /** In order; the oldest go when there are too many. */
  addChanges(changes: readonly NewChange[]): Promise<void>;
  /** Newest first; `total` are all that match. */
  changes(query: ChangeQuery): Promise<{ changes: Change[]; total: number }>;
  /** Who may see changes: each different audience once, as JSON. */
  changeAudiences(): Promise<string[]>;
  /** What the definitions of a server are compared with. */
  pinnedServer(identity: string): Promise<PinnedServer>;
  pin(identity: string, tool: string): Promise<Pin | null>;
  /** By identity and tool, without the definitions. */
  pins(identities: readonly string[]): Promise<Omit<Pin, "definition">[]>;
  /** The server is known from now on. What is pinned already stays as it is. */
  addPins(identity: string, server: string, pins: readonly Pin[]): Promise<void>;
  /** Replaces the pin and tells of it, both or neither. */
  putPin(decision: PinDecision): Promise<void>;
  /** Replaces what has its id. Of more than `most` bytes the oldest go; false when it alone is larger. */
  putResult(kept: KeptResult, most: number): Promise<boolean>;
  result(id: string): Promise<KeptResult | null>;
  /** Newest first, without their content; `before` is the id of the last one of the page before. */
  results(filter?: ResultFilter): Promise<StoredResult[]>;
  /** Removes what is over by then; tells how many. */
  forgetResults(now: string): Promise<number>;
  run(id: string): Promise<AgentRun | null>;
  /** Newest first, without steps and messages; `before` is the id of the last run of the page before. */
  runs(filter?: RunFilter): Promise<RunSummary[]>;
  /** Removes runs that began before, some at a time; is to be asked again until there are none. */
  forgetRuns(before: string): Promise<number>;
  /** Follows the chain of hashes over all calls to its end, or to where it is broken. */
  verifyCalls(head?: string): Promise<CallChain>;
  /** Removes calls from before, oldest first and never the newest, and closes the chain behind them. Tells how many,
   * and is to be asked again until there are none. */
  forgetCalls(before: string): Promise<number>;
  /** Null while it can be reached. */
  trouble(): StoreTrouble | null;
  /** Told when that changes. */
  onTrouble(listener: (trouble: StoreTrouble | null) => void): () => void;
  /** Told at once what other planes change, where the store can tell; who must know has to look from time to time. */
  watch(listener: (news: StoreNews) => void): () => void;
  /** For a plane that does what is due; one at a time. */
  dueWork(): Promise<DueWork>;
  /** Works unless another plane on the same store is at it; false when one is. */
  alone(task: string, work: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
}
