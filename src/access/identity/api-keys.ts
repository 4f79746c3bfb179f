import type { ApiKey, CreatedApiKey, NewApiKey } from "../../model/api-key.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { type Principal, principalOf } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { hashSecret, isWholeSecret, makeKeyId, makeSecret } from "./key-secret.ts";
import { parseNewKey } from "./parse-new-key.ts";
import { unauthenticated } from "./unauthenticated.ts";

/** A key that is used all the time is not written all the time. */
const notedEveryMs = 60_000;

export type ApiKeysOptions = { store(): Promise<Store>; emit(event: PlaneEvent): void };

/** Every question goes to the store, so that what another process revokes is revoked at once. */
export function createApiKeys({ store, emit }: ApiKeysOptions) {
  return {
    list: async (): Promise<ApiKey[]> => (await store()).apiKeys(),
    exist: async (): Promise<boolean> => (await store()).hasApiKeys(),

    async create(given: NewApiKey, creator: Principal): Promise<CreatedApiKey> {
      const asked = parseNewKey(given, creator);
      const secret = makeSecret();
      const createdAt = new Date().toISOString();
      const key: ApiKey = { id: makeKeyId(), ...asked, createdAt, lastUsedAt: null, revokedAt: null };
      await (await store()).addApiKey(key, hashSecret(secret));
      emit({ type: "key.created", keyId: key.id, name: key.name });
      return { key, secret };
    },

    async revoke(id: string, forget: boolean): Promise<boolean> {
      const { apiKeys, revokeApiKey, deleteApiKey } = await store();
      const key = (await apiKeys()).find((one) => one.id === id);
      if (key === undefined)
        throw new PlaneError("NOT_FOUND", `There is no key '${id}'. 'toolplane keys list' shows them all.`);
      const isFirst = await revokeApiKey(id, new Date().toISOString());
      if (isFirst) emit({ type: "key.revoked", keyId: id, name: key.name });
      if (forget) await deleteApiKey(id);
      return isFirst;
    },

    /** Whose key it is. */
    async identify(secret: string): Promise<Principal> {
      const opened = await store();
      const key = isWholeSecret(secret) ? await opened.apiKeyByHash(hashSecret(secret)) : null;
      const now = Date.now();
      const { id, lastUsedAt, ...known } = requireLive(key, now);
      if (lastUsedAt === null || now - Date.parse(lastUsedAt) >= notedEveryMs) {
        // Whoever may come in is not kept out because a note could not be made.
        await opened.touchApiKey(id, new Date(now).toISOString()).catch(() => undefined);
      }
      return { ...principalWith(known), key: id };
    },

    /** Whose key it is now; throws where it is good no more. */
    async again(id: string): Promise<Principal> {
      const key = (await (await store()).apiKeys()).find((one) => one.id === id);
      return { ...principalWith(requireLive(key ?? null, Date.now())), key: id };
    },
  };
}

function principalWith({
  user,
  groups,
  persona,
  scopes,
  workspace,
  compliance = null,
  toolGroups,
}: Omit<ApiKey, "id" | "lastUsedAt" | "compliance"> & { compliance?: string | null }): Principal {
  const said = { user, groups, persona, scopes, workspace, compliance };
  return principalOf(toolGroups === undefined ? said : { ...said, toolGroups });
}

/** Only whoever has the whole secret learns what became of the key. */
function requireLive(key: ApiKey | null, now: number): ApiKey {
  if (key === null)
    throw unauthenticated("unknown", "This API key is not known here. Check that it was copied whole.");
  const { id, revokedAt, expiresAt } = key;
  if (revokedAt !== null)
    throw unauthenticated("revoked", `The API key ${id} was revoked at ${revokedAt}. Use another one.`);
  if (expiresAt !== null && Date.parse(expiresAt) <= now)
    throw unauthenticated("expired", `The API key ${id} expired at ${expiresAt}. Use a new one.`);
  return key;
}
