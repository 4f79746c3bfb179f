import type { OAuthRecord, StepUps } from "../records.ts";
import type { BearerChallenge } from "./challenge.ts";
import { isWithin } from "./scopes.ts";

const most = 3;
const windowMs = 10 * 60_000;

/** A server that asks for more than was granted: what to ask for next, or null when that will not help. */
export function stepUp(
  record: OAuthRecord,
  { error, scopes }: BearerChallenge,
  now: number,
): { scopes: string[]; before: string[]; stepUps: StepUps } | null {
  const isAboutScope = error === "insufficient_scope" || error === null;
  if (!isAboutScope || scopes === null || scopes.length === 0) return null;
  if (isWithin(scopes, record.scopes)) return null;
  const lately = now - record.stepUps.since <= windowMs ? record.stepUps : { count: 0, since: now };
  const wasAsked = isWithin(scopes, record.requested);
  if (lately.count >= (wasAsked ? 1 : most)) return null;
  const before = [...new Set([...record.requested, ...record.scopes])];
  return { scopes, before, stepUps: { count: lately.count + 1, since: lately.since } };
}
