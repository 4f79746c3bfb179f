import type { JsonObject } from "./json.ts";

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
export interface StateStore {
  countRows(table: StateTable): Promise<number>;
  /** In order, so many after so many. */
  readRows(table: StateTable, offset: number, limit: number): Promise<StateRow[]>;
  /** Adds rows as they were, with their numbers. */
  writeRows(table: StateTable, rows: readonly StateRow[]): Promise<void>;
}

export type StateReport = { rows: Partial<Record<StateTable, number>>; hash: string };

export interface StateVerbs {
  /** All of the state as lines of JSON: a header, a line for each row, and an end with a hash over all before it. */
  exportState(): AsyncIterable<string>;
  /** How many lines there will be. */
  countState(): Promise<number>;
  /** Takes the lines of an export into an empty store. With `dryRun` they are only checked. */
  importState(open: () => AsyncIterable<string>, options?: { dryRun?: boolean }): Promise<StateReport>;
}

export type OpenedState = StateVerbs & AsyncDisposable;
