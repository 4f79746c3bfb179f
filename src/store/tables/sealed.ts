import { PlaneError } from "../../model/errors.ts";
import { type Database, parseRecord, type Row } from "./database.ts";

/** No JSON begins like this: a version that cannot open it refuses it. */
const mark = "sealed:";

export type SealedRecords = ReturnType<typeof sealedRecords>;

/** Records with the arguments of calls that wait. Those of earlier versions are read as they are. */
export function sealedRecords({ sealer }: Pick<Database, "sealer">, table: string) {
  const nameOf = (id: string) => `waiting/${table}/${id}`;
  let hasWarned = false;

  function open<T>(id: string, text: string): T | null {
    const plain = sealer?.open(nameOf(id), text.slice(mark.length)) ?? null;
    return plain === null ? null : (JSON.parse(plain) as T);
  }

  function parse<T>(row: Row): T | null {
    const text = String(row.record);
    return text.startsWith(mark) ? open<T>(String(row.id), text) : parseRecord<T>(row);
  }

  return {
    /** The record as it is stored. */
    text(id: string, record: object): string {
      const plain = JSON.stringify(record);
      return sealer === null ? plain : `${mark}${sealer.seal(nameOf(id), plain)}`;
    },
    /** Needs the columns id, record and revision. Throws where it was sealed with another key. */
    one<T extends { revision: number }>(row: Row): T {
      const record = parse<T>(row);
      if (record !== null) return { ...record, revision: Number(row.revision) };
      const message = `What waits under '${row.id}' cannot be opened: it was sealed with another key. Put the key back that was there before: 'vaultKey' of the configuration, or vault.key in the data directory.`;
      throw new PlaneError("STORE_FAILED", message);
    },
    /** Without those that were sealed with another key. */
    several<T extends { revision: number }>(rows: readonly Row[]): T[] {
      const records: T[] = [];
      for (const row of rows) {
        const record = parse<T>(row);
        if (record !== null) records.push({ ...record, revision: Number(row.revision) });
        else if (!hasWarned) {
          hasWarned = true;
          process.emitWarning(
            `Some of '${table}' in the store cannot be opened and are left out: they were sealed with another key. Put the key back that was there before.`,
          );
        }
      }
      return records;
    },
  };
}
