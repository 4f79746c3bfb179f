import type { KeptSignIn, SignInRows } from "@toolplane/core/model/access/sign-in";
import type { Adapter, AdapterPayload } from "oidc-provider";
import { errors } from "oidc-provider";

const daySeconds = 24 * 3_600;
/** How long a client is known: anybody can register one. */
export const clientSeconds = { registered: 7 * daySeconds, allowed: 366 * daySeconds };
/** Records that belong to a grant and go with it. */
const grantBoundKinds: ReadonlySet<string> = new Set([
  "AccessToken",
  "AuthorizationCode",
  "RefreshToken",
]);

/** What the library keeps, in the store that all replicas share. */
export function createAdapter(rows: SignInRows, revoked: (grant: string) => Promise<void>) {
  return (kind: string): Adapter => ({
    async upsert(id, payload, seconds) {
      await rows.put(kind, id, payload, {
        grant: grantBoundKinds.has(kind) ? (payload.grantId ?? null) : null,
        uid: payload.uid ?? null,
        account: payload.accountId ?? null,
        seconds: seconds ?? (kind === "Client" ? clientSeconds.registered : undefined),
      } as Parameters<SignInRows["put"]>[3]);
    },
    find: async (id) => payloadOf(await rows.get<AdapterPayload>(kind, id)),
    findByUid: async (uid) =>
      payloadOf((await rows.list<AdapterPayload>(kind, { uid }))[0] ?? null),
    // There are no devices without a browser.
    findByUserCode: async () => undefined,
    async consume(id) {
      if (await rows.consume(kind, id)) return;
      // Two replicas were asked at the same time; one of them was not the client.
      const { grant } = (await rows.get(kind, id)) ?? {};
      if (grant) {
        await revoked(grant);
        await rows.removeGrant(grant);
        await rows.remove("Grant", grant);
      }
      throw new errors.InvalidGrant(`${kind} already consumed`);
    },
    destroy: async (id) => void (await rows.remove(kind, id)),
    revokeByGrantId: (grant) => rows.removeGrant(grant),
  });
}

function payloadOf(row: KeptSignIn<AdapterPayload> | null): AdapterPayload | undefined {
  if (row === null) return undefined;
  const { value, consumedAt } = row;
  return consumedAt === null ? value : { ...value, consumed: Math.floor(consumedAt / 1_000) };
}
