import { PlaneError } from "../../../model/errors.ts";

/** Fewer characters of an id are a typing error more often than an entry. */
const shortestPrefix = 4;
/** As much of an id as people like to read. */
export const shownIdLength = 8;

export function requirePrefix(given: string): string {
  const prefix = given.trim().toLowerCase();
  if (prefix.length >= shortestPrefix) return prefix;
  throw new PlaneError(
    "USAGE",
    `'${given}' is too short for an id. Give at least its first ${shortestPrefix} characters.`,
  );
}

/** The one id that begins like this. `what` names the things, `where` the command that lists them. */
export function findByPrefix(
  given: string,
  ids: readonly string[],
  { what, where }: { what: string; where: string },
): string {
  const prefix = requirePrefix(given);
  if (ids.includes(prefix)) return prefix;
  const [first, ...others] = ids.filter((id) => id.startsWith(prefix));
  if (first === undefined)
    throw new PlaneError("NOT_FOUND", `No ${what} '${given}' found. '${where}' lists them.`);
  if (others.length === 0) return first;
  const found = [first, ...others].slice(0, 5).join(", ");
  throw new PlaneError(
    "USAGE",
    `${others.length + 1} of them begin with '${given}': ${found}. Give more characters.`,
  );
}

/** As much of each as tells it from the others. */
export function shortenIds(ids: readonly string[]): (id: string) => string {
  let length = shownIdLength;
  const isUnique = () => new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size;
  while (!isUnique()) length++;
  return (id) => id.slice(0, length);
}
