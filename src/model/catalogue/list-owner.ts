import type { Principal } from "../principal.ts";

/** For whom a server lists what it offers: one user, all who work in one directory, or one user there. */
export type ListOwner = { user: string | null; directory?: string };

/** Tells owners apart. No user has a name that begins like the key of a directory. */
export function listOwnerKey({ user, directory }: ListOwner): string | null {
  return directory === undefined ? user : `${mark}${JSON.stringify([directory, user])}`;
}

const mark = "\u0001";

export function isDirectoryKey(key: string): boolean {
  return key.startsWith(mark);
}

/** The keys of the lists that a caller sees beside those that all share. `home` is where a caller works who says nothing. */
export function listKeysOf(
  viewer: Pick<Principal, "user" | "directory">,
  home: string | null,
): (string | null)[] {
  const user = viewer.user !== null && isDirectoryKey(viewer.user) ? null : viewer.user;
  const directory = viewer.directory ?? home ?? undefined;
  if (directory === undefined) return [user];
  return [user, listOwnerKey({ user: null, directory }), listOwnerKey({ user, directory })];
}
