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

export type ImportStateOptions = {
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
