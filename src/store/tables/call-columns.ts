import type { CallColumns, callColumns } from "../../model/calls/call-columns.ts";

/** An index of Postgres takes no long text, and callers may give any. */
const maxIndexed = 200;

type CallColumn = (typeof callColumns)[number];

export function columnOf(call: CallColumns, column: CallColumn): string | null {
  if (column === "user_name") return call.principal.user;
  return indexed(column, call[column] ?? null);
}

/** As the column has it, for a comparison with it, too. */
export function indexed<Text extends string | null | undefined>(
  column: CallColumn,
  text: Text,
): Text | string {
  return column === "conversation" && text ? text.slice(0, maxIndexed) : text;
}
