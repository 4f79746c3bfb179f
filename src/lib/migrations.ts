/** A step to the next format, applied once and recorded by its id. The SQL of a released one never changes. */
export type Migration = { id: number; sql: string };

/** What a database of this version lacks; a new one has version 0. */
export function pendingFrom(version: number, migrations: readonly Migration[]): Migration[] {
  return migrations.filter(({ id }) => id > version);
}

/** The format that this program writes. */
export function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.id ?? 0;
}

/** The last version that did not note itself in the store. */
export const lastUnnotedVersion = "0.3.0";
