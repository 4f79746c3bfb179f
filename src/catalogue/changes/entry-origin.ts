import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { NewChange } from "../../model/catalogue/change.ts";
import type { EntryOrigin } from "../../model/catalogue/change-schema.ts";
import type { PlaneFiles, Store } from "../../model/store.ts";

/** Null where all planes on the store share what is set. */
export type Configuration = PlaneFiles | null;

type Owned = { readonly files?: readonly string[] };

/** Whom something stored is for. A file that was renamed keeps what is its own. */
export function originOf({ files }: Owned, configuration: Configuration): EntryOrigin {
  if (files === undefined) return "all";
  if (configuration === null || sameFiles(files, configuration.own)) return "here";
  if (files.some((file) => configuration.files.includes(file))) return "here";
  if (files.length === 0 || files.some((file) => existsSync(file))) return "elsewhere";
  const directories = configuration.own.map((file) => dirname(file));
  if (files.some((file) => directories.includes(dirname(file)))) return "here";
  return "gone";
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
  return files !== undefined && sameFiles(files, configuration.own);
}

export function ownedBy(configuration: Configuration): { files?: readonly string[] } {
  if (configuration === null) return {};
  return { files: configuration.own };
}

function sameFiles(files: readonly string[], otherFiles: readonly string[]): boolean {
  return files.length === otherFiles.length && files.every((file) => otherFiles.includes(file));
}

type ChangeWrites = Pick<Store, "addChanges" | "putListing" | "editEntries">;

/** The store as a configuration writes to it: its changes are in no other one's history. */
export function withOwnChanges(store: Store, configuration: Configuration): Store {
  if (configuration === null) return store;
  const { own: files } = configuration;
  const withFiles = (changes: readonly NewChange[]) =>
    changes.map((change) => ({ ...change, audience: { ...change.audience, files } }));
  const writes: ChangeWrites = {
    addChanges: (changes) => store.addChanges(withFiles(changes)),
    putListing: (listing, basis, changes) => store.putListing(listing, basis, withFiles(changes)),
    editEntries: (edits) => store.editEntries({ ...edits, changes: withFiles(edits.changes) }),
  };
  return { ...store, ...writes };
}
