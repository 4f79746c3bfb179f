import { PlaneError } from "../../../model/errors.ts";

/** Fewer characters of an id are a typing error more often than an entry. */
const minPrefixLength = 4;
/** As much of an id as people like to read. */
export const shownIdLength = 8;

export function requirePrefix(typed: string): string {
  const prefix = typed.trim().toLowerCase();
  if (prefix.length >= minPrefixLength) return prefix;
  throw new PlaneError(
    "USAGE",
    `'${typed}' is too short for an id. Give at least its first ${minPrefixLength} characters.`,
  );
}

/** The one id that begins like this. `what` names the things, `where` the command that lists them. */
export function findByPrefix(
  typed: string,
  ids: readonly string[],
  { what, where }: { what: string; where: string },
): string {
  const prefix = requirePrefix(typed);
  if (ids.includes(prefix)) return prefix;
  const [first, ...ambiguous] = ids.filter((id) => id.startsWith(prefix));
  if (first === undefined)
    throw new PlaneError("NOT_FOUND", `No ${what} '${typed}' found. '${where}' lists them.`);
  if (ambiguous.length === 0) return first;
  const candidates = [first, ...ambiguous].slice(0, 5).join(", ");
  throw new PlaneError(
    "USAGE",
    `${ambiguous.length + 1} of them begin with '${typed}': ${candidates}. Give more characters.`,
  );
}

/** As much of each as tells it from the others. */
export function shortenIds(ids: readonly string[]): (id: string) => string {
  let length = shownIdLength;
  const isUnique = () => new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size;
  while (!isUnique()) length++;
  return (id) => id.slice(0, length);
}

/** A cell of a table: as much of its id as tells it from the other rows. */
export function shortIdIn(id: string, _: unknown, rows: readonly { id: string }[]): string {
  return shortenIds(rows.map((row) => row.id))(id);
}
