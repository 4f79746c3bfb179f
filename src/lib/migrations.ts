/** Applied once and recorded by id. */
export type Migration = { id: number; sql: string };

/** The tables of a store: step by step from the first version on, and at once. A test compares both. */
export type DatabaseSchema = {
  /** In order. The SQL of a released step never changes. */
  steps: readonly Migration[];
  /** What the steps up to its id make of a new database. Later steps follow it. */
  baseline?: Migration;
};

/** SQL to run, and the steps that are recorded with it. */
export type Pending = { sql: string; ids: readonly number[] };

/** What a database lacks. A new one, of version 0, gets the baseline in place of the steps that it stands for. */
export function pendingFrom(version: number, { steps, baseline }: DatabaseSchema): Pending[] {
  const isNew = version === 0 && baseline !== undefined;
  const reachedVersion = isNew ? baseline.id : version;
  const later = steps
    .filter(({ id }) => id > reachedVersion)
    .map(({ id, sql }): Pending => ({ sql, ids: [id] }));
  if (!isNew) return later;
  const ids = steps.map(({ id }) => id).filter((id) => id <= reachedVersion);
  return [{ sql: baseline.sql, ids }, ...later];
}

/** The format that this program writes. */
export function newestOf({ steps }: DatabaseSchema): number {
  return steps.at(-1)?.id ?? 0;
}

/** The last version that did not note itself in the store. */
export const lastUnnotedVersion = "0.3.0";
