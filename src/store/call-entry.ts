import type { CallRecord } from "../model/call.ts";
import type { CallColumns, JournalEntry } from "../model/store.ts";

/** A record on its way into the store. Under load a thousand of them wait, and a text is less to hold than what it was written from. */
export function toCallEntry(call: CallRecord): JournalEntry {
  const { id, at, tool, status, server, run, durationMs, principal } = call;
  const columns: CallColumns = {
    id,
    at,
    tool,
    status,
    server,
    durationMs,
    principal: { user: principal.user },
  };
  if (run !== undefined) columns.run = run;
  return { kind: "call", call: columns, text: JSON.stringify(call) };
}
