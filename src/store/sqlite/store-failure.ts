import { errorText } from "../../lib/text/error-text.ts";
import { type ErrorData, PlaneError } from "../../model/errors.ts";
import { stringOrEmpty } from "../../model/json.ts";

/** How long a write waits for another process before it gives up. */
export const lockTimeoutMs = 5_000;

const unwritable =
  "cannot be written. Give this user write access to the file and its directory, or name another place (--data-dir)";
const locked =
  `was locked by another process for more than ${lockTimeoutMs / 1_000} s. ` +
  "Stop the process that holds it, or try again later";
const full = "has no room left on its disk. Free some space, then try again";
const broken = "is damaged. Restore a copy of it, or move it away to start with an empty one";
const foreign =
  "is not an SQLite database. Name another file, or move this one away to start with an empty one";
const unreadable =
  "cannot be read from or written to its disk. Check the disk, or name another file";
const directory = "is a directory. Name a file inside it";
const wrongPath = "has a file where its path needs a directory. Name another path";
const refused = "already holds this id, or a field is missing. Record each thing once and in full";

const gone = "was removed while it was in use. Put it back, or start the plane again";

/** A person can mend these while the plane runs: what waits is written then. `why` is fit for strangers. */
const mendable: { [trouble: string]: string } = {
  [unwritable]: "it cannot be written",
  [full]: "no room is left on the disk of the data directory",
  [unreadable]: "the disk of the data directory fails",
  [gone]: "the data directory was removed",
};

/** The code of a file that is no longer where it was opened. */
export const goneCode = "GONE";

/** Primary result codes of SQLite and error codes of the file system. */
const troubles: { [code: string | number]: string } = {
  3: unwritable,
  5: locked,
  6: locked,
  8: unwritable,
  10: unreadable,
  11: broken,
  13: full,
  14: unwritable,
  19: refused,
  26: foreign,
  EACCES: unwritable,
  EDQUOT: full,
  EISDIR: directory,
  ENOENT: unwritable,
  ENOSPC: full,
  ENOTDIR: wrongPath,
  EPERM: unwritable,
  EROFS: unwritable,
  [goneCode]: gone,
};

/** An error that names the file and the remedy. */
export function sqliteFailure(file: string, thrown: unknown): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  const detail = errorText(thrown);
  const trouble =
    troubles[troubleCode(thrown)] ?? "could not do this; the cause stands in brackets";
  return new PlaneError("STORE_FAILED", `The store '${file}' ${trouble} (${detail}).`, {
    data: dataOf(trouble),
    cause: thrown,
  });
}

/** `locked`: the whole batch waits, instead of each part of it in turn. */
function dataOf(trouble: string): ErrorData {
  if (trouble === locked) return { locked: true, busy: true };
  if (trouble === broken || trouble === foreign)
    return { locked: true, damaged: true, why: "the database is damaged" };
  const why = mendable[trouble];
  return why === undefined ? {} : { locked: true, later: true, why };
}

/** What a check of the whole file has found. */
export function damaged(file: string, detail: string): PlaneError {
  return sqliteFailure(file, Object.assign(new Error(detail), { errcode: 11 }));
}

export function isLocked(thrown: unknown): boolean {
  return troubles[troubleCode(thrown)] === locked;
}

function troubleCode(thrown: unknown): string | number {
  if (!(thrown instanceof Error)) return "";
  const { errcode, code } = thrown as Error & { errcode?: unknown; code?: unknown };
  // The low byte of an extended result code is the primary one.
  if (typeof errcode === "number") return errcode & 0xff;
  return stringOrEmpty(code);
}
