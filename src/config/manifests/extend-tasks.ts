import type { UnknownObject } from "../../model/json.ts";
import type { Entry } from "./entries.ts";

export type Fail = (entry: Entry, key: string, message: string, hint?: string) => void;

/**
 * A task may build on another of its owner or of everybody's, and a persona's one does so on the shared one of
 * its name. What cannot be built is left out.
 */
export function extendTasks(entries: readonly Entry[], fail: Fail): Entry[] {
  const find = (name: unknown, owner: string | null, besides: Entry) =>
    entries.find((entry) => entry !== besides && entry.name === name && entry.owner === owner);

  const build = (entry: Entry, above: readonly Entry[]): UnknownObject | undefined => {
    const { extends: said, ...own } = entry.data;
    const implied = entry.owner === null ? undefined : find(entry.name, null, entry);
    const base = said === undefined ? implied : (find(said, entry.owner, entry) ?? find(said, null, entry));
    if (base === undefined) {
      if (said === undefined) return own;
      return void fail(entry, "extends", `there is no task '${said}' to build on`, "Check the name.");
    }
    if (above.includes(base)) {
      return void fail(entry, "extends", "it builds on itself by way of others", "Remove one 'extends'.");
    }
    const inherited = build(base, [...above, entry]);
    return inherited && { ...inherited, ...own };
  };
  return entries.flatMap((entry) => {
    const data = build(entry, [entry]);
    return data ? [{ ...entry, data: { ...data, ...(entry.name ? { name: entry.name } : {}) } }] : [];
  });
}
