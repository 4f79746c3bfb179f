import { steadyNow } from "../../lib/async/steady-time.ts";
import type { SignInRows } from "../../model/access/sign-in.ts";
import { unauthenticated } from "./unauthenticated.ts";

const revokedKind = "RevokedGrant";
const grantKind = "Grant";
/** Longer than any access token counts. */
const keptSeconds = 62 * 60;
/** What is known may be as old as this where other planes tell of nothing. */
const untoldMs = 1_000;
/** And where they do; a change by hand in the database is not announced. */
const toldMs = 30_000;
/** How often the use of a grant is noted. */
const touchedMs = 60_000;

type Ports = { rows(): Promise<SignInRows>; isInformed(): boolean };
type Known = { grants: ReadonlySet<string>; readAt: number };

/**
 * Grants that were taken back, as long as a token of them could count. They are in memory: a plane that is asked all the
 * time reads them beside its requests. One that was not asked for a while, or has just started, reads them first.
 */
export function createRevocations({ rows, isInformed }: Ports) {
  let known: Known | undefined;
  let reading: Promise<Known> | undefined;
  let changes = 0;
  /** By this plane, and since when: what is being read may not have them yet. */
  const own = new Map<string, number>();
  const touched = new Map<string, number>();

  const read = async (): Promise<Known> => {
    const [before, readAt] = [changes, steadyNow()];
    for (const [grant, at] of own) if (readAt - at > keptSeconds * 1_000) own.delete(grant);
    const kept = await (await rows()).list(revokedKind);
    // Of a change that comes meanwhile it is not known whether it was read.
    known = {
      grants: new Set(kept.map(({ id }) => id)),
      readAt: before === changes ? readAt : Number.NEGATIVE_INFINITY,
    };
    return known;
  };
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const current = (): Known | Promise<Known> => {
    const age = known === undefined ? Number.POSITIVE_INFINITY : steadyNow() - known.readAt;
    const most = isInformed() ? toldMs : untoldMs;
    if (known === undefined || age >= most) return readOnce();
    if (age >= most / 2) readOnce().catch(() => undefined);
    return known;
  };

  function note(grant: string): void {
    const now = steadyNow();
    if (now - (touched.get(grant) ?? Number.NEGATIVE_INFINITY) < touchedMs) return;
    if (touched.size > 10_000) touched.clear();
    touched.set(grant, now);
    void rows()
      .then((kept) => kept.touch(grantKind, grant))
      .catch(() => undefined);
  }
  const judge = (grant: string, { grants }: Known): void => {
    if (own.has(grant) || grants.has(grant))
      throw unauthenticated("revoked", "The person has taken back what this client may do.");
    note(grant);
  };

  return {
    async add(grant: string): Promise<void> {
      own.set(grant, steadyNow());
      await (await rows()).put(revokedKind, grant, {}, { seconds: keptSeconds, tells: true });
    },
    /** Another plane took something back. */
    changed(): void {
      changes += 1;
      if (known === undefined) return;
      known = { ...known, readAt: Number.NEGATIVE_INFINITY };
      readOnce().catch(() => undefined);
    },
    /** Throws where the grant of a token was taken back; its use is noted beside the request. */
    requireGrant(grant: string): void | Promise<void> {
      const found = current();
      return found instanceof Promise
        ? found.then((read) => judge(grant, read))
        : judge(grant, found);
    },
  };
}
