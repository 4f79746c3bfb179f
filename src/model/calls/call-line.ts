import type { CallRecord } from "./call-schema.ts";

/**
 * A line of the chain. A call that waited for a person has two: one says that it waits, the other how it ended. What is
 * recorded is never changed, so lists show the second in place of the first.
 */
export type CallLine = CallRecord & { continues?: string };

/** The id of the line that says how a call ended after it had waited. Ids of lines are unique. */
export function endLineId(callId: string): string {
  return `${callId}.2`;
}

/** As it is stored. */
export function lineOf(record: CallRecord): CallLine {
  if (record.waitedSince === undefined) return record;
  return { ...record, id: endLineId(record.id), continues: record.id };
}

/** As people see it: both lines are of one call. */
export function recordOf({ continues, ...line }: CallLine): CallRecord {
  return continues === undefined ? line : { ...line, id: continues };
}
