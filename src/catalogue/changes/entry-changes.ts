import type { ChangedBy, NewChange } from "../../model/catalogue/change.ts";
import { narrower } from "./audience.ts";
import type { Difference } from "./compare-listings.ts";
import type { DescribedEntry } from "./describe-entry.ts";

/** Who changed it, why, and which catalogue it led to. */
export type Circumstances = { by: ChangedBy; reason: string | null; revision: number };

export const changedByFile: ChangedBy = { user: null, face: null, system: "file" };
export const changedByLibrary: ChangedBy = { user: null, face: null, system: "library" };

export function toChange({ before, after }: Difference<DescribedEntry>, circumstances: Circumstances): NewChange {
  const { kind, name, persona, source } = (after ?? before) as DescribedEntry;
  return {
    at: new Date().toISOString(),
    kind: before === null ? "added" : after === null ? "removed" : "changed",
    what: kind,
    name,
    persona,
    source,
    ...circumstances,
    before: before?.definition ?? null,
    after: after?.definition ?? null,
    count: 1,
    audience: narrower(before?.audience, after?.audience),
  };
}

/** What is seen for the first time is one row, however much it is. */
export function firstSeen(
  first: Pick<NewChange, "what" | "name" | "persona" | "source" | "by" | "count" | "revision" | "audience">,
): NewChange {
  const nothing = { reason: null, before: null, after: null };
  return { at: new Date().toISOString(), kind: "listed", ...first, ...nothing };
}
