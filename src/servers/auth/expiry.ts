/** A token this close to its end may be over when it arrives. */
const bufferMs = 60_000;

type Expiring = { expiresAt: string | null };

/** Over, or as good as. */
export function isOver(token: Expiring, now: number): boolean {
  return token.expiresAt !== null && Date.parse(token.expiresAt) - bufferMs <= now;
}

export function isReallyOver({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}
