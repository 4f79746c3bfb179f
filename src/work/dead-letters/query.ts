import { PlaneError } from "../../model/errors.ts";
import { type DeadLetterQuery, deadLetterStatuses } from "../../model/work/dead-letter.ts";

const usualPage = 100;
const largestPage = 1000;
const maxNote = 2000;

/** What cannot be meant is refused by name. */
export function checkQuery(query: DeadLetterQuery): DeadLetterQuery & { limit: number } {
  const { status, limit = usualPage, cursor } = query;
  if (status !== undefined && !deadLetterStatuses.includes(status))
    throw refused("status", status, `give one of ${deadLetterStatuses.join(", ")}`);
  if (!Number.isInteger(limit) || limit < 1 || limit > largestPage)
    throw refused("limit", limit, `give a whole number from 1 to ${largestPage}`);
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    throw refused("cursor", cursor, "give the 'nextCursor' of an earlier page");
  for (const name of ["tool", "server", "id"] as const)
    if (query[name] !== undefined && (typeof query[name] !== "string" || query[name] === ""))
      throw refused(name, query[name], "it needs a value");
  return { ...query, limit };
}

export function checkNote(note: string | undefined): string | null {
  if (note === undefined || note === "") return null;
  if (typeof note !== "string") throw refused("note", note, "it is not text");
  if (note.length > maxNote)
    throw new PlaneError("USAGE", `The note has ${note.length} characters. Give at most ${maxNote}.`, {
      data: { parameter: "note" },
    });
  return note;
}

function refused(parameter: string, value: unknown, allowed: string): PlaneError {
  return new PlaneError("USAGE", `'${parameter}' cannot be '${String(value)}': ${allowed}.`, {
    data: { parameter, value: typeof value === "object" ? null : value },
  });
}
