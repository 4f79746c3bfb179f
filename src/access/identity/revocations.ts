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
type RevokedGrants = { grants: ReadonlySet<string>; readAt: number };

/**
 * Grants that were taken back, as long as a token of them could count. They are in memory: a plane that is asked all the
 * time reads them beside its requests. One that was not asked for a while, or has just started, reads them first.
 */
export function createRevocations({ rows, isInformed }: Ports) {
  let revoked: RevokedGrants | undefined;
  let reading: Promise<RevokedGrants> | undefined;
  let changes = 0;
  /** By this plane, and since when: what is being read may not have them yet. */
  const ownRevocations = new Map<string, number>();
  const touched = new Map<string, number>();

  async function read(): Promise<RevokedGrants> {
    const [before, readAt] = [changes, steadyNow()];
    for (const [grant, revokedAt] of ownRevocations)
      if (readAt - revokedAt > keptSeconds * 1_000) ownRevocations.delete(grant);
    const revokedRows = await (await rows()).list(revokedKind);
    // Of a change that comes meanwhile it is not known whether it was read.
    revoked = {
      grants: new Set(revokedRows.map(({ id }) => id)),
      readAt: before === changes ? readAt : Number.NEGATIVE_INFINITY,
    };
    return revoked;
  }

  function readOnce() {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  function current(): RevokedGrants | Promise<RevokedGrants> {
    const age = revoked === undefined ? Number.POSITIVE_INFINITY : steadyNow() - revoked.readAt;
    const maxAge = isInformed() ? toldMs : untoldMs;
    if (revoked === undefined || age >= maxAge) return readOnce();
    if (age >= maxAge / 2) readOnce().catch(() => undefined);
    return revoked;
  }

  function note(grant: string): void {
    const now = steadyNow();
    if (now - (touched.get(grant) ?? Number.NEGATIVE_INFINITY) < touchedMs) return;
    if (touched.size > 10_000) touched.clear();
    touched.set(grant, now);
    void rows()
      .then((openRows) => openRows.touch(grantKind, grant))
      .catch(() => undefined);
  }
  const judge = (grant: string, { grants }: RevokedGrants): void => {
    if (ownRevocations.has(grant) || grants.has(grant))
      throw unauthenticated("revoked", "The person has taken back what this client may do.");
    note(grant);
  };

  return {
    async add(grant: string): Promise<void> {
      ownRevocations.set(grant, steadyNow());
      await (await rows()).put(revokedKind, grant, {}, { seconds: keptSeconds, tells: true });
    },
    /** Another plane took something back. */
    changed(): void {
      changes += 1;
      if (revoked === undefined) return;
      revoked = { ...revoked, readAt: Number.NEGATIVE_INFINITY };
      readOnce().catch(() => undefined);
    },
    /** Throws where the grant of a token was taken back; its use is noted beside the request. */
    requireGrant(grant: string): void | Promise<void> {
      const revokedGrants = current();
      if (revokedGrants instanceof Promise) return revokedGrants.then((read) => judge(grant, read));
      return judge(grant, revokedGrants);
    },
  };
}
