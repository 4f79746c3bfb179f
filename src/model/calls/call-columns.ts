import type { CallRecord } from "./call-schema.ts";

/**
 * Fields of a call's record that a store has in columns of their own, by the same names, so that calls are found by
 * them. Packing, both databases, filters and the search of the workbench read this list.
 */
export const columnFields = ["tool", "status", "server", "run", "conversation"] as const;
type ColumnField = (typeof columnFields)[number];

/** Columns of the table `calls` beside the record. */
export const callColumns = [...columnFields, "user_name"] as const;

/** What a store reads of a call whose record is a text already. */
export type CallColumns = Pick<CallRecord, "id" | "at" | "durationMs" | ColumnField> & {
  principal: Pick<CallRecord["principal"], "user">;
};

/** Exactly this value in a column. */
export type ColumnFilter = { [Field in ColumnField]?: NonNullable<CallRecord[Field]> };
