import type { JournalEntry, Store } from "../../model/store.ts";
import { isLost } from "./store-failure.ts";

/**
 * A connection that breaks during an append leaves open whether it was stored. A retry leaves out the calls that are
 * stored already.
 */
export function createIdempotentAppend({ append, call }: Pick<Store, "append" | "call">): Store["append"] {
  const unsure = new Set<string>();
  return async (entries) => {
    const missing = unsure.size === 0 ? entries : await withoutStored(entries, unsure, call);
    try {
      if (missing.length > 0) await append(missing);
    } catch (thrown) {
      if (isLost(thrown)) for (const id of idsOf(missing)) unsure.add(id);
      throw thrown;
    }
    for (const id of idsOf(entries)) unsure.delete(id);
  };
}

function idsOf(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === "call" ? [entry.call.id] : []));
}

/** Samples follow their call, and were stored with it or not at all. */
async function withoutStored(
  entries: readonly JournalEntry[],
  unsure: ReadonlySet<string>,
  call: Store["call"],
): Promise<JournalEntry[]> {
  const missing: JournalEntry[] = [];
  let isStored = false;
  for (const entry of entries) {
    if (entry.kind === "call") isStored = unsure.has(entry.call.id) && (await call(entry.call.id)) !== null;
    if (entry.kind === "event" || !isStored) missing.push(entry);
  }
  return missing;
}
