import { PlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import { isOwner, mayDo, type Principal } from "@toolplane/core/model/principal";
import type { Store } from "@toolplane/core/model/store";
import {
  type DeadLetterQuery,
  deadLetterStatuses,
  type KeptDeadLetter,
} from "@toolplane/core/model/work/dead-letter";
import { expire, isLeaseLost, type SettledBy } from "./states.ts";

type Verb = (letter: KeptDeadLetter, decision: SettledBy, now: number) => KeptDeadLetter;

/** An anonymous caller owns nothing. */
export function isOwnedBy({ principal: owner }: KeptDeadLetter, principal: Principal): boolean {
  return mayDo(principal, "admin") || (owner.user !== null && isOwner(principal, owner));
}

export type DeadLetterStore = ReturnType<typeof createDeadLetterStore>;

export function createDeadLetterStore(
  store: () => Promise<Store>,
  emit: (event: PlaneEvent) => void,
) {
  /** Null when it was changed meanwhile. */
  async function replace(letter: KeptDeadLetter): Promise<KeptDeadLetter | null> {
    const replaced = await (await store()).replaceDeadLetter(letter);
    if (replaced) return { ...letter, revision: letter.revision + 1 };
    return null;
  }

  /** Free again, if its lease has expired. */
  async function freeIfLost(letter: KeptDeadLetter): Promise<KeptDeadLetter | null> {
    if (!isLeaseLost(letter, Date.now())) return letter;
    const next = await replace(expire(letter, Date.now()));
    if (next === null) return (await store()).deadLetter(letter.id);
    if (next.status === "abandoned") emit(abandonedEvent(next));
    return next;
  }

  /** Null also for another user's entry. */
  async function findOwn(id: string, principal: Principal): Promise<KeptDeadLetter | null> {
    const letter = await (await store()).deadLetter(id);
    return letter !== null && isOwnedBy(letter, principal) ? freeIfLost(letter) : null;
  }

  async function requireOwn(id: string, principal: Principal): Promise<KeptDeadLetter> {
    const letter = await findOwn(id, principal);
    if (letter !== null) return letter;
    const message = `There is no dead letter '${id}'. It may have been deleted; list them to see which there are.`;
    throw new PlaneError("NOT_FOUND", message, { data: { deadLetter: id } });
  }

  return {
    store,
    replace,
    freeIfLost,
    findOwn,
    requireOwn,
    async decide(
      id: string,
      principal: Principal,
      verb: Verb,
      note?: string,
    ): Promise<KeptDeadLetter> {
      const decision = { by: principal.user, note: checkNote(note) };
      for (;;) {
        const letter = await requireOwn(id, principal);
        const next = await replace(verb(letter, decision, Date.now()));
        if (next !== null) return next;
      }
    },
    async freeLost(): Promise<void> {
      const openStore = await store();
      for (const { id, status } of await openStore.dueDeadLetters(new Date().toISOString())) {
        const letter = status === "retrying" ? await openStore.deadLetter(id) : null;
        if (letter !== null) await freeIfLost(letter);
      }
    },
  };
}

export function abandonedEvent(letter: KeptDeadLetter): PlaneEvent {
  return { type: "dead_letter.abandoned", ...eventFacts(letter), code: letter.error.code };
}

/** What every event about an entry has; never its arguments. */
export function eventFacts({ id, callId, tool }: KeptDeadLetter) {
  return { deadLetterId: id, callId, tool };
}

const defaultPage = 100;
const maxPage = 1000;
const maxNote = 2000;

export function checkQuery(query: DeadLetterQuery): DeadLetterQuery & { limit: number } {
  const { status, limit = defaultPage, cursor } = query;
  if (status !== undefined && !deadLetterStatuses.includes(status))
    throw refused("status", status, `give one of ${deadLetterStatuses.join(", ")}`);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPage)
    throw refused("limit", limit, `give an integer from 1 to ${maxPage}`);
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    throw refused("cursor", cursor, "give the 'nextCursor' of an earlier page");
  for (const parameter of ["tool", "server", "id"] as const)
    if (
      query[parameter] !== undefined &&
      (typeof query[parameter] !== "string" || query[parameter] === "")
    )
      throw refused(parameter, query[parameter], "it needs a value");
  return { ...query, limit };
}

function checkNote(note: string | undefined): string | null {
  if (note === undefined || note === "") return null;
  if (typeof note !== "string") throw refused("note", note, "it is not text");
  if (note.length <= maxNote) return note;
  const message = `The note has ${note.length} characters. Give at most ${maxNote}.`;
  throw new PlaneError("USAGE", message, { data: { parameter: "note" } });
}

function refused(parameter: string, value: unknown, allowed: string): PlaneError {
  return new PlaneError("USAGE", `'${parameter}' cannot be '${String(value)}': ${allowed}.`, {
    data: { parameter, value: typeof value === "object" ? null : value },
  });
}
