import { showDeadLetter } from "../../model/dead-letter.ts";
import type { DeadLetterVerbs } from "../../model/dead-letter-verbs.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import { abandonedEvent, type Entries, eventFacts } from "./entries.ts";
import { checkQuery } from "./query.ts";
import type { Retrier } from "./retry.ts";
import { abandon, conflict, resolve } from "./states.ts";

export type VerbParts = {
  entries: Entries;
  retrier: Retrier;
  emit(event: PlaneEvent): void;
  defaultPrincipal: Principal;
  stopping: AbortSignal;
};

/** What people do with entries: their own, or everybody's with the scope for it. */
export function createDeadLetterVerbs(parts: VerbParts): DeadLetterVerbs {
  const { entries, retrier, emit, defaultPrincipal, stopping } = parts;
  return {
    async deadLetters(query = {}, { principal = defaultPrincipal } = {}) {
      const asked = checkQuery(query);
      await entries.freeLost();
      const filter = mayDo(principal, "admin") ? asked : { ...asked, owner: principal.user };
      const page = await (await entries.store()).deadLetters(filter);
      return { ...page, deadLetters: page.deadLetters.map(showDeadLetter) };
    },
    deadLetter: async (id, { principal = defaultPrincipal } = {}) =>
      showDeadLetter(await entries.required(id, principal)),
    async retryDeadLetter(id, { principal = defaultPrincipal, signal } = {}) {
      const letter = await entries.required(id, principal);
      return retrier.retry(letter, signal ? AbortSignal.any([signal, stopping]) : stopping);
    },
    async resolveDeadLetter(id, { note } = {}, { principal = defaultPrincipal } = {}) {
      const letter = await entries.decide(id, principal, resolve, note);
      emit({ type: "dead_letter.resolved", ...eventFacts(letter), retryCallId: null });
      return showDeadLetter(letter);
    },
    async abandonDeadLetter(id, { note } = {}, { principal = defaultPrincipal } = {}) {
      const letter = await entries.decide(id, principal, abandon, note);
      emit(abandonedEvent(letter));
      return showDeadLetter(letter);
    },
    async deleteDeadLetter(id, { principal = defaultPrincipal } = {}) {
      for (;;) {
        const letter = await entries.own(id, principal);
        if (letter === null) return false;
        if (letter.status === "retrying") throw conflict(letter, "deleted");
        if (!(await (await entries.store()).deleteDeadLetter(letter.id, letter.revision))) continue;
        emit({ type: "dead_letter.deleted", ...eventFacts(letter) });
        return true;
      }
    },
  };
}
