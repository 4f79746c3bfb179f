import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { NewChange } from "../../model/catalogue/change.ts";
import type { EntryOrigin } from "../../model/catalogue/change-schema.ts";
import type { PlaneFiles, Store } from "../../model/store.ts";

/** Null where all planes on the store share what is set. */
export type Configuration = PlaneFiles | null;

type Owned = { readonly files?: readonly string[] };

/** Whom something stored is for. A file that was renamed keeps what is its own. */
export function originOf({ files: theirs }: Owned, configuration: Configuration): EntryOrigin {
  if (theirs === undefined) return "all";
  if (configuration === null || isSame(theirs, configuration.own)) return "here";
  if (theirs.some((file) => configuration.files.includes(file))) return "here";
  if (theirs.length === 0 || theirs.some((file) => existsSync(file))) return "elsewhere";
  const directories = configuration.own.map((file) => dirname(file));
  return theirs.some((file) => directories.includes(dirname(file))) ? "here" : "gone";
}

export function appliesHere(stored: Owned, configuration: Configuration): boolean {
  const origin = originOf(stored, configuration);
  return origin === "here" || origin === "all";
}

/** Of entries of one name the closest counts: exactly ours, then of one of our files, then for all. */
export function closenessOf(stored: Owned, configuration: Configuration): number {
  if (stored.files === undefined) return 0;
  return isExactly(stored, configuration) ? 2 : 1;
}

/** Not only of a file that several configurations have in common. */
export function isExactly({ files }: Owned, configuration: Configuration): boolean {
  if (configuration === null) return files === undefined;
  return files !== undefined && isSame(files, configuration.own);
}

export function ownedBy(configuration: Configuration): { files?: readonly string[] } {
  return configuration === null ? {} : { files: configuration.own };
}

function isSame(files: readonly string[], others: readonly string[]): boolean {
  return files.length === others.length && files.every((file) => others.includes(file));
}

type ChangeWrites = Pick<Store, "addChanges" | "putListing" | "editEntries">;

/** The store as a configuration writes to it: its changes are in no other one's history. */
export function withOwnChanges(store: Store, configuration: Configuration): Store {
  if (configuration === null) return store;
  const { own: files } = configuration;
  const marked = (changes: readonly NewChange[]) =>
    changes.map((change) => ({ ...change, audience: { ...change.audience, files } }));
  const writes: ChangeWrites = {
    addChanges: (changes) => store.addChanges(marked(changes)),
    putListing: (known, basis, changes) => store.putListing(known, basis, marked(changes)),
    editEntries: (edits) => store.editEntries({ ...edits, changes: marked(edits.changes) }),
  };
  return { ...store, ...writes };
}
