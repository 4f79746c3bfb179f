import { existsSync, readFileSync } from "node:fs";
import type { Setup, WrittenEntries } from "../../model/config/setup.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { putServerEntry, readServerEntries } from "./server-entries.ts";
import { putToolsetEntry, readToolsetEntries } from "./toolset-entries.ts";
import { withLock, writeAtomically } from "./write-file.ts";

type Kind = keyof WrittenEntries;
type Removed = { path: string; before: string; after: string; entry: JsonObject };

/** What can be undone is kept in memory only: it may hold secrets. */
const maxRemovals = 20;

const read = { servers: readServerEntries, toolsets: readToolsetEntries };
const put = { servers: putServerEntry, toolsets: putToolsetEntry };

export type Removals = {
  /** Removes from the file, and keeps what stood there. */
  remove(
    kind: Kind,
    path: string,
    name: string,
    removeEntry: () => Promise<void>,
  ): Promise<{ path: string }>;
  undo: Setup["undoRemoval"];
};

export function createRemovals(): Removals {
  const removals = new Map<string, Removed>();
  return {
    async remove(kind, path, name, act) {
      const before = existsSync(path) ? readFileSync(path, "utf8") : "";
      const entry = read[kind](path).findLast((written) => written.name === name)?.entry;
      await act();
      removals.delete(`${kind} ${name}`);
      if (isObject(entry))
        removals.set(`${kind} ${name}`, {
          path,
          before,
          after: readFileSync(path, "utf8"),
          entry: entry as JsonObject,
        });
      for (const oldest of removals.keys())
        if (removals.size > maxRemovals) removals.delete(oldest);
      return { path };
    },
    async undo(kind, name) {
      const removal = removals.get(`${kind} ${name}`);
      if (removal === undefined)
        throw new PlaneError(
          "NOT_FOUND",
          `Nothing named '${name}' was removed here lately. Add it again.`,
          {
            data: { name },
          },
        );
      const { path, before, after, entry } = removal;
      if (read[kind](path).some((written) => written.name === name))
        throw new PlaneError("CONFLICT", `There is a '${name}' again. Remove that one first.`, {
          data: { name },
        });
      const isWritten = await withLock(path, () => {
        const isUntouched = readFileSync(path, "utf8") === after;
        // The very text, comments and order included.
        if (isUntouched) writeAtomically(path, before);
        return isUntouched;
      });
      if (!isWritten) await put[kind](path, name, entry);
      removals.delete(`${kind} ${name}`);
      return { path };
    },
  };
}
