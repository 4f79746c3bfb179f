import { PlaneError } from "../model/errors.ts";
import type { ChainHeads, JournalEntry, Store } from "../model/store.ts";

/**
 * A connection that breaks during an append leaves open whether it was stored. A retry leaves out the calls
 * and changes that are stored already.
 */
export function createIdempotentAppend(
  { append, call, audited }: Pick<Store, "append" | "call" | "audited">,
  isLost: (thrown: unknown) => boolean = (thrown) =>
    thrown instanceof PlaneError && thrown.data.lost === true,
): Store["append"] {
  const uncertainIds = new Set<string>();
  return async (entries) => {
    const missing =
      uncertainIds.size === 0
        ? entries
        : await withoutStored(entries, uncertainIds, { call, audited });
    let heads: ChainHeads = {};
    try {
      if (missing.length > 0) heads = await append(missing);
    } catch (thrown) {
      if (isLost(thrown)) for (const id of idsOf(missing)) uncertainIds.add(id);
      throw thrown;
    }
    for (const id of idsOf(entries)) uncertainIds.delete(id);
    return heads;
  };
}

function idsOf(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => idOf(entry) ?? []);
}

function idOf(entry: JournalEntry): string | null {
  if (entry.kind === "call") return entry.call.id;
  return entry.kind === "audit" ? entry.record.id : null;
}

/** Without calls and changes that are stored, of those that may be. Samples follow their call, and were stored with it or not at all. */
export async function withoutStored(
  entries: readonly JournalEntry[],
  uncertainIds: Pick<ReadonlySet<string>, "has">,
  { call, audited }: Pick<Store, "call" | "audited">,
): Promise<JournalEntry[]> {
  const missing: JournalEntry[] = [];
  let isStored = false;
  for (const entry of entries) {
    if (entry.kind === "call")
      isStored = uncertainIds.has(entry.call.id) && (await call(entry.call.id)) !== null;
    if (
      entry.kind === "audit" &&
      uncertainIds.has(entry.record.id) &&
      (await audited(entry.record.id)) !== null
    )
      continue;
    if (entry.kind === "event" || entry.kind === "audit" || !isStored) missing.push(entry);
  }
  return missing;
}
