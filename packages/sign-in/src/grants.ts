import { limitsIn } from "@toolplane/core/model/access/resource";
import type { SignInRows } from "@toolplane/core/model/access/sign-in";

const kind = "GrantClient";
const keptSeconds = 366 * 24 * 3_600;

/** What is kept beside a grant of the library. */
export type GrantClient = Record<string, unknown> & {
  client_id: string;
  /** Scopes of servers and toolsets that every token of the grant is limited to; null for none. */
  limits: string[] | null;
  /** Did the person choose them? Else the client asked for no more. */
  isChosen: boolean;
};

export const findGrantClient = async (rows: SignInRows, grant: string) =>
  (await rows.get<GrantClient>(kind, grant))?.value ?? null;

export const storeGrantClient = (rows: SignInRows, grant: string, grantClient: GrantClient) =>
  rows.put(kind, grant, grantClient, { grant, seconds: keptSeconds });

/** A token that names no limit keeps those of what it comes from: to leave one out must not widen it. */
export function withLimits(scopes: readonly string[], limits: readonly string[] | null): string[] {
  return limits === null || limitsIn(scopes) !== null ? [...scopes] : [...scopes, ...limits];
}

/** The limits among scopes; null where there are none. */
export function limitsAmong(scopes: readonly string[]): string[] | null {
  const limits = scopes.filter((scope) => limitsIn([scope]) !== null);
  return limits.length === 0 ? null : limits;
}
