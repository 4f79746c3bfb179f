import type { Outcome } from "../../model/call.ts";
import { deadLetterDueAt, type KeptDeadLetter } from "../../model/dead-letter.ts";
import type { Begun, DueHandler } from "../../model/due-work.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Store } from "../../model/store.ts";

const dayMs = 24 * 3_600_000;
const keptMs = 7 * dayMs;
/** So many entries at a time; one that hangs does not hold up the others. */
const lanes = 4;

export type DueLetterParts = {
  store(): Promise<Store>;
  /** Free again, if whoever retried it is gone. */
  freed(letter: KeptDeadLetter): Promise<KeptDeadLetter | null>;
  retry(letter: KeptDeadLetter): Promise<Outcome>;
  knows(letter: Pick<KeptDeadLetter, "server" | "tool">): boolean;
};

/** What is done about entries when their time comes: tried again, or taken from a retrier that is gone. */
export function createDueLetters({ store, freed, retry, knows }: DueLetterParts): DueHandler {
  let active = 0;
  let cleanAt = 0;

  const dueAt = (letter: KeptDeadLetter | null) => {
    const at = letter === null ? null : deadLetterDueAt(letter);
    return at === null ? null : Date.parse(at);
  };

  async function tryAgain(letter: KeptDeadLetter): Promise<number | null> {
    active += 1;
    try {
      await retry(letter).catch(unlessConflict);
    } finally {
      active -= 1;
    }
    return dueAt(await (await store()).deadLetter(letter.id));
  }

  return {
    kind: "deadLetter",
    lookMs: dayMs,
    room: () => lanes - active,
    async onLook(now) {
      if (now < cleanAt) return;
      await (await store()).forgetEndedDeadLetters(new Date(now - keptMs).toISOString());
      cleanAt = now + dayMs;
    },
    async begin({ id }): Promise<Begun> {
      const found = await (await store()).deadLetter(id);
      const letter = found?.status === "retrying" ? await freed(found) : found;
      const at = dueAt(letter);
      if (letter === null || at === null) return { is: "over" };
      if (at > Date.now()) return { is: "later", at };
      return knows(letter) ? { is: "begun", ended: tryAgain(letter) } : { is: "unknown" };
    },
  };
}

/** Another plane was faster, which is as good. */
function unlessConflict(thrown: unknown): void {
  if (!(thrown instanceof PlaneError) || thrown.code !== "CONFLICT") throw thrown;
}
